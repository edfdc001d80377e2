// test_sim_reuse.c -- addresses are used again when all others have been used.
#include <stdio.h>
#include <sys/resource.h>

#include "sim_kit.h"

enum { MB = 1 << 20, OUT_OF_MEMORY = 2 };

// Many times as much memory as there are addresses, but never more at the same
// time.
static void test_reuse(void **state) {
  (void)state;
  CUdeviceptr kept, p[3];
  int value = 7;
  assert_int_equal(cuMemAlloc_v2(&kept, MB), 0);
  assert_int_equal(cuMemcpyHtoD_v2(kept, &value, 4), 0);
  for (int i = 0; i < 100; i++) {
    for (int j = 0; j < 3; j++) {
      const size_t size = (size_t)(16 + 4 * j + i % 5) * MB;
      assert_int_equal(cuMemAlloc_v2(&p[j], size), 0);
      assert_int_equal(cuMemsetD8_v2(p[j] + size - 1, 1, 1), 0);
    }
    assert_true(p[0] != p[1] && p[1] != p[2]);
    for (int j = 0; j < 3; j++) assert_int_equal(cuMemFree_v2(p[j]), 0);
    assert_int_equal(cuMemFree_v2(p[0]), 1); // twice
  }
  value = 0;
  assert_int_equal(cuMemcpyDtoH_v2(&value, kept, 4), 0);
  assert_int_equal(value, 7);
  assert_int_equal(cuMemAlloc_v2(&p[0], (size_t)4096 * MB), OUT_OF_MEMORY);
  assert_int_equal(cuMemFree_v2(kept), 0);
  assert_string_equal(kit_reports(), "");
}

int main(void) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  puts("SKIP: a sanitizer wants more addresses than this test leaves");
  return 0;
#endif
  const struct rlimit limit = {(rlim_t)3072 * MB, (rlim_t)3072 * MB};
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_reuse)};
  unsetenv("TILE_SIM_CHIP"); // sm_80
  if (setrlimit(RLIMIT_AS, &limit)) return 1;
  return cmocka_run_group_tests(tests, kit_setup, kit_teardown);
}
