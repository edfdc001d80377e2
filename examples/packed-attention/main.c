// packed-attention -- attention of one head, from a kernel that was compiled
// together with the program: libtilert runs the kernel, and there is no
// compiler.
#include "kernels.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 64, D = 64, SIZE = N * D, Q = 0, K, V, OUT, LSE };
static float x[5][SIZE];
static TilertError why;

static void must(TileStatus s) {
  if (s == TILE_OK) return;
  fprintf(stderr, "%s\n", why.text);
  exit(EXIT_FAILURE);
}

static double largest_error(bool causal) {
  double worst = 0;
  for (int i = 0; i < N; i++) {
    double sum = 0, want[D] = {0};
    for (int j = 0; j < (causal ? i + 1 : N); j++) {
      double weight = 0;
      for (int d = 0; d < D; d++)
        weight += (double)x[Q][i * D + d] * x[K][j * D + d];
      sum += weight = exp(weight / sqrt(D));
      for (int d = 0; d < D; d++) want[d] += weight * x[V][j * D + d];
    }
    for (int d = 0; d < D; d++) {
      const double error = fabs(x[OUT][i * D + d] - want[d] / sum);
      if (!(error <= worst || isnan(worst))) worst = error;
    }
  }
  return worst;
}

int main(void) {
  TilertPack *pack;
  TilertDevice *device;
  TilertBuffer *buffers[5];
  float *a[5]; // addresses on the device
  must(kernels_open(&pack, &why));
  must(tilert_device_open(NULL, NULL, &device, &why));
  for (int b = 0; b < 5; b++) {
    for (int i = 0; i < SIZE; i++)
      x[b][i] = b < OUT ? (float)(rand() % 2001 - 1000) / 500 : NAN;
    must(tilert_buffer_create(device, sizeof x[b], &buffers[b], &why));
    must(tilert_buffer_write(buffers[b], 0, x[b], sizeof x[b], &why));
    a[b] = tilert_buffer_address(buffers[b]);
  }
  int wrong = 0;
  for (int causal = 0; causal < 2; causal++) {
    must(kernels_attention(device, pack, NULL, 1, 1, 1, a[Q], a[K], a[V],
                           a[OUT], a[LSE], 1 / sqrtf(D), N, causal, &why));
    must(tilert_buffer_read(buffers[OUT], 0, x[OUT], sizeof x[OUT], &why));
    const double error = largest_error(causal);
    wrong += !(error <= 5e-3);
    printf("1 x 1 x %d x %d causal %-3s on %s: error %.1e %s\n", N, D,
           causal ? "yes" : "no", tilert_device_target(device), error,
           error <= 5e-3 ? "ok" : "WRONG");
  }
  for (int b = 0; b < 5; b++) tilert_buffer_destroy(buffers[b]);
  tilert_device_close(device);
  tilert_pack_close(pack);
  return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
