// softmax -- the softmax of each row, by as many programs as the device holds
// at once.
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
    double sum = 0;
    for (int i = row; i < row + COLUMNS; i++) sum += exp(x[0][i]);
    for (int i = row; i < row + COLUMNS; i++) {
      const double error = fabs(x[1][i] * sum / exp(x[0][i]) - 1);
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
  must(tile_program_kernel(program, "softmax", &kernel, &why));

  TileArg args[7];
  args[2] = args[3] = tile_int_arg(COLUMNS); // from row to row, of both
  args[4] = tile_int_arg(ROWS), args[5] = tile_int_arg(COLUMNS);
  args[6] = tile_int_arg(1024); // BLOCK, a power of two that holds a row
  TileBuffer *buffers[2];
  for (int b = 0; b < 2; b++) {
    for (int i = 0; i < N; i++) x[b][i] = b ? NAN : (float)(rand() % 8);
    must(tile_buffer_create(device, sizeof x[b], &buffers[b]));
    must(tile_buffer_write(buffers[b], 0, x[b], sizeof x[b]));
    args[b] = tile_buffer_arg(buffers[b], TILE_FP32);
  }
  TileLaunch launch = {
      .kernel = kernel, .grid = {1}, .args = args, .num_args = 7};
  TileKernelInfo info = {.size = sizeof info};
  must(tile_kernel_info(device, &launch, &info, &why));
  const int programs =
      tile_device_num_processors(device) * info.programs_per_processor;
  launch.grid[0] = (uint32_t)(programs < ROWS ? programs : ROWS);
  double seconds[5];
  must(tile_launch_time(device, &launch, seconds, 5, &why));

  must(tile_buffer_read(buffers[1], 0, x[1], sizeof x[1]));
  const double error = largest_error();
  printf(
      "%d x %d by %u programs on %s: %.2f ms, %.1f GB/s, max error %.1e, %s\n",
      ROWS, COLUMNS, launch.grid[0], tile_device_name(device), 1e3 * seconds[2],
      1e-9 * sizeof x / seconds[2], error, error <= 1e-6 ? "ok" : "WRONG");
  for (int i = 0; i < 2; i++) tile_buffer_destroy(buffers[i]);
  tile_program_destroy(program);
  tile_device_destroy(device);
  tile_context_destroy(context);
  return error <= 1e-6 ? EXIT_SUCCESS : EXIT_FAILURE;
}
