// test_sim_tma.c -- CUDA C programs that copy by tensor maps.
#include <stdio.h>

#include "sim_kit.h"

enum { U32 = 2, F32 = 7 };

typedef struct {
  _Alignas(64) uint8_t bytes[128];
} Map;

typedef struct {
  unsigned columns, rows, box[2];
  size_t stride; // bytes
} Matrix;

static Map map_of(int type, CUdeviceptr address, Matrix m, int swizzle) {
  Map map;
  const uint64_t dims[] = {m.columns, m.rows}, strides[] = {m.stride};
  const unsigned steps[] = {1, 1};
  assert_int_equal(
      cuTensorMapEncodeTiled(&map, type, 2, (void *)(uintptr_t)address, dims,
                             strides, m.box, steps, 0, swizzle, 0, 0),
      0);
  return map;
}

// Tiles with edges, by swizzled loads and stores.
static void test_transpose(void **state) {
  (void)state;
  enum { COLUMNS = 100, ROWS = 72 };
  static uint32_t in[ROWS * COLUMNS], out[COLUMNS * ROWS];
  for (uint32_t i = 0; i < ROWS * COLUMNS; i++) in[i] = i * i + 1;
  CUdeviceptr from = kit_upload(in, sizeof in),
              to = kit_upload(NULL, sizeof out);
  Map maps[] = {
      map_of(U32, from, (Matrix){COLUMNS, ROWS, {32, 32}, 4 * COLUMNS}, 3),
      map_of(U32, to, (Matrix){ROWS, COLUMNS, {32, 32}, 4 * ROWS}, 3)};
  CUmodule module = kit_load("tensor.ptx");
  void *params[] = {&maps[0], &maps[1]};
  const KitShape shape = {{4, 3}, {128}, 0};
  assert_int_equal(kit_run(module, "transpose", shape, params), 0);
  kit_download(out, to, sizeof out);
  for (int i = 0; i < ROWS * COLUMNS; i++)
    assert_int_equal(out[i % COLUMNS * ROWS + i / COLUMNS], in[i]);
  assert_string_equal(kit_reports(), "");
  cuMemFree_v2(from);
  cuModuleUnload(module);
}

static int sum_rows(int frees, float difference[128]) {
  enum { COLUMNS = 128, ROWS = 61 };
  static float in[ROWS * COLUMNS];
  float sums[COLUMNS];
  for (int i = 0; i < ROWS * COLUMNS; i++) in[i] = (float)(i % 97 - 40);
  for (int i = 0; i < COLUMNS; i++) difference[i] = 0;
  for (int i = 0; i < ROWS * COLUMNS; i++) difference[i % COLUMNS] -= in[i];
  CUdeviceptr from = kit_upload(in, sizeof in),
              to = kit_upload(NULL, sizeof sums);
  Map map = map_of(F32, from, (Matrix){COLUMNS, ROWS, {64, 8}, 4 * COLUMNS}, 0);
  CUmodule module = kit_load("tensor.ptx");
  int rows = ROWS;
  void *params[] = {&map, &to, &rows, &frees};
  const int error =
      kit_run(module, "sum_rows", (KitShape){{2}, {96}, 0}, params);
  if (error) return error;
  kit_download(sums, to, sizeof sums);
  for (int i = 0; i < COLUMNS; i++) difference[i] += sums[i];
  cuMemFree_v2(from);
  cuModuleUnload(module);
  return 0;
}

// A thread that loads, and awaits free stages, or does not.
static void test_pipeline(void **state) {
  (void)state;
  float difference[128];
  assert_int_equal(sum_rows(1, difference), 0);
  for (int i = 0; i < 128; i++) assert_true(difference[i] == 0);
  assert_string_equal(kit_reports(), "");
  assert_int_not_equal(sum_rows(0, difference), 0);
  const char *kinds = kit_reports();
  assert_true(strstr(kinds, "race ") || strstr(kinds, "async-write ") ||
              strstr(kinds, "barrier-count "));
  kit_reopen();
}

static void test_sums(void **state) {
  (void)state;
  enum { BLOCKS = 20 };
  float data[8 * 16] = {0};
  CUdeviceptr at = kit_upload(data, sizeof data);
  Map map = map_of(F32, at, (Matrix){16, 7, {16, 8}, 64}, 0);
  CUmodule module = kit_load("tensor.ptx");
  void *params[] = {&map};
  const KitShape shape = {{BLOCKS}, {64}, 0};
  assert_int_equal(kit_run(module, "add_all", shape, params), 0);
  kit_download(data, at, sizeof data);
  for (int i = 0; i < 8 * 16; i++)
    assert_true(
        data[i] ==
        (float)(i < 7 * 16 ? BLOCKS * (BLOCKS - 1) / 2 + BLOCKS * i : 0));
  assert_string_equal(kit_reports(), "");
  cuModuleUnload(module);
}

// Maps that kernels make from another one, in global memory.
static void test_made_maps(void **state) {
  (void)state;
  enum { COUNT = 3, ROOM = 40 * 100 };
  static const unsigned columns[COUNT] = {32, 50, 7}, rows[COUNT] = {32, 70, 3};
  static uint32_t in[COUNT][ROOM], out[COUNT][ROOM];
  struct {
    CUdeviceptr from, to;
    uint32_t columns, rows;
    uint64_t stride;
  } matrices[COUNT];
  for (uint32_t i = 0; i < COUNT * ROOM; i++)
    in[i / ROOM][i % ROOM] = 3 * i + 1;
  for (uint32_t i = 0; i < COUNT; i++) {
    matrices[i].from = kit_upload(in[i], sizeof in[i]);
    matrices[i].to = kit_upload(in[COUNT - 1 - i], sizeof in[i]);
    matrices[i].columns = columns[i];
    matrices[i].rows = rows[i];
    matrices[i].stride = (columns[i] * 4 + 15) / 16 * 16;
  }
  CUdeviceptr list = kit_upload(matrices, sizeof matrices),
              made = kit_upload(NULL, 2 * COUNT * 128);
  Map map = map_of(U32, list, (Matrix){1, 1, {32, 32}, 16}, 3);
  CUmodule module = kit_load("tensor.ptx");
  void *params[] = {&map, &list, &made};
  const KitShape shape = {{COUNT}, {64}, 0};
  if (kit_run(module, "copy_many", shape, params))
    fail_msg("%s", kit_report_text());
  for (uint32_t i = 0; i < COUNT; i++) {
    const uint32_t pitch = (uint32_t)matrices[i].stride / 4;
    kit_download(out[i], matrices[i].to, sizeof out[i]);
    for (uint32_t j = 0; j < ROOM; j++) {
      const bool is_in = j % pitch < columns[i] && j / pitch < rows[i];
      assert_int_equal(out[i][j], in[is_in ? i : COUNT - 1 - i][j]);
    }
    cuMemFree_v2(matrices[i].from);
  }
  assert_string_equal(kit_reports(), "");
  cuMemFree_v2(list);
  cuMemFree_v2(made);
  cuModuleUnload(module);
}

static void test_pixels(void **state) {
  (void)state;
  enum { CHANNELS = 16, WIDTH = 12, HEIGHT = 8, IMAGES = 3 };
  enum { PIXELS = WIDTH * HEIGHT * IMAGES };
  static float in[PIXELS][CHANNELS], out[PIXELS][CHANNELS];
  for (int i = 0; i < PIXELS * CHANNELS; i++)
    in[i / CHANNELS][i % CHANNELS] = (float)(i * 7 % 64);
  CUdeviceptr from = kit_upload(in, sizeof in),
              to = kit_upload(NULL, sizeof out);
  const uint64_t dims[] = {CHANNELS, WIDTH, HEIGHT, IMAGES};
  const uint64_t strides[] = {4 * CHANNELS, 4 * CHANNELS * WIDTH,
                              4 * CHANNELS * WIDTH * HEIGHT};
  const int corner[] = {-1, -1};
  const unsigned steps[] = {1, 1, 1, 1};
  Map map;
  assert_int_equal(cuTensorMapEncodeIm2col(
                       &map, F32, 4, (void *)(uintptr_t)from, dims, strides,
                       corner, corner, CHANNELS, 32, steps, 0, 0, 0, 0),
                   0);
  CUmodule module = kit_load("tensor.ptx");
  int width = WIDTH, height = HEIGHT;
  void *params[] = {&map, &to, &width, &height};
  const KitShape shape = {{PIXELS / 32}, {512}, 0};
  if (kit_run(module, "box_filter", shape, params))
    fail_msg("%s", kit_report_text());
  kit_download(out, to, sizeof out);
  for (int i = 0; i < PIXELS * CHANNELS; i++) {
    const int p = i / CHANNELS, x = p % WIDTH, y = p / WIDTH % HEIGHT;
    float sum = 0;
    for (int j = 0; j < 9; j++) {
      const int dx = j % 3 - 1, dy = j / 3 - 1;
      if (x + dx >= 0 && x + dx < WIDTH && y + dy >= 0 && y + dy < HEIGHT)
        sum += in[p + dy * WIDTH + dx][i % CHANNELS];
    }
    assert_true(out[p][i % CHANNELS] == sum);
  }
  assert_string_equal(kit_reports(), "");
  cuMemFree_v2(from);
  cuModuleUnload(module);
}

// Halves of a tile that two blocks load for each other.
static void test_multicast(void **state) {
  (void)state;
  enum { CLUSTERS = 3, ROWS = CLUSTERS * 32 };
  static uint32_t in[ROWS][32];
  uint32_t sums[2 * CLUSTERS][32];
  for (uint32_t i = 0; i < ROWS * 32; i++) in[i / 32][i % 32] = i * i + 5;
  CUdeviceptr from = kit_upload(in, sizeof in),
              to = kit_upload(NULL, sizeof sums);
  Map map = map_of(U32, from, (Matrix){32, ROWS, {32, 16}, 128}, 0);
  CUmodule module = kit_load("tensor.ptx");
  int meets = 1;
  void *params[] = {&map, &to, &meets};
  const KitShape shape = {{2 * CLUSTERS}, {32}, 0};
  kit_count("text");
  if (kit_run(module, "share", shape, params))
    fail_msg("%s", kit_report_text());
  // Each of the six loads half a tile, 2,048 bytes, for both.
  assert_non_null(strstr(kit_counted(),
                         "cluster: 12288 bytes of shared memory of other "
                         "CTAs, 12288 of global memory not read again\n"));
  kit_download(sums, to, sizeof sums);
  for (uint32_t i = 0; i < 2 * CLUSTERS; i++)
    for (uint32_t t = 0; t < 32; t++) {
      uint32_t want = 0;
      for (uint32_t j = 0; j < 32; j++) want += in[i / 2 * 32 + j][t] * (j + 1);
      assert_int_equal(sums[i][t], want);
    }
  assert_string_equal(kit_reports(), "");
  cuMemFree_v2(from);
  cuModuleUnload(module);
}

int main(void) {
  setenv("TILE_SIM_CHIP", "sm_90", 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_transpose), cmocka_unit_test(test_pipeline),
      cmocka_unit_test(test_sums),      cmocka_unit_test(test_made_maps),
      cmocka_unit_test(test_pixels),    cmocka_unit_test(test_multicast)};
  return cmocka_run_group_tests(tests, kit_setup, kit_teardown);
}
