// layer-norm -- rows to mean 0 and variance 1, then weight and bias.
#include "tile/tile.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 301, COLUMNS = 2048, N = ROWS * COLUMNS, IN = 0, OUT, W, B };

static float x[6][N]; // and mean and 1 / deviation of each row
static TileDevice *device;
static TileDiagnostics *why;

static void must(TileStatus s) {
  if (s == TILE_OK) return;
  fprintf(stderr, "%s%s\n", tile_diagnostics_text(why), tile_status_text(s));
  exit(EXIT_FAILURE);
}

static double largest_error(void) { // against the definition in double
  double worst = 0;
  for (int row = 0; row < N; row += COLUMNS) {
    const float *in = x[IN] + row, *out = x[OUT] + row;
    double mean = 0, var = 1e-5;
    for (int c = 0; c < COLUMNS; c++) mean += in[c] / (double)COLUMNS;
    for (int c = 0; c < COLUMNS; c++) var += pow(in[c] - mean, 2) / COLUMNS;
    for (int c = 0; c < COLUMNS; c++) {
      const double want = (in[c] - mean) / sqrt(var) * x[W][c] + x[B][c];
      const double error = fabs(out[c] - want);
      if (!(error <= worst || isnan(worst))) worst = error;
    }
  }
  return worst;
}

int main(void) {
  const TileContextOptions kept = {.size = sizeof kept, .cache_dir = ""};
  TileContext *context;
  TileProgram *program;
  TileKernel *kernel;
  must(tile_context_create(&kept, &context));
  must(tile_device_open(context, NULL, &device, &why));
  must(tile_program_load(context, EXAMPLE_FILE, &program, &why));
  must(tile_program_kernel(program, "layer_norm", &kernel, &why));

  TileBuffer *buffers[6];
  TileArg args[10];
  args[6] = args[7] = tile_int_arg(COLUMNS); // from row to row, and how many
  args[8] = tile_float_arg(1e-5), args[9] = tile_int_arg(1024); // eps, BLOCK
  for (int b = 0; b < 6; b++) {
    for (int i = 0; i < N; i++) x[b][i] = (float)rand() / (float)RAND_MAX;
    must(tile_buffer_create(device, sizeof x[b], &buffers[b]));
    must(tile_buffer_write(buffers[b], 0, x[b], sizeof x[b]));
    args[b] = tile_buffer_arg(buffers[b], TILE_FP32);
  }
  const TileLaunch launch = {
      .kernel = kernel, .grid = {ROWS}, .args = args, .num_args = 10};
  double seconds[5];
  must(tile_launch_time(device, &launch, seconds, 5, &why));

  must(tile_buffer_read(buffers[OUT], 0, x[OUT], sizeof x[OUT]));
  const double error = largest_error();
  printf("%d x %d on %s: %.2f ms, max error %.1e, %s\n", ROWS, COLUMNS,
         tile_device_name(device), 1e3 * seconds[2], error,
         error <= 5e-6 ? "ok" : "WRONG");
  for (int b = 0; b < 6; b++) tile_buffer_destroy(buffers[b]);
  tile_program_destroy(program);
  tile_device_destroy(device);
  tile_context_destroy(context);
  return error <= 5e-6 ? EXIT_SUCCESS : EXIT_FAILURE;
}
