// matmul -- c = a @ b in fp32, fp16 and bf16, blocks in grouped order.
#include "example.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { BLOCK_M = 64, BLOCK_N = 64, BLOCK_K = 32 };

static double *reference(const float *a, const float *b, size_t m, size_t n,
                         size_t k) {
  double *c = example_alloc(m * n * sizeof *c);
  for (size_t i = 0; i < m; i++) {
    for (size_t j = 0; j < n; j++) c[i * n + j] = 0;
    for (size_t p = 0; p < k; p++) {
      const double x = a[i * k + p];
      for (size_t j = 0; j < n; j++) c[i * n + j] += x * b[p * n + j];
    }
  }
  return c;
}

// The error that a sum of k products of normal values in fp32, rounded to
// `unit`, may have: 4 sqrt(k) 2^-24 sum(|a||b|), where the sum is about 2/pi k
// (Higham and Mary 2019), and half a unit.
static double bound(size_t k, double unit) {
  return 4 * sqrt((double)k) * 0x1p-24 * 0.64 * (double)k + unit / 2;
}

static void matmul(Example *e, TileDtype dtype, size_t m, size_t n, size_t k,
                   double unit) {
  float *a = example_normal(m * k, dtype, 8),
        *b = example_normal(k * n, dtype, 9);
  TileBuffer *a_dev = example_buffer(e, dtype, a, m * k);
  TileBuffer *b_dev = example_buffer(e, dtype, b, k * n);
  TileBuffer *c_dev = example_buffer(e, dtype, NULL, m * n);
  const TileArg args[] = {
      tile_buffer_arg(a_dev, dtype), tile_buffer_arg(b_dev, dtype),
      tile_buffer_arg(c_dev, dtype), tile_int_arg((int64_t)m),
      tile_int_arg((int64_t)n),      tile_int_arg((int64_t)k),
      tile_int_arg((int64_t)k),      tile_int_arg((int64_t)n),
      tile_int_arg((int64_t)n)};
  const TileConstant constants[] = {{"BLOCK_M", tile_int_arg(BLOCK_M)},
                                    {"BLOCK_N", tile_int_arg(BLOCK_N)},
                                    {"BLOCK_K", tile_int_arg(BLOCK_K)}};
  const size_t blocks =
      (m + BLOCK_M - 1) / BLOCK_M * ((n + BLOCK_N - 1) / BLOCK_N);
  const double seconds =
      example_launch(e, "matmul", blocks, 1, args, 9, constants, 3);

  float *c = example_read(e, c_dev, dtype, m * n);
  double *want = reference(a, b, m, n, k);
  char name[32], shape[48];
  snprintf(name, sizeof name, "matmul %s", tile_dtype_name(dtype));
  snprintf(shape, sizeof shape, "%zu x %zu x %zu", m, n, k);
  example_row(e, &(ExampleRow){.name = name,
                               .shape = shape,
                               .unit = "GFLOP/s",
                               .seconds = seconds,
                               .work = 2.0 * (double)(m * n * k),
                               .error = example_error(c, want, m * n),
                               .tolerance = bound(k, unit)});
  free(a), free(b), free(c), free(want);
  tile_buffer_destroy(a_dev);
  tile_buffer_destroy(b_dev);
  tile_buffer_destroy(c_dev);
}

int main(int argc, char **argv) {
  Example e;
  example_open(&e, argc > 1 ? argv[1] : EXAMPLE_FILE);
  matmul(&e, TILE_FP32, 512, 512, 512, 0x1p-23);
  matmul(&e, TILE_FP16, 512, 512, 512, 0x1p-10);
  matmul(&e, TILE_BF16, 257, 129, 67, 0x1p-7);
  return example_close(&e);
}
