// pack_start -- attention, 1 x 1 x 64 x 64, once: from a pack, or with PEER in
// C by the compiler of the build.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 64, D = 64, SIZE = N * D, Q = 0, K, V, OUT, LSE };
static _Alignas(64) float x[5][SIZE];

#ifdef PEER
static void attention(void) {
  for (int i = 0; i < N; i++) {
    float weights[N], most = -INFINITY, sum = 0;
    for (int j = 0; j < N; j++) {
      weights[j] = 0;
      for (int d = 0; d < D; d++)
        weights[j] += x[Q][i * D + d] * x[K][j * D + d];
      weights[j] *= 0.125f;
      most = fmaxf(most, weights[j]);
    }
    for (int j = 0; j < N; j++) sum += weights[j] = expf(weights[j] - most);
    for (int j = 0; j < N; j++)
      for (int d = 0; d < D; d++)
        x[OUT][i * D + d] += weights[j] / sum * x[V][j * D + d];
  }
}
#else
#include "bench.h"

static void attention(void) {
  TilertPack *pack;
  TilertDevice *device;
  static TilertError why;
  TileStatus status = bench_open(&pack, &why);
  if (!status) status = tilert_device_open("cpu", NULL, &device, &why);
  if (!status)
    status = bench_attention(device, pack, NULL, 1, 1, 1, x[Q], x[K], x[V],
                             x[OUT], x[LSE], 0.125f, N, false, &why);
  if (status) {
    fprintf(stderr, "%s\n", why.text);
    exit(EXIT_FAILURE);
  }
  tilert_device_close(device);
  tilert_pack_close(pack);
}
#endif

int main(void) {
  double sum = 0;
  for (int b = 0; b < OUT; b++)
    for (int i = 0; i < SIZE; i++)
      x[b][i] = (float)((i * 37 + b * 11) % 101 - 50) / 50;
  attention();
  for (int i = 0; i < SIZE; i++) sum += fabsf(x[OUT][i]);
  printf("%.3f\n", sum);
  return EXIT_SUCCESS;
}
