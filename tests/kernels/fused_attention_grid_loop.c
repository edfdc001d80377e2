// fused_attention_grid_loop -- one program walks all batches and heads.
#include "kernel_test.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct {
  size_t z, h, length, dim, block_m, block_n;
  bool causal;
} Case;

static Call call_of(const Case *c, TileBuffer *const *buffers, double scale) {
  Call call = {0};
  for (int i = 0; i < 5; i++) { // Q, K, V, M, Out
    call_buffer(&call, buffers[i], i == 3 ? TILE_FP32 : TILE_FP16);
  }
  call_float(&call, scale);
  const int64_t dim = (int64_t)c->dim, head = dim * (int64_t)c->length;
  const int64_t strides[] = {head * (int64_t)c->h, head, dim, 1};
  // Constexpr parameters may stand among the arguments, in order.
  for (int i = 0; i < 4; i++) call_ints(&call, strides, 4);
  call_ints(&call,
            (int64_t[]){(int64_t)c->z, (int64_t)c->h, (int64_t)c->length, dim,
                        (int64_t)c->block_m, (int64_t)c->block_n,
                        c->causal ? 3 : 1},
            7);
  return call;
}

static void run(Example *e, const Case *c) {
  const AttentionShape s = {c->z * c->h, c->length, c->dim, 0.5, c->causal};
  const size_t n = s.heads * s.length * s.dim;
  float *x[3];
  TileBuffer *buffers[5];
  for (int i = 0; i < 5; i++) {
    if (i < 3) x[i] = example_normal(n, TILE_FP16, 40 + (unsigned)i);
    for (size_t j = 0; i < 3 && j < n; j++) x[i][j] *= 0.5f;
    buffers[i] = example_buffer(e, i == 3 ? TILE_FP32 : TILE_FP16,
                                i < 3 ? x[i] : NULL, n);
  }
  const Call call = call_of(c, buffers, s.scale);
  call_launch(e, &call, "_attn_fwd", c->length / c->block_m, 1, 1);
  float *got = example_read(e, buffers[4], TILE_FP16, n);
  double *want = example_alloc(n * sizeof *want);
  attention_reference(&s, x[0], x[1], x[2], want);
  char what[80];
  snprintf(what, sizeof what, "_attn_fwd (%zu,%zu,%zu,%zu,%zu,%zu)%s", c->z,
           c->h, c->length, c->dim, c->block_m, c->block_n,
           c->causal ? " causal" : "");
  kernel_report(e, what, example_error(got, want, n), 1e-2);
  free(got), free(want), free(x[0]), free(x[1]), free(x[2]);
  for (int i = 0; i < 5; i++) tile_buffer_destroy(buffers[i]);
}

int main(void) {
  static const Case cases[] = {
      {4, 32, 32, 64, 32, 32, false},   {4, 32, 64, 64, 32, 64, false},
      {1, 2, 128, 128, 32, 128, false}, {1, 1, 128, 128, 64, 128, false},
      {1, 1, 128, 128, 32, 128, false}, {2, 2, 128, 256, 32, 128, false},
      {1, 2, 256, 256, 32, 256, false}, {1, 2, 128, 64, 64, 32, true},
  };
  Example e;
  kernel_open(&e, "fused_attention_grid_loop.py");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) run(&e, &cases[i]);
  return example_close(&e);
}
