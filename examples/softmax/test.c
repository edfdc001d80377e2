// softmax -- the softmax of each row of a matrix, by persistent programs.
#include "example.h"

#include <math.h>
#include <stdlib.h>

static void reference(const float *x, double *out, size_t columns) {
  double largest = x[0], sum = 0;
  for (size_t c = 1; c < columns; c++) largest = fmax(largest, x[c]);
  for (size_t c = 0; c < columns; c++) sum += out[c] = exp(x[c] - largest);
  for (size_t c = 0; c < columns; c++) out[c] /= sum;
}

static int64_t power_of_two(size_t at_least) {
  int64_t size = 1;
  while ((size_t)size < at_least) size *= 2;
  return size;
}

// The number of programs that the device holds; each takes many rows.
static size_t programs_at_once(Example *e, const TileLaunch *launch) {
  TileKernelInfo info = {.size = sizeof info};
  example_check(e, tile_kernel_info(e->device, launch, &info, &e->diagnostics));
  return (size_t)(tile_device_num_processors(e->device) *
                  info.programs_per_processor);
}

static void softmax(Example *e, size_t rows, size_t columns) {
  const size_t n = rows * columns;
  float *x = example_normal(n, TILE_FP32, 3);
  TileBuffer *x_dev = example_buffer(e, TILE_FP32, x, n);
  TileBuffer *out_dev = example_buffer(e, TILE_FP32, NULL, n);
  const TileArg args[] = {
      tile_buffer_arg(x_dev, TILE_FP32), tile_buffer_arg(out_dev, TILE_FP32),
      tile_int_arg((int64_t)columns),    tile_int_arg((int64_t)columns),
      tile_int_arg((int64_t)rows),       tile_int_arg((int64_t)columns)};
  const TileConstant constants[] = {
      {"BLOCK", tile_int_arg(power_of_two(columns))}};
  TileLaunch launch = {.kernel = example_kernel(e, "softmax"),
                       .grid = {1},
                       .args = args,
                       .num_args = 6,
                       .constants = constants,
                       .num_constants = 1,
                       .num_warps = 8};
  const size_t resident = programs_at_once(e, &launch);
  launch.grid[0] = (uint32_t)(rows < resident ? rows : resident);
  const double seconds = example_time(e, &launch);

  float *out = example_read(e, out_dev, TILE_FP32, n);
  double *want = example_alloc(n * sizeof *want);
  for (size_t r = 0; r < rows; r++) {
    reference(x + r * columns, want + r * columns, columns);
  }
  example_matrix_row(e, "softmax fp32", seconds, rows, columns,
                     example_error(out, want, n), 1e-6);
  free(x), free(out), free(want);
  tile_buffer_destroy(x_dev);
  tile_buffer_destroy(out_dev);
}

int main(int argc, char **argv) {
  Example e;
  example_open(&e, argc > 1 ? argv[1] : EXAMPLE_FILE);
  softmax(&e, 1823, 781);
  softmax(&e, 4096, 1024);
  softmax(&e, 128, 1);
  return example_close(&e);
}
