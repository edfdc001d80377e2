// attention-backward -- the gradients of attention in fp16, against double.
#include "tile/tile.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N_CTX = 512, D = 64, SIZE = N_CTX * D, BLOCK = 64 };
enum { Q, K, V, DOUT, OUT, LSE, DELTA, DQ, DK, DV, NUM_BUFFERS };
static float x[NUM_BUFFERS][SIZE];
static double want[NUM_BUFFERS][SIZE], gradients[3][SIZE], worst;
static TileDiagnostics *why;

static void must(TileStatus s) {
  if (s == TILE_OK) return;
  fprintf(stderr, "%s%s\n", tile_diagnostics_text(why), tile_status_text(s));
  exit(EXIT_FAILURE);
}

// Computes row i of the output and its log-sum-exp; adds its gradients.
static void attend(int i) {
  double p[N_CTX] = {0}, dp[N_CTX] = {0}, sum = 0, delta = 0;
  for (int at = 0; at < SIZE; at++) {
    p[at / D] += (double)x[Q][i * D + at % D] * x[K][at] / 8;
    dp[at / D] += (double)x[DOUT][i * D + at % D] * x[V][at];
  }
  for (int j = 0; j < N_CTX; j++) sum += p[j] = exp(p[j]);
  for (int j = 0; j < N_CTX; j++) delta += dp[j] * (p[j] /= sum);
  want[LSE][i] = log2(sum);
  for (int at = 0; at < SIZE; at++) {
    const int j = at / D, row = i * D + at % D;
    want[OUT][row] += p[j] * x[V][at];
    gradients[2][at] += p[j] * x[DOUT][row];
    gradients[1][at] += p[j] * (dp[j] - delta) * x[Q][row] / 8;
    gradients[0][row] += p[j] * (dp[j] - delta) * x[K][at] / 8;
  }
}

int main(void) {
  const TileContextOptions kept = {.size = sizeof kept, .cache_dir = ""};
  TileContext *context;
  TileDevice *device;
  TileProgram *program;
  TileBuffer *buffers[NUM_BUFFERS];
  TileArg args[NUM_BUFFERS + 6] = {[NUM_BUFFERS] = tile_float_arg(0.125)};
  args[11] = tile_int_arg(N_CTX), args[12] = tile_int_arg(D);
  args[13] = args[14] = tile_int_arg(BLOCK), args[15] = tile_bool_arg(false);
  must(tile_context_create(&kept, &context));
  must(tile_device_open(context, NULL, &device, &why));
  must(tile_program_load(context, EXAMPLE_FILE, &program, &why));
  for (int b = 0; b < NUM_BUFFERS; b++) {
    for (int i = 0; i < SIZE; i++)
      x[b][i] = b < OUT ? (float)(rand() % 1024) / 256 - 2 : (float)want[b][i];
    for (int i = 0; b == DOUT && i < N_CTX; i++) attend(i);
    const TileDtype type = b == LSE || b == DELTA ? TILE_FP32 : TILE_FP16;
    must(tile_buffer_create(device, sizeof x[b], &buffers[b]));
    must(tile_buffer_write_floats(buffers[b], 0, type, x[b], SIZE));
    args[b] = tile_buffer_arg(buffers[b], type);
  }
  static const char *const names[] = {"delta", "dkdv", "dq"};
  for (int i = 0; i < 3; i++) {
    TileLaunch launch = {.grid = {N_CTX / BLOCK}, .args = args, .num_args = 16};
    must(tile_program_kernel(program, names[i], &launch.kernel, &why));
    must(tile_launch(device, &launch, &why));
  }
  for (int b = DQ; b <= DV; b++) { // they were zeros
    must(tile_buffer_read_floats(buffers[b], 0, TILE_FP16, x[b], SIZE));
    for (int i = 0; i < SIZE; i++) {
      const double error = fabs(x[b][i] - gradients[b - DQ][i]);
      if (!(error <= worst || isnan(worst))) worst = error;
    }
  }
  printf("1 x 1 x %d x %d on %s: max error %.1e, %s\n", N_CTX, D,
         tile_device_name(device), worst, worst <= 4e-3 ? "ok" : "WRONG");
  for (int b = 0; b < NUM_BUFFERS; b++) tile_buffer_destroy(buffers[b]);
  tile_program_destroy(program), tile_device_destroy(device);
  tile_context_destroy(context);
  return worst <= 4e-3 ? EXIT_SUCCESS : EXIT_FAILURE;
}
