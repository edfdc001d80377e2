// fused-attention -- softmax(q @ k^T * scale) @ v, causal and not.
#include "attention.h"
#include "example.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { BLOCK_M = 64, BLOCK_N = 64 };

typedef struct {
  TileDtype dtype;
  size_t heads, length, dim;
  bool causal;
  double tolerance;
} Case;

static void attend(Example *e, const Case *c) {
  const double scale = 1 / sqrt((double)c->dim);
  const size_t n = c->heads * c->length * c->dim;
  float *x[3]; // q, k, v
  TileBuffer *buffers[5];
  TileArg args[7];
  for (unsigned i = 0; i < 5; i++) {
    const TileDtype dtype = i == 4 ? TILE_FP32 : c->dtype; // q k v out lse
    if (i < 3) x[i] = example_normal(n, dtype, 10 + i);
    buffers[i] = example_buffer(e, dtype, i < 3 ? x[i] : NULL, n);
    args[i] = tile_buffer_arg(buffers[i], dtype);
  }
  args[5] = tile_float_arg(scale);
  args[6] = tile_int_arg((int64_t)c->length);
  const TileConstant constants[] = {{"HEAD_DIM", tile_int_arg((int64_t)c->dim)},
                                    {"BLOCK_M", tile_int_arg(BLOCK_M)},
                                    {"BLOCK_N", tile_int_arg(BLOCK_N)},
                                    {"CAUSAL", tile_bool_arg(c->causal)}};
  ExampleRow row = {.unit = "GFLOP/s", .tolerance = c->tolerance};
  row.seconds =
      example_launch(e, "attention", ((c->length + BLOCK_M - 1) / BLOCK_M),
                     c->heads, args, 7, constants, 4);
  row.work = 4.0 * (double)n * (double)c->length / (c->causal ? 2 : 1);

  float *out = example_read(e, buffers[3], c->dtype, n);
  double *want = example_alloc(n * sizeof *want);
  const AttentionShape shape = {c->heads, c->length, c->dim, scale, c->causal};
  attention_reference(&shape, x[0], x[1], x[2], want);
  row.error = example_error(out, want, n);
  char name[40], text[64];
  snprintf(name, sizeof name, "attention %s%s", tile_dtype_name(c->dtype),
           c->causal ? " causal" : "");
  snprintf(text, sizeof text, "1 x %zu x %zu x %zu", c->heads, c->length,
           c->dim);
  row.name = name, row.shape = text;
  example_row(e, &row);
  free(out), free(want), free(x[0]), free(x[1]), free(x[2]);
  for (int i = 0; i < 5; i++) tile_buffer_destroy(buffers[i]);
}

int main(int argc, char **argv) {
  static const Case cases[] = {{TILE_FP16, 8, 1024, 64, false, 1e-3},
                               {TILE_FP16, 8, 1024, 64, true, 2e-3},
                               {TILE_BF16, 2, 257, 128, true, 1.6e-2},
                               {TILE_FP16, 1, 128, 16, false, 2e-3},
                               {TILE_FP16, 1, 200, 256, true, 2e-3}};
  Example e;
  example_open(&e, argc > 1 ? argv[1] : EXAMPLE_FILE);
  for (int i = 0; i < 5; i++) attend(&e, &cases[i]);
  return example_close(&e);
}
