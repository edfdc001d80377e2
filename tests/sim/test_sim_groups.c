// test_sim_groups.c -- nvcc's PTX of cooperative groups and of parts of warps.
#include "sim_kit.h"

enum { THREADS = 128 };

static CUmodule module;
static int in[THREADS], out[THREADS];

static int open_all(void **state) {
  (void)state;
  uint32_t seed = 5;
  kit_open();
  module = kit_load("groups.ptx");
  for (int i = 0; i < THREADS; i++) in[i] = (int)(kit_random(&seed) % 100);
  return 0;
}

static int close_all(void **state) {
  (void)state;
  cuModuleUnload(module);
  kit_close();
  return 0;
}

static void run(const char *kernel, int n) {
  CUdeviceptr from = kit_upload(in, sizeof in);
  CUdeviceptr to = kit_upload(NULL, sizeof out);
  void *params[] = {&from, &to, &n};
  const KitShape shape = {{1}, {THREADS}, 0};
  assert_int_equal(cuMemsetD32_v2(to, 0, THREADS), 0);
  assert_int_equal(kit_run(module, kernel, shape, params), 0);
  kit_download(out, to, sizeof out);
  assert_int_equal(cuMemFree_v2(from), 0);
  assert_string_equal(kit_reports(), "");
}

static int sum_of(int first, int count) {
  int sum = 0;
  for (int i = 0; i < count; i++) sum += in[first + i];
  return sum;
}

static void test_tiles(void **state) {
  (void)state;
  run("tiles", 0);
  for (int i = 0; i < THREADS; i++) {
    const int first = i / 64 * 64;
    assert_int_equal(out[i], sum_of(first, 64) * 1000 + in[first + 40]);
  }
}

static void test_odd(void **state) {
  (void)state;
  run("odd", 0);
  for (int i = 0; i < THREADS; i++) {
    int rank = 0, size = 0;
    for (int j = i / 32 * 32; j < i / 32 * 32 + 32; j++) {
      rank += j < i && in[j] & 1;
      size += in[j] & 1;
    }
    assert_int_equal(out[i], in[i] & 1 ? rank * 100 + size : -1);
  }
}

// Whole halves of a warp, so that the source lanes of shuffles are there.
static void test_halves(void **state) {
  (void)state;
  const int n = 80;
  run("halves", n);
  for (int i = 0; i < THREADS; i++) {
    const int all = sum_of(i / 16 * 16, 16) + sum_of(i / 32 * 32, 16);
    assert_int_equal(out[i], i < n ? all : 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_tiles),
      cmocka_unit_test(test_odd),
      cmocka_unit_test(test_halves),
  };
  return cmocka_run_group_tests(tests, open_all, close_all);
}
