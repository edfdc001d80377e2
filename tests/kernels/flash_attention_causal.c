// flash_attention_causal -- autotuned, natural exp, fp32 operands of dot.
//
// 8 x 4 x 2048 x 128 is too much for a reference in double; a few rows of a few
// heads are compared, the last ones among them.
#include "kernel_test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { Z = 8, H = 4, LENGTH = 2048, DIM = 128, HEADS = Z * H };

static double row_error(float *const *x, const float *out, size_t head,
                        size_t row, double scale) {
  const size_t at = head * LENGTH * DIM;
  double all[DIM];
  // The last row of a causal head with row + 1 rows.
  const AttentionShape s = {1, row + 1, DIM, scale, true};
  attention_last_row(&s, x[0] + at, x[1] + at, x[2] + at, all);
  const double error = example_error(out + at + row * DIM, all, DIM);

  return error;
}

int main(void) {
  static const size_t rows[] = {0, 1, 63, 64, 127, 128, 1000, 2047};
  const size_t n = (size_t)HEADS * LENGTH * DIM;
  const double scale = 1 / sqrt(DIM);
  Example e;
  kernel_open(&e, "flash_attention_causal.py");
  float *x[3];
  Call call = {0};
  TileBuffer *buffers[5];
  for (int i = 0; i < 5; i++) { // Q, K, V, O, M
    if (i < 3) x[i] = example_normal(n, TILE_FP32, 50 + (unsigned)i);
    buffers[i] = example_buffer(&e, TILE_FP32, i < 3 ? x[i] : NULL,
                                i < 4 ? n : (size_t)HEADS * LENGTH);
    call_buffer(&call, buffers[i], TILE_FP32);
  }
  call_float(&call, scale);
  for (int i = 0; i < 4; i++) {
    call_ints(&call, (int64_t[]){H * LENGTH * DIM, LENGTH * DIM, DIM, 1}, 4);
  }
  call_ints(&call, (int64_t[]){H * LENGTH, LENGTH, 1, Z}, 4);
  call_constant(&call, "NUM_HEADS", H);
  call_constant(&call, "SEQ_LEN", LENGTH);
  call_constant(&call, "HEAD_DIM", DIM);
  call_launch(&e, &call, "_attn_fwd", LENGTH / 64, HEADS, 1);
  float *out = example_read(&e, buffers[3], TILE_FP32, n);
  double worst = 0;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    for (size_t head = 0; head < HEADS; head += 7) {
      worst = fmax(worst, row_error(x, out, head, rows[i], scale));
    }
  }
  kernel_report(&e, "_attn_fwd 8x4x2048x128, first configuration", worst, 1e-2);
  free(out), free(x[0]), free(x[1]), free(x[2]);
  for (int i = 0; i < 5; i++) tile_buffer_destroy(buffers[i]);
  return example_close(&e);
}
