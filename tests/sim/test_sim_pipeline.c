// test_sim_pipeline.c -- products and attention in CUDA C whose warps have
// roles, in every schedule.
#include <math.h>

#include "sim_kit.h"

enum { F16 = 6, SWIZZLE_128 = 3, ACROSS = 64, TILE = 128 };

typedef struct {
  _Alignas(64) uint8_t bytes[128];
} Map;

// A map of tiles of 64 columns.
static Map map_of(CUdeviceptr at, unsigned rows, unsigned columns,
                  unsigned tile) {
  Map map;
  const uint64_t dims[] = {columns, rows}, strides[] = {2 * columns};
  const unsigned box[] = {ACROSS, tile}, steps[] = {1, 1};
  assert_int_equal(cuTensorMapEncodeTiled(&map, F16, 2, (void *)(uintptr_t)at,
                                          dims, strides, box, steps, 0,
                                          SWIZZLE_128, 0, 0),
                   0);
  return map;
}

// f16 numbers below 2 that are multiples of 1/8.
static uint16_t half_of(float x) {
  const uint32_t eighths = (uint32_t)(fabsf(x) * 8);
  uint32_t exponent = 0;
  while (eighths >> (exponent + 1)) exponent++;
  const uint32_t fraction = (eighths << (10 - exponent)) & 0x3ff;
  const uint32_t bits = (exponent + 15 - 3) << 10 | fraction;
  return (uint16_t)((x < 0 ? 0x8000u : 0) | (eighths ? bits : 0));
}

static float value_of(uint16_t half) {
  const int exponent = half >> 10 & 31;
  const int fraction = (half & 0x3ff) | (exponent ? 0x400 : 0);
  const float size = ldexpf((float)fraction, (exponent ? exponent : 1) - 25);
  return half >> 15 ? -size : size;
}

static CUdeviceptr draw(float *values, size_t count, uint32_t *random) {
  uint16_t *halves = malloc(count * sizeof *halves);
  for (size_t i = 0; i < count; i++) {
    values[i] = (float)((int)(kit_random(random) % 17) - 8) / 8;
    halves[i] = half_of(values[i]);
  }
  CUdeviceptr at = kit_upload(halves, count * sizeof *halves);
  free(halves);
  return at;
}

static const char *const schedules[] = {"late", "early", "1", "2"};

static void test_product(void **state) {
  (void)state;
  enum { M = 256, N = 128, K = 448 };
  static float a[M * K], b[N * K], c[M * N];
  uint32_t random = 1;
  CUdeviceptr at[] = {draw(a, M * K, &random), draw(b, N * K, &random), 0};
  Map maps[] = {map_of(at[0], M, K, TILE), map_of(at[1], N, K, TILE)};
  int n = N, k = K;
  void *params[] = {&maps[0], &maps[1], &at[2], &n, &k};
  CUmodule module = kit_load("pipeline.ptx");
  const KitShape shape = {{N / TILE, M / TILE}, {384}, 4 * 2 * TILE * 128};
  for (int s = 0; s < 4; s++) {
    setenv("TILE_SIM_SCHEDULE", schedules[s], 1);
    at[2] = kit_upload(NULL, sizeof c);
    assert_int_equal(kit_run(module, "product", shape, params), 0);
    kit_download(c, at[2], sizeof c);
    for (int i = 0; i < M * N; i++) {
      float sum = 0;
      for (int j = 0; j < K; j++) sum += a[i / N * K + j] * b[i % N * K + j];
      assert_true(c[i] == sum);
    }
    assert_string_equal(kit_reports(), "");
  }
  cuMemFree_v2(at[0]);
  cuMemFree_v2(at[1]);
  cuModuleUnload(module);
}

enum { LENGTH = 256, WIDTH = 128 };

// A row of the result, in double.
static void attend_row(const float *q, const float *k, const float *v,
                       double scale, double *out) {
  double weights[LENGTH], top = -INFINITY, sum = 0;
  for (int i = 0; i < LENGTH; i++) {
    weights[i] = 0;
    for (int j = 0; j < WIDTH; j++)
      weights[i] += scale * q[j] * k[i * WIDTH + j];
    top = fmax(top, weights[i]);
  }
  for (int i = 0; i < LENGTH; i++) sum += weights[i] = exp2(weights[i] - top);
  for (int j = 0; j < WIDTH; j++) {
    out[j] = 0;
    for (int i = 0; i < LENGTH; i++)
      out[j] += weights[i] * v[i * WIDTH + j] / sum;
  }
}

static void check_attention(const float *q, const float *k, const float *v,
                            float scale, const uint16_t *out) {
  double want[WIDTH];
  for (int i = 0; i < LENGTH; i++) {
    attend_row(q + i * WIDTH, k, v, scale, want);
    for (int j = 0; j < WIDTH; j++)
      assert_true(fabs(value_of(out[i * WIDTH + j]) - want[j]) < 2e-3);
  }
}

static void test_attention(void **state) {
  (void)state;
  static float x[3][LENGTH * WIDTH];
  static uint16_t out[LENGTH * WIDTH];
  uint32_t random = 2;
  CUdeviceptr at[4] = {0};
  Map maps[3];
  for (int i = 0; i < 3; i++) {
    at[i] = draw(x[i], LENGTH * WIDTH, &random);
    maps[i] = map_of(at[i], LENGTH, WIDTH, i ? 64 : TILE);
  }
  int length = LENGTH;
  float scale = 0.25f;
  void *params[] = {&maps[0], &maps[1], &maps[2], &at[3], &length, &scale};
  CUmodule module = kit_load("pipeline.ptx");
  const KitShape shape = {{LENGTH / TILE}, {384}, (TILE + 2 * 128) * 2 * WIDTH};
  for (int s = 0; s < 4; s++) {
    setenv("TILE_SIM_SCHEDULE", schedules[s], 1);
    at[3] = kit_upload(NULL, sizeof out);
    assert_int_equal(kit_run(module, "attention", shape, params), 0);
    kit_download(out, at[3], sizeof out);
    check_attention(x[0], x[1], x[2], scale, out);
    assert_string_equal(kit_reports(), "");
  }
  for (int i = 0; i < 3; i++) cuMemFree_v2(at[i]);
  cuModuleUnload(module);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_product),
                                     cmocka_unit_test(test_attention)};
  setenv("TILE_SIM_CHIP", "sm_90", 1);
  return cmocka_run_group_tests(tests, kit_setup, kit_teardown);
}
