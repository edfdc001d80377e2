// flash_attention_causal -- autotuned, natural exp, fp32 operands of dot.
//
// 8 x 4 x 2048 x 128 is too much for a reference in double; a few rows of a few
// heads are compared, the last ones among them.  With the argument `small` only
// 1 x 2 x 256 x 128 are computed, as the simulator can, by each configuration.
#include "kernel_test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIM = 128, NUM_BUFFERS = 5 }; // Q, K, V, O, M

typedef struct {
  size_t z, h, length;
  int config;
} Size;

static double row_error(float *const *x, const float *out, size_t at,
                        size_t row) {
  double all[DIM];
  // The last row of a causal head with row + 1 rows.
  const AttentionShape s = {1, row + 1, DIM, 1 / sqrt(DIM), true};
  attention_last_row(&s, x[0] + at, x[1] + at, x[2] + at, all);
  return example_error(out + at + row * DIM, all, DIM);
}

static double worst_error(const Size *s, float *const *x, const float *out) {
  static const size_t rows[] = {0, 1, 63, 64, 127, 128, 1000, SIZE_MAX};
  double worst = 0;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const size_t row = rows[i] < s->length ? rows[i] : s->length - 1;
    for (size_t head = 0; head<s->z * s->h; head += s->z> 1 ? 7 : 1)
      worst = fmax(worst, row_error(x, out, head * s->length * DIM, row));
  }
  return worst;
}

static Call call_of(const Size *s, TileBuffer *const *buffers) {
  const int64_t head = (int64_t)s->length * DIM, h = (int64_t)s->h;
  Call call = {.config = s->config};
  for (int i = 0; i < NUM_BUFFERS; i++)
    call_buffer(&call, buffers[i], TILE_FP32);
  call_float(&call, 1 / sqrt(DIM));
  for (int i = 0; i < 4; i++)
    call_ints(&call, (int64_t[]){h * head, head, DIM, 1}, 4);
  const int64_t length = (int64_t)s->length;
  call_ints(&call, (int64_t[]){h * length, length, 1, (int64_t)s->z}, 4);
  call_constant(&call, "NUM_HEADS", h);
  call_constant(&call, "SEQ_LEN", length);
  call_constant(&call, "HEAD_DIM", DIM);
  return call;
}

static void run(Example *e, const Size *s) {
  const size_t heads = s->z * s->h, n = heads * s->length * DIM;
  float *x[3];
  TileBuffer *buffers[NUM_BUFFERS];
  for (int i = 0; i < NUM_BUFFERS; i++) {
    if (i < 3) x[i] = example_normal(n, TILE_FP32, 50 + (unsigned)i);
    buffers[i] = example_buffer(e, TILE_FP32, i < 3 ? x[i] : NULL,
                                i < 4 ? n : heads * s->length);
  }
  const Call call = call_of(s, buffers);
  const size_t rows = s->config ? 128 : 64;
  call_launch(e, &call, "_attn_fwd", s->length / rows, heads, 1);
  float *out = example_read(e, buffers[3], TILE_FP32, n);
  char what[80];
  snprintf(what, sizeof what, "_attn_fwd %zux%zux%zux%d, configuration %d",
           s->z, s->h, s->length, DIM, s->config);
  kernel_report(e, what, worst_error(s, x, out), 1e-2);
  free(out), free(x[0]), free(x[1]), free(x[2]);
  for (int i = 0; i < NUM_BUFFERS; i++) tile_buffer_destroy(buffers[i]);
}

int main(int argc, char **argv) {
  static const Size sizes[] = {{1, 2, 256, 0}, {1, 2, 256, 1}, {8, 4, 2048, 0}};
  const bool small = argc > 1 && !strcmp(argv[1], "small");
  Example e;
  kernel_open(&e, "flash_attention_causal.py");
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes - small; i++)
    run(&e, &sizes[i]);
  return example_close(&e);
}
