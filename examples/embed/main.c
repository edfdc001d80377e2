// embed -- a kernel in a C program, as a string: compile, launch, read back.
#include "tile/tile.h"

#include <stdio.h>
#include <stdlib.h>

// The build turned the text of saxpy.tile into a string literal.
static const char source[] =
#include "saxpy.tile.inc"
    ;

enum { N = 1000 };

static TileDiagnostics *diagnostics;

static void check(TileStatus status) {
  if (status == TILE_OK) return;
  if (diagnostics) fputs(tile_diagnostics_text(diagnostics), stderr);
  fprintf(stderr, "error: %s\n", tile_status_text(status));
  exit(EXIT_FAILURE);
}

int main(void) {
  TileContext *context = NULL;
  TileDevice *device = NULL;
  TileProgram *program = NULL;
  TileKernel *kernel = NULL;
  TileBuffer *x_dev = NULL, *y_dev = NULL;
  check(tile_context_create(NULL, &context));
  check(tile_device_open(context, NULL, &device, &diagnostics));
  check(tile_program_create(context,
                            &(TileSource){.file = "saxpy", .text = source},
                            &program, &diagnostics));
  check(tile_program_kernel(program, "saxpy", &kernel, &diagnostics));

  float x[N], y[N];
  for (int i = 0; i < N; i++) x[i] = (float)i, y[i] = 1;
  check(tile_buffer_create(device, sizeof x, &x_dev));
  check(tile_buffer_create(device, sizeof y, &y_dev));
  check(tile_buffer_write(x_dev, 0, x, sizeof x));
  check(tile_buffer_write(y_dev, 0, y, sizeof y));

  const TileArg args[] = {tile_buffer_arg(x_dev, TILE_FP32),
                          tile_buffer_arg(y_dev, TILE_FP32),
                          tile_float_arg(2.0), tile_int_arg(N)};
  check(tile_launch(device,
                    &(TileLaunch){.kernel = kernel,
                                  .grid = {(N + 255) / 256},
                                  .args = args,
                                  .num_args = 4},
                    &diagnostics));
  check(tile_device_sync(device, &diagnostics));
  check(tile_buffer_read(y_dev, 0, y, sizeof y));

  int wrong = 0;
  for (int i = 0; i < N; i++) wrong += y[i] != 2 * (float)i + 1;
  printf("y[999] = %g on %s, %d of %d elements wrong\n", (double)y[999],
         tile_device_name(device), wrong, N);
  tile_buffer_destroy(x_dev);
  tile_buffer_destroy(y_dev);
  tile_program_destroy(program);
  tile_device_destroy(device);
  tile_context_destroy(context);
  return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
