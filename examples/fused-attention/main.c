// fused-attention -- softmax(q @ k^T / sqrt(D)) @ v in fp16, against double.
#include "tile/tile.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { H = 8, N = 1024, D = 64, HEAD = N * D, SIZE = H * HEAD };
enum { BLOCK = 64, BLOCKS = N / BLOCK, Q = 0, K, V, OUT, LSE };
static float x[5][SIZE];
static TileDiagnostics *why;

static void must(TileStatus s) {
  if (s == TILE_OK) return;
  fprintf(stderr, "%s%s\n", tile_diagnostics_text(why), tile_status_text(s));
  exit(EXIT_FAILURE);
}

static float normal(void) { // by Box and Muller, rounded to fp16
  const double r = sqrt(-2 * log((rand() + 1.0) / (RAND_MAX + 1.0)));
  return rintf(256 * (float)(r * cos(6.2831853 * rand() / RAND_MAX))) / 256;
}

static double largest_error(bool causal) {
  double worst = 0;
  for (int i = 0, head = 0; i < SIZE; i += D, head = i / HEAD * HEAD) {
    double sum = 0, want[D] = {0};
    for (int j = head; j <= (causal ? i : head + HEAD - D); j += D) {
      double weight = 0; // scores are small enough for exp()
      for (int d = 0; d < D; d++) weight += (double)x[Q][i + d] * x[K][j + d];
      sum += weight = exp(weight / sqrt(D));
      for (int d = 0; d < D; d++) want[d] += weight * x[V][j + d];
    }
    for (int d = 0; d < D; d++) {
      const double error = fabs(x[OUT][i + d] - want[d] / sum);
      if (!(error <= worst || isnan(worst))) worst = error;
    }
  }
  return worst;
}

int main(void) {
  const TileContextOptions kept = {.size = sizeof kept, .cache_dir = ""};
  TileContext *context;
  TileDevice *device;
  TileProgram *program;
  TileBuffer *buffers[5];
  TileArg args[11];
  TileLaunch launch = {.grid = {BLOCKS, H}, .args = args, .num_args = 11};
  must(tile_context_create(&kept, &context));
  must(tile_device_open(context, NULL, &device, &why));
  must(tile_program_load(context, EXAMPLE_FILE, &program, &why));
  must(tile_program_kernel(program, "attention", &launch.kernel, &why));
  for (int b = 0; b < 5; b++) {
    for (int i = 0; i < SIZE; i++) x[b][i] = b < OUT ? normal() : NAN;
    must(tile_buffer_create(device, sizeof x[b], &buffers[b]));
    must(tile_buffer_write_floats(buffers[b], 0, TILE_FP16, x[b], SIZE));
    args[b] = tile_buffer_arg(buffers[b], b == LSE ? TILE_FP32 : TILE_FP16);
  }
  args[5] = tile_float_arg(1 / sqrt(D)), args[6] = tile_int_arg(N);
  args[7] = tile_int_arg(D), args[8] = args[9] = tile_int_arg(BLOCK);
  int wrong = 0;
  puts("shape              causal device        time          rate  max error");
  for (int causal = 0; causal < 2; causal++) {
    double s[5];
    args[10] = tile_bool_arg(causal);
    must(tile_launch_time(device, &launch, s, 5, &why));
    must(tile_buffer_read_floats(buffers[OUT], 0, TILE_FP16, x[OUT], SIZE));
    const double error = largest_error(causal), work = 4e-9 * SIZE * N;
    wrong += !(error <= 3e-3);
    printf("1 x %d x %d x %d %7s %6s %8.2f ms %5.0f GFLOP/s %10.1e %s\n", H, N,
           D, causal ? "yes" : "no", tile_device_name(device), 1e3 * s[2],
           work / (1 + causal) / s[2], error, error <= 3e-3 ? "ok" : "WRONG");
  }
  for (int b = 0; b < 5; b++) tile_buffer_destroy(buffers[b]);
  tile_program_destroy(program), tile_device_destroy(device);
  tile_context_destroy(context);
  return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
