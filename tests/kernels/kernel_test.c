// kernel_test.c -- calling published kernels.
#include "kernel_test.h"

#include <stdio.h>
#include <stdlib.h>

void kernel_open(Example *e, const char *name) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", KERNELS_DIR, name);
  FILE *file = fopen(path, "r");
  if (!file) {
    printf("SKIP: ../shared/kernels/%s is not there\n", name);
    exit(77);
  }
  fclose(file);
  example_open(e, path);
}

void kernel_report(Example *e, const char *what, double error,
                   double tolerance) {
  const bool ok = error <= tolerance;
  e->failures += !ok;
  printf("%-50s max error %.2e of %.0e  %s\n", what, error, tolerance,
         ok ? "ok" : "WRONG");
  fflush(stdout);
}

void call_buffer(Call *call, TileBuffer *buffer, TileDtype dtype) {
  call->args[call->num_args++] = tile_buffer_arg(buffer, dtype);
}

void call_int(Call *call, int64_t value) {
  call->args[call->num_args++] = tile_int_arg(value);
}

void call_ints(Call *call, const int64_t *values, int count) {
  for (int i = 0; i < count; i++) call_int(call, values[i]);
}

void call_float(Call *call, double value) {
  call->args[call->num_args++] = tile_float_arg(value);
}

void call_constant(Call *call, const char *name, int64_t value) {
  call->constants[call->num_constants++] =
      (TileConstant){name, tile_int_arg(value)};
}

static TileLaunch launch_of(Example *e, const Call *call, const char *kernel) {
  return (TileLaunch){.kernel = example_kernel(e, kernel),
                      .config = call->config,
                      .grid = {1, 1, 1},
                      .args = call->args,
                      .num_args = call->num_args,
                      .constants = call->constants,
                      .num_constants = call->num_constants};
}

void call_launch(Example *e, const Call *call, const char *kernel, size_t x,
                 size_t y, size_t z) {
  TileLaunch launch = launch_of(e, call, kernel);
  launch.grid[0] = (uint32_t)x;
  launch.grid[1] = (uint32_t)y;
  launch.grid[2] = (uint32_t)z;
  example_check(e, tile_launch(e->device, &launch, &e->diagnostics));
  example_check(e, tile_device_sync(e->device, &e->diagnostics));
}

TileStatus call_try(Example *e, const Call *call, const char *kernel,
                    TileDiagnostics **diagnostics) {
  const TileLaunch launch = launch_of(e, call, kernel);
  return tile_kernel_prepare(e->device, &launch, diagnostics);
}
