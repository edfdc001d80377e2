// row-normalize -- each row divided by its largest element.
#include "tile/tile.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 1823, COLUMNS = 781, N = ROWS * COLUMNS };

static float x[2][N]; // in, out
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
    double top = 0;
    for (int i = row; i < row + COLUMNS; i++) top = fmax(top, x[0][i]);
    for (int i = row; i < row + COLUMNS; i++) {
      const double error = fabs(x[1][i] - x[0][i] / top);
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
  must(tile_program_kernel(program, "row_normalize", &kernel, &why));

  // From row to row, the size, and BLOCK, a power of two that holds a row.
  TileArg args[] = {
      [2] = tile_int_arg(COLUMNS), tile_int_arg(COLUMNS), tile_int_arg(1024)};
  TileBuffer *buffers[2];
  for (int b = 0; b < 2; b++) {
    for (int i = 0; i < N; i++) x[b][i] = b ? NAN : (float)(rand() % 997 + 1);
    must(tile_buffer_create(device, sizeof x[b], &buffers[b]));
    must(tile_buffer_write(buffers[b], 0, x[b], sizeof x[b]));
    args[b] = tile_buffer_arg(buffers[b], TILE_FP32);
  }
  const TileLaunch launch = {
      .kernel = kernel, .grid = {ROWS}, .args = args, .num_args = 5};
  double seconds[5];
  must(tile_launch_time(device, &launch, seconds, 5, &why));

  must(tile_buffer_read(buffers[1], 0, x[1], sizeof x[1]));
  const double error = largest_error();
  const bool ok = error <= 1.2e-7;
  printf("%d x %d on %s: %.2f ms, %.1f GB/s, max error %.1e, %s\n", ROWS,
         COLUMNS, tile_device_name(device), 1e3 * seconds[2],
         1e-9 * sizeof x / seconds[2], error, ok ? "ok" : "WRONG");
  for (int i = 0; i < 2; i++) tile_buffer_destroy(buffers[i]);
  tile_program_destroy(program);
  tile_device_destroy(device);
  tile_context_destroy(context);
  return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
