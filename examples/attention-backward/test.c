// attention-backward -- forward, then dq, dk and dv, against exact gradients.
#include "attention.h"
#include "example.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { BLOCK = 64, DIM = 64 };
enum { Q, K, V, DO, OUT, LSE, DELTA, DQ, DK, DV, SUM, NUM_BUFFERS };

static TileDtype dtype_of(int which) {
  return which == LSE || which == DELTA || which == SUM ? TILE_FP32 : TILE_FP16;
}

static size_t take(TileArg *args, TileBuffer *const *buffers, const int *which,
                   size_t count, const AttentionShape *s) {
  for (size_t i = 0; i < count; i++) {
    args[i] = tile_buffer_arg(buffers[which[i]], dtype_of(which[i]));
  }
  args[count] = tile_float_arg(s->scale);
  args[count + 1] = tile_int_arg((int64_t)s->length);
  return count + 2;
}

enum { NUM_CONSTANTS = 4 };

static void constants_of(const AttentionShape *s, TileConstant *out) {
  const TileConstant all[NUM_CONSTANTS] = {
      {"HEAD_DIM", tile_int_arg(DIM)},
      {"BLOCK_M", tile_int_arg(BLOCK)},
      {"BLOCK_N", tile_int_arg(BLOCK)},
      {"CAUSAL", tile_bool_arg(s->causal)}};
  for (int i = 0; i < NUM_CONSTANTS; i++) out[i] = all[i];
}

static double step(Example *e, const char *kernel, const TileArg *args,
                   size_t num_args, const AttentionShape *s) {
  TileConstant constants[NUM_CONSTANTS];
  constants_of(s, constants);
  return example_launch(e, kernel, (s->length + BLOCK - 1) / BLOCK, s->heads,
                        args, num_args, constants, NUM_CONSTANTS);
}

static void once(Example *e, const char *kernel, const TileArg *args,
                 size_t num_args, const AttentionShape *s) {
  TileConstant constants[NUM_CONSTANTS];
  constants_of(s, constants);
  const uint32_t blocks = (uint32_t)((s->length + BLOCK - 1) / BLOCK);
  const TileLaunch launch = {.kernel = example_kernel(e, kernel),
                             .grid = {blocks, (uint32_t)s->heads},
                             .args = args,
                             .num_args = num_args,
                             .constants = constants,
                             .num_constants = NUM_CONSTANTS};
  example_check(e, tile_launch(e->device, &launch, &e->diagnostics));
}

static double run_seven(Example *e, TileBuffer *const *buffers,
                        const AttentionShape *s) {
  static const int all[] = {Q, K, V, DO, OUT, LSE, DELTA, DQ, DK, DV};
  TileArg args[NUM_BUFFERS + 2];
  const size_t count = take(args, buffers, all, sizeof all / sizeof *all, s);
  return step(e, "delta", args, count, s) + step(e, "dkdv", args, count, s) +
         step(e, "dq", args, count, s);
}

// The sums are cleared behind the timed launches, all of which add to them.
static double run_five(Example *e, TileBuffer *const *buffers,
                       const AttentionShape *s) {
  static const int all[] = {Q, K, V, DO, OUT, LSE, DELTA, SUM, DK, DV};
  static const int ends[] = {SUM, DQ};
  TileArg args[NUM_BUFFERS + 2], end[4];
  const size_t count = take(args, buffers, all, sizeof all / sizeof *all, s);
  double seconds = step(e, "delta", args, count, s);
  seconds += step(e, "gradients", args, count, s);
  seconds += step(e, "clear", end, take(end, buffers, ends, 1, s), s);
  once(e, "gradients", args, count, s);
  return seconds + step(e, "narrow", end, take(end, buffers, ends, 2, s), s);
}

// Forward, then the gradients with so many products; how long these took.
static double run(Example *e, TileBuffer *const *buffers,
                  const AttentionShape *s, int products) {
  static const int forward[] = {Q, K, V, OUT, LSE};
  TileArg args[NUM_BUFFERS + 2];
  step(e, "attention", args, take(args, buffers, forward, 5, s), s);
  return products == 5 ? run_five(e, buffers, s) : run_seven(e, buffers, s);
}

static void backward(Example *e, const AttentionShape *s, int products) {
  const size_t n = s->heads * s->length * s->dim;
  double *want = example_alloc(3 * n * sizeof *want);
  float *x[4];
  TileBuffer *buffers[NUM_BUFFERS];
  for (int i = 0; i < NUM_BUFFERS; i++) {
    if (i < 4) x[i] = example_normal(n, TILE_FP16, 20 + (unsigned)i);
    buffers[i] = example_buffer(e, dtype_of(i), i < 4 ? x[i] : NULL, n);
  }
  const double seconds = run(e, buffers, s, products);
  attention_gradients(s, x[Q], x[K], x[V], x[DO], want, want + n, want + 2 * n);
  ExampleRow row = {.unit = "GFLOP/s", .tolerance = 4e-3};
  for (size_t i = 0; i < 3; i++) {
    float *got = example_read(e, buffers[DQ + i], TILE_FP16, n);
    row.error = fmax(row.error, example_error(got, want + i * n, n));
    free(got);
  }
  char shape[64], name[64];
  snprintf(shape, sizeof shape, "1 x %zu x %zu x %d", s->heads, s->length, DIM);
  snprintf(name, sizeof name, "%s, %d products",
           s->causal ? "causal" : "gradients", products);
  row.name = name, row.shape = shape;
  row.seconds = seconds;
  row.work = 10.0 * (double)(n * s->length) / (s->causal ? 2 : 1);
  example_row(e, &row);
  for (int i = 0; i < NUM_BUFFERS; i++) tile_buffer_destroy(buffers[i]);
  free(want), free(x[0]), free(x[1]), free(x[2]), free(x[3]);
}

int main(int argc, char **argv) {
  Example e;
  example_open(&e, argc > 1 ? argv[1] : EXAMPLE_FILE);
  example_load(&e, FORWARD_FILE);
  for (int products = 5; products <= 7; products += 2) {
    backward(&e, &(AttentionShape){2, 512, DIM, 0.125, false}, products);
    backward(&e, &(AttentionShape){2, 512, DIM, 0.125, true}, products);
    backward(&e, &(AttentionShape){1, 193, DIM, 0.125, true}, products);
  }
  return example_close(&e);
}
