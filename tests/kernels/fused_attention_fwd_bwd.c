// fused_attention_fwd_bwd -- block-pointer forward, pointer-tile backward.
#include "kernel_test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
  AttentionShape shape; // heads = Z * H
  size_t z;
  int64_t block_m, block_n;
} Forward;

typedef struct {
  Example *e;
  size_t n; // elements of q
  float *x[4];
  TileBuffer *q, *k, *v, *d_out, *out, *m;
} Tensors;

static Tensors make(Example *e, const AttentionShape *s) {
  Tensors t = {.e = e, .n = s->heads * s->length * s->dim};
  for (unsigned i = 0; i < 4; i++) {
    t.x[i] = example_normal(t.n, TILE_FP16, 30 + i);
    for (size_t j = 0; j < t.n; j++) t.x[i][j] *= 0.5f;
  }
  t.q = example_buffer(e, TILE_FP16, t.x[0], t.n);
  t.k = example_buffer(e, TILE_FP16, t.x[1], t.n);
  t.v = example_buffer(e, TILE_FP16, t.x[2], t.n);
  t.d_out = example_buffer(e, TILE_FP16, t.x[3], t.n);
  t.out = example_buffer(e, TILE_FP16, NULL, t.n);
  t.m = example_buffer(e, TILE_FP32, NULL, s->heads * s->length);
  return t;
}

static void release(Tensors *t) {
  for (int i = 0; i < 4; i++) free(t->x[i]);
  TileBuffer *const all[] = {t->q, t->k, t->v, t->d_out, t->out, t->m};
  for (int i = 0; i < 6; i++) tile_buffer_destroy(all[i]);
}

static void launch_forward(const Tensors *t, const Forward *f) {
  const int64_t dim = (int64_t)f->shape.dim, length = (int64_t)f->shape.length;
  const int64_t h = (int64_t)(f->shape.heads / f->z);
  Call call = {0};
  call_buffer(&call, t->q, TILE_FP16);
  call_buffer(&call, t->k, TILE_FP16);
  call_buffer(&call, t->v, TILE_FP16);
  call_float(&call, f->shape.scale);
  call_buffer(&call, t->m, TILE_FP32);
  call_buffer(&call, t->out, TILE_FP16);
  for (int i = 0; i < 4; i++) {
    call_ints(&call, (int64_t[]){h * length * dim, length * dim, dim, 1}, 4);
  }
  call_ints(&call, (int64_t[]){(int64_t)f->z, h, length}, 3);
  call_constant(&call, "HEAD_DIM", dim);
  call_constant(&call, "BLOCK_M", f->block_m);
  call_constant(&call, "BLOCK_N", f->block_n);
  call_constant(&call, "STAGE", f->shape.causal ? 3 : 1);
  call_launch(t->e, &call, "_attn_fwd", f->shape.length / (size_t)f->block_m,
              f->shape.heads, 1);
}

static void forward(Example *e, const Forward *f) {
  Tensors t = make(e, &f->shape);
  launch_forward(&t, f);
  float *got = example_read(e, t.out, TILE_FP16, t.n);
  double *want = example_alloc(t.n * sizeof *want);
  attention_reference(&f->shape, t.x[0], t.x[1], t.x[2], want);
  char what[80];
  snprintf(what, sizeof what, "_attn_fwd %zux%zux%zux%zu blocks %dx%d%s", f->z,
           f->shape.heads / f->z, f->shape.length, f->shape.dim,
           (int)f->block_m, (int)f->block_n, f->shape.causal ? " causal" : "");
  kernel_report(e, what, example_error(got, want, t.n), 1e-2);
  free(got), free(want);
  release(&t);
}

static void launch_backward(const Tensors *t, const AttentionShape *s,
                            TileBuffer *k_scaled, TileBuffer *delta,
                            TileBuffer *const *grads) {
  const int64_t dim = (int64_t)s->dim, length = (int64_t)s->length;
  const int64_t h = (int64_t)s->heads;
  Call call = {0};
  call_buffer(&call, t->q, TILE_FP16);
  call_buffer(&call, k_scaled, TILE_FP16);
  call_buffer(&call, t->v, TILE_FP16);
  call_float(&call, s->scale);
  call_buffer(&call, t->d_out, TILE_FP16);
  for (int i = 0; i < 3; i++) call_buffer(&call, grads[i], TILE_FP16);
  call_buffer(&call, t->m, TILE_FP32);
  call_buffer(&call, delta, TILE_FP32);
  call_ints(&call,
            (int64_t[]){h * length * dim, length * dim, dim, 1, h, length}, 6);
  call_constant(&call, "BLOCK_M1", 32);
  call_constant(&call, "BLOCK_N1", 128);
  call_constant(&call, "BLOCK_M2", 128);
  call_constant(&call, "BLOCK_N2", 32);
  call_constant(&call, "BLK_SLICE_FACTOR", 2);
  call_constant(&call, "HEAD_DIM", dim);
  call_launch(t->e, &call, "_attn_bwd", s->length / 128, 1, s->heads);
}

static TileBuffer *launch_delta(const Tensors *t, const AttentionShape *s) {
  TileBuffer *delta =
      example_buffer(t->e, TILE_FP32, NULL, s->heads * s->length);
  Call call = {0};
  call_buffer(&call, t->out, TILE_FP16);
  call_buffer(&call, t->d_out, TILE_FP16);
  call_buffer(&call, delta, TILE_FP32);
  call_ints(&call, (int64_t[]){1, (int64_t)s->heads, (int64_t)s->length}, 3);
  call_constant(&call, "BLOCK_M", 128);
  call_constant(&call, "HEAD_DIM", (int64_t)s->dim);
  call_launch(t->e, &call, "_attn_bwd_preprocess", s->length / 128, s->heads,
              1);
  return delta;
}

static void backward(Example *e, const AttentionShape *s) {
  Tensors t = make(e, s);
  launch_forward(&t, &(Forward){*s, 1, 64, 16});
  TileBuffer *delta = launch_delta(&t, s);
  float *scaled = example_alloc(t.n * sizeof *scaled);
  for (size_t i = 0; i < t.n; i++) {
    scaled[i] = t.x[1][i] * (float)(s->scale * 1.4426950408889634);
  }
  TileBuffer *k_scaled = example_buffer(e, TILE_FP16, scaled, t.n);
  TileBuffer *grads[3];
  for (int i = 0; i < 3; i++) {
    grads[i] = example_buffer(e, TILE_FP16, NULL, t.n);
  }
  launch_backward(&t, s, k_scaled, delta, grads);
  double *want = example_alloc(3 * t.n * sizeof *want);
  attention_gradients(s, t.x[0], t.x[1], t.x[2], t.x[3], want, want + t.n,
                      want + 2 * t.n);
  for (size_t i = 0; i < 3; i++) {
    float *got = example_read(e, grads[i], TILE_FP16, t.n);
    char what[64];
    snprintf(what, sizeof what, "_attn_bwd d%c %zux%zux%zu", "qkv"[i],
             s -> heads, s -> length, s -> dim);
    kernel_report(e, what, example_error(got, want + i * t.n, t.n), 1e-2);
    free(got);
    tile_buffer_destroy(grads[i]);
  }
  free(scaled), free(want);
  tile_buffer_destroy(k_scaled);
  tile_buffer_destroy(delta);
  release(&t);
}

int main(void) {
  static const Forward cases[] = {
      {{4, 128, 64, 0.5, true}, 2, 64, 32},
      {{4, 128, 64, 0.5, false}, 2, 64, 32},
      {{1, 1024, 64, 0.125, true}, 1, 128, 64},
      {{1, 256, 16, 0.25, true}, 1, 64, 16},
      {{1, 256, 32, 0.2, false}, 1, 128, 32},
      {{1, 256, 128, 0.1, true}, 1, 128, 64},
      {{1, 128, 256, 0.0625, false}, 1, 64, 64},
  };
  Example e;
  kernel_open(&e, "fused_attention_fwd_bwd.py");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    forward(&e, &cases[i]);
  }
  backward(&e, &(AttentionShape){2, 256, 64, 0.5, true});
  backward(&e, &(AttentionShape){1, 128, 128, 0.1, true});
  return example_close(&e);
}
