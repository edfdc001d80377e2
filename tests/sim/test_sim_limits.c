// test_sim_limits.c -- launches beyond a chip's limits get the driver's errors.
#include "sim_kit.h"

enum { INVALID_VALUE = 1, TOO_MANY_RESOURCES = 701, INVALID_PTX = 218 };

static CUmodule module;
static CUfunction function;

static int open_all(void **state) {
  (void)state;
  kit_open();
  module = kit_load_body("");
  return cuModuleGetFunction(&function, module, "k");
}

static int close_all(void **state) {
  (void)state;
  cuModuleUnload(module);
  kit_close();
  return 0;
}

static int launch(CUfunction kernel, KitShape s) {
  CUdeviceptr out = kit_upload(NULL, 4), in = kit_upload(NULL, 4);
  void *params[] = {&out, &in};
  const int error =
      cuLaunchKernel(kernel, s.grid[0], s.grid[1], s.grid[2], s.block[0],
                     s.block[1], s.block[2], s.shared, NULL, params, NULL);
  const int later = cuCtxSynchronize();
  assert_int_equal(cuMemFree_v2(out), 0);
  assert_int_equal(cuMemFree_v2(in), 0);
  return error ? error : later;
}

static void test_shapes(void **state) {
  (void)state;
  static const KitShape wrong[] = {
      {{0, 1, 1}, {32, 1, 1}, 0},     {{1, 1, 1}, {0, 1, 1}, 0},
      {{1, 1, 1}, {1025, 1, 1}, 0},   {{1, 1, 1}, {1, 1, 65}, 0},
      {{1, 1, 1}, {64, 32, 1}, 0},    {{1, 65536, 1}, {1, 1, 1}, 0},
      {{1, 1, 65536}, {1, 1, 1}, 0},  {{1u << 31, 1, 1}, {1, 1, 1}, 0},
      {{1, 1, 1}, {32, 1, 1}, 49153},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    assert_int_equal(launch(function, wrong[i]), INVALID_VALUE);
  // A launch that was refused has no effect.
  assert_int_equal(launch(function, (KitShape){{1, 1, 1}, {32, 1, 1}, 0}), 0);
  assert_int_equal(launch(function, (KitShape){{1, 1, 1}, {32, 32, 1}, 49152}),
                   0);
}

// ptxas accepts any amount of local memory; a thread has 512 KB.
static void test_local(void **state) {
  (void)state;
  static const char *const bodies[2] = {
      ".local .b8 own[524288]; st.local.b8 [own+524287], 1;",
      ".local .b8 own[524289]; st.local.b8 [own+524288], 1;"};
  for (int i = 0; i < 2; i++) {
    CUmodule large = kit_load_body(bodies[i]);
    CUfunction kernel;
    assert_int_equal(cuModuleGetFunction(&kernel, large, "k"), 0);
    assert_int_equal(launch(kernel, (KitShape){{1, 1, 1}, {1, 1, 1}, 0}),
                     i ? TOO_MANY_RESOURCES : 0);
    cuModuleUnload(large);
  }
}

// sm_80 gives a block 163 KB, if it asks.
static void test_shared(void **state) {
  (void)state;
  const KitShape most = {{1, 1, 1}, {32, 1, 1}, 163 * 1024};
  assert_int_equal(cuFuncSetAttribute(function, 8, 163 * 1024 + 1),
                   INVALID_VALUE);
  assert_int_equal(launch(function, most), INVALID_VALUE);
  assert_int_equal(cuFuncSetAttribute(function, 8, 163 * 1024), 0);
  assert_int_equal(launch(function, most), 0);
  int blocks = 0;
  assert_int_equal(cuOccupancyMaxActiveBlocksPerMultiprocessor(
                       &blocks, function, 128, 163 * 1024),
                   0);
  assert_int_equal(blocks, 1);
  assert_int_equal(
      cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, 512, 0),
      0);
  assert_int_equal(blocks, 4); // of 2,048 threads
}

// Numbers of NVIDIA's occupancy calculator for sm_80, with few registers.
static void test_occupancy(void **state) {
  (void)state;
  static const struct {
    int threads;
    size_t shared;
    int blocks;
  } rows[] = {{1, 0, 32},         {96, 0, 21},
              {1024, 0, 2},       {1025, 0, 0},
              {32, 4096, 32},     {32, 4225, 31},
              {32, 32768, 4},     {32, 80 * 1024, 2},
              {32, 82 * 1024, 1}, {32, 163 * 1024 + 1, 0}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    int blocks = -1;
    assert_int_equal(cuOccupancyMaxActiveBlocksPerMultiprocessor(
                         &blocks, function, rows[i].threads, rows[i].shared),
                     0);
    assert_int_equal(blocks, rows[i].blocks);
  }
}

static void test_max_threads(void **state) {
  (void)state;
  CUmodule small = kit_load_text(
      ".version 8.0\n.target sm_80\n.address_size 64\n"
      ".visible .entry k(.param .u64 a, .param .u64 b) .maxntid 64, 1, 1\n"
      "{ ret; }\n"
      ".visible .entry exact(.param .u64 a, .param .u64 b)\n"
      ".reqntid 64, 1, 1 { ret; }\n");
  CUfunction kernel;
  assert_int_equal(cuModuleGetFunction(&kernel, small, "k"), 0);
  assert_int_equal(launch(kernel, (KitShape){{1, 1, 1}, {64, 1, 1}, 0}), 0);
  assert_int_equal(launch(kernel, (KitShape){{1, 1, 1}, {65, 1, 1}, 0}),
                   TOO_MANY_RESOURCES);
  assert_int_equal(cuModuleGetFunction(&kernel, small, "exact"), 0);
  assert_int_equal(launch(kernel, (KitShape){{1, 1, 1}, {64, 1, 1}, 0}), 0);
  assert_int_equal(launch(kernel, (KitShape){{1, 1, 1}, {32, 1, 1}, 0}),
                   INVALID_VALUE);
  cuModuleUnload(small);
}

// More static shared memory than any block has is an error of the assembler.
static void test_static_shared(void **state) {
  (void)state;
  char log[400] = "";
  int options[] = {5, 6};
  void *values[] = {log, (void *)(uintptr_t)sizeof log};
  CUmodule large;
  assert_int_equal(
      cuModuleLoadDataEx(&large,
                         ".version 8.0\n.target sm_80\n.address_size 64\n"
                         ".visible .entry k() { .shared .b8 s[49153];\n"
                         ".reg .b32 %r; mov.u32 %r, s; ret; }\n",
                         2, options, values),
      INVALID_PTX);
  assert_non_null(strstr(log, "shared"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_shapes),      cmocka_unit_test(test_local),
      cmocka_unit_test(test_shared),      cmocka_unit_test(test_occupancy),
      cmocka_unit_test(test_max_threads), cmocka_unit_test(test_static_shared),
  };
  return cmocka_run_group_tests(tests, open_all, close_all);
}
