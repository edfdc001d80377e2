// test_sim_recursion.c -- recursive functions of nvcc's PTX, against C's.
#include "sim_kit.h"

enum { STACK = 0, STACK_ERROR = 714 };
enum { THREADS = 96, CTAS = 3 };

static CUmodule module;

static int open_all(void **state) {
  (void)state;
  kit_open();
  module = kit_load("recursion.ptx");
  return 0;
}

static int fib(int n) {
  return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static int ackermann(int m, int n) {
  if (!m) return n + 1;
  return ackermann(m - 1, n ? ackermann(m, n - 1) : 1);
}

static void test_numbers(void **state) {
  (void)state;
  static int found[3 * CTAS * THREADS];
  CUdeviceptr out = kit_upload(NULL, sizeof found);
  void *params[] = {&out};
  assert_int_equal(cuCtxSetLimit(STACK, 4096), 0);
  assert_int_equal(
      kit_run(module, "numbers", (KitShape){{CTAS}, {THREADS}, 0}, params), 0);
  kit_download(found, out, sizeof found);
  for (int t = 0; t < CTAS * THREADS; t++) {
    assert_int_equal(found[3 * t], fib(t % 12));
    assert_int_equal(found[3 * t + 1], ackermann(t % 3, t % 5));
    assert_int_equal(found[3 * t + 2], t % 20 % 2 == 0);
  }
  assert_string_equal(kit_reports(), "");
}

static void test_pointers(void **state) {
  (void)state;
  int found[THREADS];
  CUdeviceptr out = kit_upload(NULL, sizeof found);
  void *params[] = {&out};
  assert_int_equal(
      kit_run(module, "pointers", (KitShape){{1}, {THREADS}, 0}, params), 0);
  kit_download(found, out, sizeof found);
  for (int t = 0; t < THREADS; t++)
    assert_int_equal(found[t], t % 10 * (t % 10 + 1) / 2);
  assert_string_equal(kit_reports(), "");
}

static int ascending(const void *a, const void *b) {
  const int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

static void test_sorts(void **state) {
  (void)state;
  enum { EACH = 37 };
  static int data[CTAS * THREADS * EACH], found[CTAS * THREADS * EACH];
  uint32_t random = 5;
  for (int i = 0; i < CTAS * THREADS * EACH; i++)
    data[i] = (int)(kit_random(&random) % 100);
  CUdeviceptr memory = kit_upload(data, sizeof data);
  int each = EACH;
  void *params[] = {&memory, &each};
  assert_int_equal(
      kit_run(module, "sorts", (KitShape){{CTAS}, {THREADS}, 0}, params), 0);
  kit_download(found, memory, sizeof found);
  for (int i = 0; i < CTAS * THREADS * EACH; i += EACH)
    qsort(data + i, EACH, sizeof *data, ascending);
  assert_memory_equal(found, data, sizeof data);
  assert_string_equal(kit_reports(), "");
}

static int by_pointer(int n) {
  return n < 1 ? 0 : n + by_pointer(n - 1);
}

static int twice(int n) {
  return n < 1 ? 0 : 2 * n + twice(n - 2);
}

static void test_wide(void **state) {
  (void)state;
  double found[4 * THREADS];
  CUdeviceptr out = kit_upload(NULL, sizeof found);
  void *params[] = {&out};
  assert_int_equal(
      kit_run(module, "wide", (KitShape){{1}, {THREADS}, 0}, params), 0);
  kit_download(found, out, sizeof found);
  for (int t = 0; t < THREADS; t++) {
    const int n = t % 7; // adds n, n-1, ..., 1, then the counts 0 to n-1
    const double sum = 1.5 * t + 5 + n * (n + 1) / 2 + n * (n - 1) / 2;
    assert_true(found[4 * t] == sum);
    assert_true(found[4 * t + 1] == n);
    assert_true(found[4 * t + 2] == (t % 2 ? twice(t % 9) : by_pointer(t % 9)));
  }
  assert_string_equal(kit_reports(), "");
}

static int run_depth(int n) {
  int found[32];
  CUdeviceptr out = kit_upload(NULL, sizeof found);
  void *params[] = {&out, &n};
  const int error = kit_run(module, "depth", (KitShape){{1}, {32}, 0}, params);
  if (error) return error;
  kit_download(found, out, sizeof found);
  for (int i = 0; i < 32; i++)
    assert_int_equal(found[i], i == 7 ? (1 << n) - 1 : 1);
  return 0;
}

// The limit of the stack bounds the depth, and the report names it.
static void test_overflow(void **state) {
  (void)state;
  assert_int_equal(cuCtxSetLimit(STACK, 4096), 0);
  assert_int_equal(run_depth(30), 0);
  assert_int_equal(cuCtxSetLimit(STACK, 256), 0);
  assert_int_equal(run_depth(3), 0);
  assert_string_equal(kit_reports(), "");
  assert_int_equal(run_depth(30), STACK_ERROR);
  const char *text = kit_report_text();
  assert_non_null(strstr(text, "\"kind\":\"stack-overflow\""));
  assert_non_null(strstr(text, "\"lane\":7"));
  assert_non_null(strstr(text, "more than the 256 of CU_LIMIT_STACK_SIZE"));
}

int main(void) {
  unsetenv("TILE_SIM_CHIP"); // sm_80
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_numbers),  cmocka_unit_test(test_pointers),
      cmocka_unit_test(test_sorts),    cmocka_unit_test(test_wide),
      cmocka_unit_test(test_overflow),
  };
  return cmocka_run_group_tests(tests, open_all, kit_teardown);
}
