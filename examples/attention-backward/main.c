// attention-backward -- forward, then dq, dk and dv, against exact gradients.
#include "attention.h"
#include "example.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { BLOCK = 64, DIM = 64, Q = 0, K, V, DO, OUT, DQ, DK, DV, LSE, DELTA };

static const struct {
  const char *kernel, *rows; // `rows`: which constant is the row block
  size_t num_constants;
  int num_buffers, buffers[8];
} steps[] = {
    {"attention", "BLOCK_M", 4, 5, {Q, K, V, OUT, LSE}},
    {"attention_delta", "BLOCK", 2, 3, {OUT, DO, DELTA}},
    {"attention_dkdv", "BLOCK_M", 4, 8, {Q, K, V, DO, DK, DV, LSE, DELTA}},
    {"attention_dq", "BLOCK_M", 4, 7, {Q, K, V, DO, DQ, LSE, DELTA}},
};

static TileDtype dtype_of(int which) {
  return which >= LSE ? TILE_FP32 : TILE_FP16;
}

static double step(Example *e, int i, TileBuffer *const *buffers,
                   const AttentionShape *s) {
  TileArg args[10];
  size_t n = 0;
  for (int j = 0; j < steps[i].num_buffers; j++) {
    const int which = steps[i].buffers[j];
    args[n++] = tile_buffer_arg(buffers[which], dtype_of(which));
  }
  if (steps[i].num_constants == 4) args[n++] = tile_float_arg(s->scale);
  args[n++] = tile_int_arg((int64_t)s->length);
  const TileConstant constants[] = {{"HEAD_DIM", tile_int_arg(DIM)},
                                    {steps[i].rows, tile_int_arg(BLOCK)},
                                    {"BLOCK_N", tile_int_arg(BLOCK)},
                                    {"CAUSAL", tile_bool_arg(s->causal)}};
  return example_launch(e, steps[i].kernel, (s->length + BLOCK - 1) / BLOCK,
                        s->heads, args, n, constants, steps[i].num_constants);
}

static void backward(Example *e, const AttentionShape *s) {
  const size_t n = s->heads * s->length * s->dim;
  double *want = example_alloc(3 * n * sizeof *want), seconds[4];
  float *x[4];
  TileBuffer *buffers[10];
  for (int i = 0; i < 10; i++) {
    if (i < 4) x[i] = example_normal(n, TILE_FP16, 20 + (unsigned)i);
    buffers[i] = example_buffer(e, dtype_of(i), i < 4 ? x[i] : NULL, n);
  }
  for (int i = 0; i < 4; i++) seconds[i] = step(e, i, buffers, s);
  attention_gradients(s, x[Q], x[K], x[V], x[DO], want, want + n, want + 2 * n);
  ExampleRow row = {.unit = "GFLOP/s", .tolerance = 4e-3};
  for (size_t i = 0; i < 3; i++) {
    float *got = example_read(e, buffers[DQ + i], TILE_FP16, n);
    row.error = fmax(row.error, example_error(got, want + i * n, n));
    free(got);
  }
  char shape[64];
  snprintf(shape, sizeof shape, "1 x %zu x %zu x %d", s->heads, s->length, DIM);
  row.name = s->causal ? "gradients causal" : "gradients", row.shape = shape;
  row.seconds = seconds[1] + seconds[2] + seconds[3];
  row.work = 10.0 * (double)(n * s->length) / (s->causal ? 2 : 1);
  example_row(e, &row);
  for (int i = 0; i < 10; i++) tile_buffer_destroy(buffers[i]);
  free(want), free(x[0]), free(x[1]), free(x[2]), free(x[3]);
}

int main(int argc, char **argv) {
  Example e;
  example_open(&e, argc > 1 ? argv[1] : EXAMPLE_FILE);
  example_load(&e, FORWARD_FILE);
  backward(&e, &(AttentionShape){2, 512, DIM, 0.125, false});
  backward(&e, &(AttentionShape){2, 512, DIM, 0.125, true});
  backward(&e, &(AttentionShape){1, 193, DIM, 0.125, true});
  return example_close(&e);
}
