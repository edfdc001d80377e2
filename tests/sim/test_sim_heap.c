// test_sim_heap.c -- malloc() and free() of kernels that nvcc compiled, and the
// limits of a context.
#include "sim_kit.h"

enum { STACK = 0, PRINTF = 1, HEAP = 2, SYNC_DEPTH = 3, L2_FETCH = 5 };
enum { INVALID_VALUE = 1, OUT_OF_MEMORY = 2, UNSUPPORTED_LIMIT = 215 };

enum { THREADS = 64, CTAS = 50 };

static void test_limits(void **state) {
  (void)state;
  size_t value = 0;
  assert_int_equal(cuCtxGetLimit(&value, STACK), 0);
  assert_int_equal(value, 1024);
  assert_int_equal(cuCtxGetLimit(&value, HEAP), 0);
  assert_int_equal(value, 8 << 20);
  assert_int_equal(cuCtxGetLimit(NULL, STACK), INVALID_VALUE);
  assert_int_equal(cuCtxGetLimit(&value, 99), UNSUPPORTED_LIMIT);
  assert_int_equal(cuCtxSetLimit(-1, 1), UNSUPPORTED_LIMIT);
  assert_int_equal(cuCtxSetLimit(STACK, 5000), 0);
  assert_int_equal(cuCtxGetLimit(&value, STACK), 0);
  assert_true(value >= 5000 && value < 6000);
  assert_int_equal(cuCtxSetLimit(L2_FETCH, 1000), 0); // a hint, clamped
  assert_int_equal(cuCtxGetLimit(&value, L2_FETCH), 0);
  assert_int_equal(value, 128);
  assert_int_equal(cuCtxSetLimit(HEAP, (size_t)1 << 50), OUT_OF_MEMORY);
  assert_int_equal(cuCtxSetLimit(HEAP, 1 << 20), 0);
}

static void test_lists(void **state) {
  (void)state;
  CUmodule module = kit_load("heap.ptx");
  static int sums[CTAS * THREADS];
  int n = 9;
  CUdeviceptr out = kit_upload(NULL, sizeof sums);
  void *params[] = {&out, &n};
  const KitShape shape = {.grid = {CTAS}, .block = {THREADS}};
  // More bytes in all than the heap has, but never at once.
  for (int i = 0; i < 8; i++) {
    if (kit_run(module, "lists", shape, params)) fail_msg("run %d", i);
  }
  kit_download(sums, out, sizeof sums);
  for (int i = 0; i < CTAS * THREADS; i++)
    assert_int_equal(sums[i], n * i + n * (n - 1) / 2);
  assert_int_equal(cuCtxSetLimit(HEAP, 1 << 21), INVALID_VALUE); // in use
  cuModuleUnload(module);
  assert_string_equal(kit_reports(), "");
}

static void test_together(void **state) {
  (void)state;
  CUmodule module = kit_load("heap.ptx");
  static int found[CTAS * THREADS];
  CUdeviceptr out = kit_upload(NULL, sizeof found);
  void *params[] = {&out};
  const KitShape shape = {.grid = {CTAS}, .block = {THREADS}};
  assert_int_equal(kit_run(module, "together", shape, params), 0);
  kit_download(found, out, sizeof found);
  for (int i = 0; i < CTAS * THREADS; i++)
    assert_int_equal(found[i], THREADS - 1 - i % THREADS);
  cuModuleUnload(module);
  assert_string_equal(kit_reports(), "");
}

// Blocks outlive the launch, and the host cannot access them.
static void test_kept(void **state) {
  (void)state;
  CUmodule module = kit_load("heap.ptx");
  int found[THREADS], value = 100;
  CUdeviceptr blocks[THREADS], kept = kit_upload(NULL, sizeof blocks);
  CUdeviceptr out = kit_upload(NULL, sizeof found);
  size_t size = 40;
  const KitShape shape = {.grid = {1}, .block = {THREADS}};
  void *keep[] = {&kept, &size}, *fill[] = {&kept, &value};
  void *drop[] = {&kept, &out};
  assert_int_equal(kit_run(module, "keep", shape, keep), 0);
  assert_int_equal(cuMemcpyDtoH_v2(blocks, kept, sizeof blocks), 0);
  for (int i = 0; i < THREADS; i++) {
    assert_int_equal(blocks[i] % 16, 0);
    for (int j = 0; j < i; j++)
      assert_true(blocks[j] + size <= blocks[i] ||
                  blocks[i] + size <= blocks[j]);
  }
  assert_int_equal(cuMemcpyDtoH_v2(found, blocks[0], 4), INVALID_VALUE);
  assert_int_equal(cuMemFree_v2(blocks[0]), INVALID_VALUE);
  assert_int_equal(kit_run(module, "fill", shape, fill), 0);
  assert_int_equal(kit_run(module, "drop", shape, drop), 0);
  kit_download(found, out, sizeof found);
  for (int i = 0; i < THREADS; i++) assert_int_equal(found[i], value + i);
  assert_int_equal(cuMemFree_v2(kept), 0);
  cuModuleUnload(module);
  assert_string_equal(kit_reports(), "");
}

// A block that is too large, or one too many, is NULL.
static void test_exhausted(void **state) {
  (void)state;
  CUmodule module = kit_load("heap.ptx");
  CUdeviceptr blocks[THREADS], kept = kit_upload(NULL, sizeof blocks);
  size_t size = (1 << 20) / 10; // of the limit
  void *keep[] = {&kept, &size};
  const KitShape shape = {.grid = {1}, .block = {THREADS}};
  assert_int_equal(kit_run(module, "keep", shape, keep), 0);
  assert_int_equal(cuMemcpyDtoH_v2(blocks, kept, sizeof blocks), 0);
  int given = 0;
  for (int i = 0; i < THREADS; i++) given += blocks[i] != 0;
  assert_int_equal(given, 10);
  assert_int_equal(cuMemFree_v2(kept), 0);
  cuModuleUnload(module);
  assert_string_equal(kit_reports(), "");
  // Blocks belong to the context, and are freed with it.
  CUcontext context;
  assert_int_equal(cuDevicePrimaryCtxRelease_v2(0), 0);
  assert_string_equal(kit_reports(), "leak ");
  assert_int_equal(cuDevicePrimaryCtxRetain(&context, 0), 0);
}

int main(void) {
  unsetenv("TILE_SIM_CHIP"); // sm_80
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_limits),    cmocka_unit_test(test_lists),
      cmocka_unit_test(test_together),  cmocka_unit_test(test_kept),
      cmocka_unit_test(test_exhausted),
  };
  return cmocka_run_group_tests(tests, kit_setup, kit_teardown);
}
