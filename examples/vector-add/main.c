// vector-add -- out = x + y on the best device there is.
#include "tile/tile.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 1048573, BLOCK = 1024 };

static float x[3][N]; // x, y, out
static TileDevice *device;
static TileDiagnostics *why;

static void must(TileStatus s) {
  if (s == TILE_OK) return;
  fprintf(stderr, "%s%s\n", tile_diagnostics_text(why), tile_status_text(s));
  exit(EXIT_FAILURE);
}

int main(void) {
  const TileContextOptions kept = {.size = sizeof kept, .cache_dir = ""};
  TileContext *context;
  TileProgram *program;
  TileKernel *kernel;
  must(tile_context_create(&kept, &context));
  must(tile_device_open(context, NULL, &device, &why));
  must(tile_program_load(context, EXAMPLE_FILE, &program, &why));
  must(tile_program_kernel(program, "vector_add", &kernel, &why));

  TileBuffer *buffers[3];
  TileArg args[5] = {[3] = tile_int_arg(N), [4] = tile_int_arg(BLOCK)};
  for (int b = 0; b < 3; b++) {
    for (int i = 0; i < N; i++) x[b][i] = b < 2 ? (float)rand() : NAN;
    must(tile_buffer_create(device, sizeof x[b], &buffers[b]));
    must(tile_buffer_write(buffers[b], 0, x[b], sizeof x[b]));
    args[b] = tile_buffer_arg(buffers[b], TILE_FP32);
  }
  const TileLaunch launch = {.kernel = kernel,
                             .grid = {(N + BLOCK - 1) / BLOCK},
                             .args = args,
                             .num_args = 5};
  double seconds[5];
  must(tile_launch_time(device, &launch, seconds, 5, &why));

  must(tile_buffer_read(buffers[2], 0, x[2], sizeof x[2]));
  int wrong = 0;
  for (int i = 0; i < N; i++) wrong += x[2][i] != x[0][i] + x[1][i];
  printf("%d elements on %s: %.2f ms, %.1f GB/s, %d wrong, %s\n", N,
         tile_device_name(device), 1e3 * seconds[2],
         1e-9 * sizeof x / seconds[2], wrong, wrong ? "WRONG" : "ok");
  for (int i = 0; i < 3; i++) tile_buffer_destroy(buffers[i]);
  tile_program_destroy(program);
  tile_device_destroy(device);
  tile_context_destroy(context);
  return !wrong ? EXIT_SUCCESS : EXIT_FAILURE;
}
