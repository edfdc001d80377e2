// row-normalize -- each row divided by its largest element.
#include "example.h"

#include <math.h>
#include <stdlib.h>

static void reference(const float *x, double *out, size_t columns) {
  double largest = x[0];
  for (size_t c = 1; c < columns; c++) largest = fmax(largest, x[c]);
  for (size_t c = 0; c < columns; c++) out[c] = x[c] / largest;
}

static void normalize(Example *e, size_t rows, size_t columns, int64_t block) {
  const size_t n = rows * columns;
  float *x = example_normal(n, TILE_FP32, 4);
  for (size_t i = 0; i < n; i++) x[i] = fabsf(x[i]) + 0.5f;
  TileBuffer *x_dev = example_buffer(e, TILE_FP32, x, n);
  TileBuffer *out_dev = example_buffer(e, TILE_FP32, NULL, n);
  const TileArg args[] = {
      tile_buffer_arg(x_dev, TILE_FP32), tile_buffer_arg(out_dev, TILE_FP32),
      tile_int_arg((int64_t)columns), tile_int_arg((int64_t)columns)};
  const TileConstant constants[] = {{"BLOCK", tile_int_arg(block)}};
  const double seconds =
      example_launch(e, "row_normalize", rows, 1, args, 4, constants, 1);

  float *out = example_read(e, out_dev, TILE_FP32, n);
  double *want = example_alloc(n * sizeof *want);
  for (size_t r = 0; r < rows; r++) {
    reference(x + r * columns, want + r * columns, columns);
  }
  example_matrix_row(e, "row_normalize fp32", seconds, rows, columns,
                     example_error(out, want, n), 2.4e-7);
  free(x), free(out), free(want);
  tile_buffer_destroy(x_dev);
  tile_buffer_destroy(out_dev);
}

int main(int argc, char **argv) {
  Example e;
  example_open(&e, argc > 1 ? argv[1] : EXAMPLE_FILE);
  normalize(&e, 1823, 781, 1024);
  normalize(&e, 4096, 1024, 1024);
  normalize(&e, 3, 17, 32);
  return example_close(&e);
}
