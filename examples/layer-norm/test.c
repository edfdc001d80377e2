// layer-norm -- rows to mean 0 and variance 1, then weight and bias.
#include "example.h"

#include <math.h>
#include <stdlib.h>

static const double eps = 1e-5;

static void reference(const float *x, const float *weight, const float *bias,
                      double *out, size_t columns) {
  double sum = 0, squares = 0;
  for (size_t c = 0; c < columns; c++) sum += x[c];
  const double mean = sum / (double)columns;
  for (size_t c = 0; c < columns; c++) squares += pow(x[c] - mean, 2);
  const double rstd = 1 / sqrt(squares / (double)columns + eps);
  for (size_t c = 0; c < columns; c++) {
    out[c] = (x[c] - mean) * rstd * weight[c] + bias[c];
  }
}

static void layer_norm(Example *e, size_t rows, size_t columns) {
  const size_t n = rows * columns;
  const TileDtype f32 = TILE_FP32;
  float *x = example_normal(n, f32, 5), *w = example_normal(columns, f32, 6);
  float *b = example_normal(columns, f32, 7);
  TileBuffer *buffers[] = {
      example_buffer(e, f32, x, n),       example_buffer(e, f32, NULL, n),
      example_buffer(e, f32, w, columns), example_buffer(e, f32, b, columns),
      example_buffer(e, f32, NULL, rows), example_buffer(e, f32, NULL, rows)};
  TileArg args[9];
  for (int i = 0; i < 6; i++) args[i] = tile_buffer_arg(buffers[i], f32);
  args[6] = args[7] = tile_int_arg((int64_t)columns);
  args[8] = tile_float_arg(eps);
  const TileConstant constants[] = {{"BLOCK", tile_int_arg(1024)}};
  const double seconds =
      example_launch(e, "layer_norm", rows, 1, args, 9, constants, 1);

  float *out = example_read(e, buffers[1], f32, n);
  double *want = example_alloc(n * sizeof *want);
  for (size_t r = 0; r < rows; r++) {
    reference(x + r * columns, w, b, want + r * columns, columns);
  }
  example_matrix_row(e, "layer_norm fp32", seconds, rows, columns,
                     example_error(out, want, n), 5e-6);
  free(x), free(w), free(b), free(out), free(want);
  for (int i = 0; i < 6; i++) tile_buffer_destroy(buffers[i]);
}

int main(int argc, char **argv) {
  Example e;
  example_open(&e, argc > 1 ? argv[1] : EXAMPLE_FILE);
  layer_norm(&e, 1151, 8192);
  layer_norm(&e, 512, 781);
  return example_close(&e);
}
