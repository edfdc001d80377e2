// vector-add -- out = x + y for a few lengths, round and not.
#include "example.h"

#include <stdio.h>
#include <stdlib.h>

enum { BLOCK = 1024 };

static void add(Example *e, size_t n) {
  float *x = example_normal(n, TILE_FP32, 1);
  float *y = example_normal(n, TILE_FP32, 2);
  TileBuffer *x_dev = example_buffer(e, TILE_FP32, x, n);
  TileBuffer *y_dev = example_buffer(e, TILE_FP32, y, n);
  TileBuffer *out_dev = example_buffer(e, TILE_FP32, NULL, n);
  const TileArg args[] = {
      tile_buffer_arg(x_dev, TILE_FP32), tile_buffer_arg(y_dev, TILE_FP32),
      tile_buffer_arg(out_dev, TILE_FP32), tile_int_arg((int64_t)n)};
  const TileConstant constants[] = {{"BLOCK", tile_int_arg(BLOCK)}};
  const double seconds = example_launch(
      e, "vector_add", ((n + BLOCK - 1) / BLOCK), 1, args, 4, constants, 1);

  float *out = example_read(e, out_dev, TILE_FP32, n);
  double *want = example_alloc(n * sizeof *want);
  for (size_t i = 0; i < n; i++) want[i] = x[i] + y[i];
  char shape[32];
  snprintf(shape, sizeof shape, "%zu", n);
  example_row(e, &(ExampleRow){.name = "vector_add fp32",
                               .shape = shape,
                               .unit = "GB/s",
                               .seconds = seconds,
                               .work = 12.0 * (double)n,
                               .error = example_error(out, want, n)});
  free(x), free(y), free(out), free(want);
  tile_buffer_destroy(x_dev);
  tile_buffer_destroy(y_dev);
  tile_buffer_destroy(out_dev);
}

int main(int argc, char **argv) {
  static const size_t lengths[] = {1, 1023, 98432, 1 << 24};
  Example e;
  example_open(&e, argc > 1 ? argv[1] : EXAMPLE_FILE);
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
    add(&e, lengths[i]);
  }
  return example_close(&e);
}
