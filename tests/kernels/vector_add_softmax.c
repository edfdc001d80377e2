// vector_add_softmax -- add_kernel and softmax_kernel at many sizes.
#include "kernel_test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void add(Example *e, size_t n) {
  float *x = example_normal(n, TILE_FP32, 1),
        *y = example_normal(n, TILE_FP32, 2);
  TileBuffer *buffers[] = {example_buffer(e, TILE_FP32, x, n),
                           example_buffer(e, TILE_FP32, y, n),
                           example_buffer(e, TILE_FP32, NULL, n)};
  Call call = {0};
  for (int i = 0; i < 3; i++) call_buffer(&call, buffers[i], TILE_FP32);
  call_int(&call, (int64_t)n);
  call_constant(&call, "BLOCK_SIZE", 1024);
  call_launch(e, &call, "add_kernel", (n + 1023) / 1024, 1, 1);
  float *out = example_read(e, buffers[2], TILE_FP32, n);
  double worst = 0;
  for (size_t i = 0; i < n; i++) {
    worst = fmax(worst, fabs((double)(x[i] + y[i]) - out[i]));
    if (out[i] != out[i]) worst = INFINITY;
  }
  char what[64];
  snprintf(what, sizeof what, "add_kernel, %zu elements", n);
  kernel_report(e, what, worst, 0);
  free(x), free(y), free(out);
  for (int i = 0; i < 3; i++) tile_buffer_destroy(buffers[i]);
}

static void reference(const float *x, double *out, size_t columns) {
  double largest = -INFINITY, sum = 0;
  for (size_t c = 0; c < columns; c++) largest = fmax(largest, x[c]);
  for (size_t c = 0; c < columns; c++) sum += out[c] = exp(x[c] - largest);
  for (size_t c = 0; c < columns; c++) out[c] /= sum;
}

static void softmax(Example *e, size_t rows, size_t columns, size_t programs) {
  const size_t n = rows * columns;
  float *x = example_normal(n, TILE_FP32, 3);
  TileBuffer *in = example_buffer(e, TILE_FP32, x, n);
  TileBuffer *out_dev = example_buffer(e, TILE_FP32, NULL, n);
  Call call = {0};
  call_buffer(&call, out_dev, TILE_FP32);
  call_buffer(&call, in, TILE_FP32);
  const int64_t c = (int64_t)columns;
  call_ints(&call, (int64_t[]){c, c, (int64_t)rows, c}, 4);
  int64_t block = 1;
  while (block < c) block *= 2;
  call_constant(&call, "BLOCK_SIZE", block);
  call_constant(&call, "num_stages", 2);
  call_launch(e, &call, "softmax_kernel", programs, 1, 1);
  float *out = example_read(e, out_dev, TILE_FP32, n);
  double *want = example_alloc(n * sizeof *want);
  for (size_t r = 0; r < rows; r++) {
    reference(x + r * columns, want + r * columns, columns);
  }
  char what[64];
  snprintf(what, sizeof what, "softmax_kernel, %zu x %zu", rows, columns);
  kernel_report(e, what, example_error(out, want, n), 1e-6);
  free(x), free(out), free(want);
  tile_buffer_destroy(in);
  tile_buffer_destroy(out_dev);
}

int main(void) {
  static const size_t lengths[] = {1,   15,  16,  17,   127,
                                   128, 129, 997, 1024, 98432};
  Example e;
  kernel_open(&e, "vector_add_softmax.py");
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
    add(&e, lengths[i]);
  }
  for (size_t i = 0; i < 8; i++) softmax(&e, 5, lengths[i], 2);
  softmax(&e, 1823, 781, 64);
  return example_close(&e);
}
