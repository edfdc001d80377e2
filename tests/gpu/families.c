// families.c -- the kernels of the examples as problems to measure.
//
// Configurations are tried in order and the fastest that the target takes is
// measured, as a tuner would.
#include "tests/gpu/bench.h"

#include <math.h>
#include <stdio.h>

#define COUNT(array) (int)(sizeof(array) / sizeof *(array))

static void add_buffer(Problem *p, TileDtype dtype, int64_t count, bool output,
                       bool zero) {
  p->buffers[p->num_buffers++] =
      (BufferSpec){dtype, (size_t)count, output, zero};
}

// A step whose first arguments are all buffers, in order.
static Step *add_step(Problem *p, const char *kernel, int64_t x, int64_t y) {
  Step *step = &p->steps[p->num_steps++];
  *step = (Step){.kernel = kernel, .grid = {(uint32_t)x, (uint32_t)y, 1}};
  for (int i = 0; i < p->num_buffers; i++) {
    step->buffers[step->num_buffers++] = i;
  }
  return step;
}

static void add_int(Step *step, int64_t value) {
  step->rest[step->num_rest++] = tile_int_arg(value);
}

static int64_t blocks(int64_t size, int64_t block) {
  return (size + block - 1) / block;
}

static int64_t power_of_two(int64_t at_least) {
  int64_t size = 1;
  while (size < at_least) size *= 2;
  return size;
}

// -- Elementwise and rows ----------------------------------------------------

static void pose_add(const Size *size, const Config *config, Problem *p) {
  const int64_t n = size->n[0];
  snprintf(p->name, sizeof p->name, "vector add fp32 %lld", (long long)n);
  p->work = 12.0 * (double)n;
  p->unit = "GB/s";
  for (int i = 0; i < 3; i++) add_buffer(p, TILE_FP32, n, i == 2, false);
  Step *step = add_step(p, "vector_add", blocks(n, config->block[0]), 1);
  add_int(step, n);
  add_int(step, config->block[0]);
}

static void pose_softmax(const Size *size, const Config *config, Problem *p) {
  const int64_t rows = size->n[0], columns = size->n[1];
  (void)config;
  snprintf(p->name, sizeof p->name, "softmax fp32 %lldx%lld", (long long)rows,
           (long long)columns);
  p->work = 8.0 * (double)(rows * columns);
  p->unit = "GB/s";
  for (int i = 0; i < 2; i++)
    add_buffer(p, TILE_FP32, rows * columns, i == 1, false);
  Step *step = add_step(p, "softmax", rows, 1);
  add_int(step, columns), add_int(step, columns);
  add_int(step, rows), add_int(step, columns);
  add_int(step, power_of_two(columns));
}

static void pose_layer_norm(const Size *size, const Config *config,
                            Problem *p) {
  const int64_t rows = size->n[0], columns = size->n[1];
  snprintf(p->name, sizeof p->name, "layer norm fp32 %lldx%lld",
           (long long)rows, (long long)columns);
  p->work = 8.0 * (double)(rows * columns);
  p->unit = "GB/s";
  for (int i = 0; i < 6; i++)
    add_buffer(p, TILE_FP32,
               i < 2   ? rows * columns
               : i < 4 ? columns
                       : rows,
               i == 1 || i > 3, false);
  Step *step = add_step(p, "layer_norm", rows, 1);
  add_int(step, columns), add_int(step, columns);
  step->rest[step->num_rest++] = tile_float_arg(1e-5);
  add_int(step, config->block[0]);
}

// -- Products ----------------------------------------------------------------

static void pose_matmul(const Size *size, const Config *config, Problem *p) {
  const int64_t m = size->n[0], n = size->n[1], k = size->n[2];
  snprintf(p->name, sizeof p->name, "matmul fp16 %lldx%lldx%lld", (long long)m,
           (long long)n, (long long)k);
  p->work = 2.0 * (double)m * (double)n * (double)k;
  p->unit = "TFLOP/s";
  add_buffer(p, TILE_FP16, m * k, false, false);
  add_buffer(p, TILE_FP16, k * n, false, false);
  add_buffer(p, TILE_FP16, m * n, true, false);
  Step *step =
      add_step(p, "matmul",
               blocks(m, config->block[0]) * blocks(n, config->block[1]), 1);
  add_int(step, m), add_int(step, n), add_int(step, k);
  add_int(step, k), add_int(step, n), add_int(step, n);
  for (int i = 0; i < 3; i++) add_int(step, config->block[i]);
}

static void name_attention(const Size *size, const char *what, double passes,
                           Problem *p) {
  const int64_t heads = size->n[0], length = size->n[1], dim = size->n[2];
  snprintf(p->name, sizeof p->name, "attention %s fp16 H=%lld S=%lld D=%lld%s",
           what, (long long)heads, (long long)length, (long long)dim,
           size->causal ? " causal" : "");
  p->work = passes * 4.0 * (double)heads * (double)length * (double)length *
            (double)dim / (size->causal ? 2 : 1);
  p->unit = "TFLOP/s";
}

static void add_attention_args(const Size *size, const Config *config,
                               Step *step) {
  step->rest[step->num_rest++] = tile_float_arg(1 / sqrt((double)size->n[2]));
  add_int(step, size->n[1]), add_int(step, size->n[2]);
  add_int(step, config->block[0]), add_int(step, config->block[1]);
  step->rest[step->num_rest++] = tile_bool_arg(size->causal);
}

static void pose_forward(const Size *size, const Config *config, Problem *p) {
  const int64_t rows = size->n[0] * size->n[1];
  name_attention(size, "forward", 1, p);
  for (int i = 0; i < 4; i++)
    add_buffer(p, TILE_FP16, rows * size->n[2], i == 3, false);
  add_buffer(p, TILE_FP32, rows, true, false);
  add_attention_args(size, config,
                     add_step(p, "attention",
                              blocks(size->n[1], config->block[0]),
                              size->n[0]));
}

// The three kernels of the gradients.  The forward pass does not run, so that
// output and log-sum-exp are invented: their values do not change the time.
static void pose_backward(const Size *size, const Config *config, Problem *p) {
  const int64_t rows = size->n[0] * size->n[1];
  name_attention(size, "backward", 2.5, p);
  for (int i = 0; i < 10; i++) {
    const bool per_row = i == 5 || i == 6;
    add_buffer(p, per_row ? TILE_FP32 : TILE_FP16,
               per_row ? rows : rows * size->n[2], i > 5, i == 5);
  }
  static const char *const kernels[] = {"delta", "dkdv", "dq"};
  for (int i = 0; i < 3; i++) {
    const int block = config->block[i == 1];
    add_attention_args(
        size, config,
        add_step(p, kernels[i], blocks(size->n[1], block), size->n[0]));
  }
}

// -- The table ---------------------------------------------------------------

static const Config add_configs[] = {{{1024}, 4, 0}, {{2048}, 8, 0}};
static const Config softmax_configs[] = {
    {{0}, 4, 0}, {{0}, 8, 0}, {{0}, 16, 0}};
static const Config norm_configs[] = {
    {{1024}, 4, 0}, {{2048}, 4, 0}, {{4096}, 8, 0}};
static const Config matmul_configs[] = {
    {{128, 256, 64}, 8, 3}, {{128, 128, 64}, 4, 4}, {{128, 128, 32}, 4, 4},
    {{128, 64, 32}, 4, 4},  {{64, 64, 32}, 4, 3},   {{32, 32, 32}, 4, 1}};
static const Config attention_configs[] = {
    {{128, 64}, 8, 3}, {{128, 128}, 8, 2}, {{128, 64}, 4, 3}, {{128, 32}, 4, 3},
    {{64, 64}, 4, 3},  {{64, 32}, 4, 2},   {{32, 32}, 4, 1}};

static const Size add_sizes[] = {{{1 << 26}, false}, {{1 << 20}, false}};
static const Size row_sizes[] = {
    {{16384, 1024}, false}, {{8192, 4096}, false}, {{4096, 16384}, false}};
static const Size matmul_sizes[] = {{{2048, 2048, 2048}, false},
                                    {{4096, 4096, 4096}, false},
                                    {{8192, 8192, 8192}, false}};
#define LENGTHS(dim, causal)                                                   \
  {{128, 1024, dim}, causal}, {{64, 2048, dim}, causal},                       \
      {{32, 4096, dim}, causal}, {{16, 8192, dim}, causal}, {                  \
    {8, 16384, dim}, causal                                                    \
  }
static const Size attention_sizes[] = {LENGTHS(64, false),  LENGTHS(128, false),
                                       LENGTHS(256, false), LENGTHS(64, true),
                                       LENGTHS(128, true),  LENGTHS(256, true)};

static const Size small_add[] = {{{3000}, false}};
static const Size small_rows[] = {{{3, 200}, false}};
static const Size small_matmul[] = {{{64, 64, 64}, false}};
static const Size small_attention[] = {{{2, 64, 64}, false},
                                       {{1, 128, 64}, true}};

#define FAMILY(name, configs, pose, sizes, small)                              \
  {                                                                            \
    name, configs, COUNT(configs), pose, sizes, small, COUNT(sizes),           \
        COUNT(small)                                                           \
  }
const Family families[] = {
    FAMILY("vector-add", add_configs, pose_add, add_sizes, small_add),
    FAMILY("softmax", softmax_configs, pose_softmax, row_sizes, small_rows),
    FAMILY("layer-norm", norm_configs, pose_layer_norm, row_sizes, small_rows),
    FAMILY("matmul", matmul_configs, pose_matmul, matmul_sizes, small_matmul),
    FAMILY("fused-attention", attention_configs, pose_forward, attention_sizes,
           small_attention),
    FAMILY("attention-backward", attention_configs, pose_backward,
           attention_sizes, small_attention),
};
const int num_families = COUNT(families);
