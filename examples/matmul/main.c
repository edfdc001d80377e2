// matmul -- c = a @ b in fp32, fp16 and bf16, against products in double.
#include "tile/tile.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { M = 500, N = 300, K = 700, BLOCK = 64, BLOCKS = 8 * 5, A = 0, B, C };

static float x[3][M * K]; // row-major; B and C are smaller
static TileDevice *device;
static TileDiagnostics *why;

static void must(TileStatus s) {
  if (s == TILE_OK) return;
  fprintf(stderr, "%s%s\n", tile_diagnostics_text(why), tile_status_text(s));
  exit(EXIT_FAILURE);
}

static double largest_error(void) {
  double worst = 0;
  for (int i = 0; i < M * N; i++) {
    double want = 0;
    for (int k = 0; k < K; k++)
      want += (double)x[A][i / N * K + k] * x[B][k * N + i % N];
    const double error = fabs(x[C][i] - want);
    if (!(error <= worst || isnan(worst))) worst = error;
  }
  return worst;
}

// Numbers are below 1: a product is below K, and rounds by half a unit there.
static bool matmul(TileKernel *kernel, TileDtype dtype, double unit) {
  TileBuffer *buffers[3];
  TileArg args[12];
  args[3] = tile_int_arg(M), args[4] = tile_int_arg(N);
  args[5] = args[6] = tile_int_arg(K), args[7] = args[8] = tile_int_arg(N);
  args[9] = args[10] = args[11] = tile_int_arg(BLOCK);
  for (int b = 0; b < 3; b++) {
    for (int i = 0; i < M * K; i++) // exact in every type
      x[b][i] = b == C ? NAN : (float)(rand() % 256) / 256;
    must(tile_buffer_create(device, sizeof x[b], &buffers[b]));
    must(tile_buffer_write_floats(buffers[b], 0, dtype, x[b], M * K));
    args[b] = tile_buffer_arg(buffers[b], dtype);
  }
  const TileLaunch launch = {
      .kernel = kernel, .grid = {BLOCKS}, .args = args, .num_args = 12};
  double seconds[5];
  must(tile_launch_time(device, &launch, seconds, 5, &why));
  must(tile_buffer_read_floats(buffers[C], 0, dtype, x[C], M * N));
  const double error = largest_error();
  const bool ok = error <= K * unit;
  printf("%s %d x %d x %d on %s: %.2f ms, %.0f GFLOP/s, max error %.1e, %s\n",
         tile_dtype_name(dtype), M, N, K, tile_device_name(device),
         1e3 * seconds[2], 2e-9 * M * N * K / seconds[2], error,
         ok ? "ok" : "WRONG");
  for (int b = 0; b < 3; b++) tile_buffer_destroy(buffers[b]);
  return ok;
}

int main(void) {
  const TileContextOptions kept = {.size = sizeof kept, .cache_dir = ""};
  TileContext *context;
  TileProgram *program;
  TileKernel *kernel;
  must(tile_context_create(&kept, &context));
  must(tile_device_open(context, NULL, &device, &why));
  must(tile_program_load(context, EXAMPLE_FILE, &program, &why));
  must(tile_program_kernel(program, "matmul", &kernel, &why));
  const bool ok = matmul(kernel, TILE_FP32, 0x1p-23) &
                  matmul(kernel, TILE_FP16, 0x1p-11) &
                  matmul(kernel, TILE_BF16, 0x1p-8);
  tile_program_destroy(program);
  tile_device_destroy(device);
  tile_context_destroy(context);
  return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
