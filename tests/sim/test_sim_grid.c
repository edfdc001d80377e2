// test_sim_grid.c -- cooperative launches, whose CTAs meet.
#include "sim_kit.h"

enum { TOO_LARGE = 720 };
enum { THREADS = 64, MOST_CTAS = 20 };

int cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x,
                              unsigned grid_y, unsigned grid_z,
                              unsigned block_x, unsigned block_y,
                              unsigned block_z, unsigned shared,
                              CUstream stream, void **params);

static int launch(CUfunction ring, unsigned ctas, CUdeviceptr data,
                  int rounds) {
  void *params[] = {&data, &rounds};
  const int error = cuLaunchCooperativeKernel(ring, ctas, 1, 1, THREADS, 1, 1,
                                              0, NULL, params);
  return error ? error : cuCtxSynchronize();
}

static void test_ring(void **state) {
  (void)state;
  CUmodule module = kit_load("grid.ptx");
  CUfunction ring;
  assert_int_equal(cuModuleGetFunction(&ring, module, "ring"), 0);
  static int data[MOST_CTAS * THREADS];
  for (unsigned ctas = 1; ctas <= MOST_CTAS; ctas += 19) {
    const int n = (int)ctas * THREADS, rounds = 5;
    for (int i = 0; i < n; i++) data[i] = 1000 * i;
    CUdeviceptr memory = kit_upload(data, sizeof data);
    assert_int_equal(launch(ring, ctas, memory, rounds), 0);
    kit_download(data, memory, sizeof data);
    for (int i = 0; i < n; i++)
      assert_int_equal(data[i], 1000 * ((i + rounds) % n) + rounds);
  }
  assert_string_equal(kit_reports(), "");
  assert_int_equal(cuModuleUnload(module), 0);
}

// Limits of sm_80: 108 multiprocessors, 32 blocks each at most.
static void test_too_large(void **state) {
  (void)state;
  CUmodule module = kit_load("grid.ptx");
  CUfunction ring;
  int value = 0, blocks = 0;
  assert_int_equal(cuDeviceGetAttribute(&value, 95, 0), 0);
  assert_int_equal(value, 1);
  assert_int_equal(cuModuleGetFunction(&ring, module, "ring"), 0);
  assert_int_equal(
      cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, ring, THREADS, 0),
      0);
  CUdeviceptr memory = kit_upload(NULL, 4);
  const unsigned most = (unsigned)blocks * 108;
  assert_int_equal(launch(ring, most + 1, memory, 0), TOO_LARGE);
  assert_int_equal(launch(ring, most, memory, 0), 0);
  assert_int_equal(cuMemFree_v2(memory), 0);
  assert_int_equal(cuModuleUnload(module), 0);
}

int main(void) {
  unsetenv("TILE_SIM_CHIP"); // sm_80
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_ring),
      cmocka_unit_test(test_too_large),
  };
  return cmocka_run_group_tests(tests, kit_setup, kit_teardown);
}
