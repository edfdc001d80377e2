// bench_host -- the CPU device against plain C and OpenBLAS, interleaved.
//
// bench_host THREADS: one JSON object a line, {"name", "ours", "peer", "ratio",
// "spread", ...}; times in seconds, ratio = peer / ours, so that more is
// better.
#include "example.h"
#include "peers.h"

#include <cblas.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

void openblas_set_num_threads(int threads);

enum { MAX_REPEATS = 51 };

typedef struct Bench Bench;
struct Bench {
  const char *name, *peer_name;
  Example *e;
  TileLaunch launch;
  void (*peer)(const Bench *b);
  double work; // floating-point operations, or bytes with unit GB/s
  const char *unit;
  int repeats, threads;
  const float *x, *y, *z;
  float *out;
  size_t m, n, k;
};

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double time_ours(const Bench *b) {
  const double start = now();
  example_check(b->e,
                tile_launch(b->e->device, &b->launch, &b->e->diagnostics));
  example_check(b->e, tile_device_sync(b->e->device, &b->e->diagnostics));
  return now() - start;
}

static double time_peer(const Bench *b) {
  const double start = now();
  b->peer(b);
  return now() - start;
}

static int by_value(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// Both sides in turn; medians of the times and the quartiles of the ratio.
static void run(const Bench *b) {
  double ours[MAX_REPEATS], peer[MAX_REPEATS], ratio[MAX_REPEATS];
  const size_t n = (size_t)b->repeats;
  time_ours(b), time_peer(b);
  for (size_t i = 0; i < n; i++) {
    ours[i] = time_ours(b);
    peer[i] = time_peer(b);
    ratio[i] = peer[i] / ours[i];
  }
  qsort(ours, n, sizeof *ours, by_value);
  qsort(peer, n, sizeof *peer, by_value);
  qsort(ratio, n, sizeof *ratio, by_value);
  printf("{\"name\": \"%s\", \"peer_name\": \"%s\", \"ours\": %.6g, "
         "\"peer\": %.6g, \"ratio\": %.3f, \"ratio_quartiles\": [%.3f, %.3f], "
         "\"rate\": %.4g, \"unit\": \"%s\", \"repeats\": %d}\n",
         b->name, b->peer_name, ours[n / 2], peer[n / 2], ratio[n / 2],
         ratio[n / 4], ratio[3 * n / 4], 1e-9 * b->work / ours[n / 2], b->unit,
         b->repeats);
  fflush(stdout);
}

static const float *address(const TileBuffer *buffer) {
  return tile_buffer_address(buffer);
}

static void peer_add(const Bench *b) {
  peer_vector_add(b->x, b->y, b->out, b->n, b->threads);
}

static void bench_vector_add(Example *e, int threads) {
  const size_t n = (size_t)1 << 26;
  float *x = example_normal(n, TILE_FP32, 1);
  TileBuffer *buffers[] = {example_buffer(e, TILE_FP32, x, n),
                           example_buffer(e, TILE_FP32, x, n),
                           example_buffer(e, TILE_FP32, NULL, n)};
  TileArg args[4];
  for (int i = 0; i < 3; i++) args[i] = tile_buffer_arg(buffers[i], TILE_FP32);
  args[3] = tile_int_arg((int64_t)n);
  run(&(Bench){.name = "vector_add 2^26 fp32",
               .peer_name = "C loop -O3",
               .e = e,
               .launch = {.kernel = example_kernel(e, "vector_add"),
                          .grid = {(uint32_t)(n / 1024)},
                          .args = args,
                          .num_args = 4},
               .peer = peer_add,
               .work = 12.0 * (double)n,
               .unit = "GB/s",
               .repeats = 15,
               .threads = threads,
               .x = address(buffers[0]),
               .y = address(buffers[1]),
               .out = tile_buffer_address(buffers[2]),
               .n = n});
  free(x);
  for (int i = 0; i < 3; i++) tile_buffer_destroy(buffers[i]);
}

static void peer_rows(const Bench *b) {
  peer_softmax(b->x, b->out, b->m, b->n, b->threads);
}

static void bench_softmax(Example *e, int threads) {
  const size_t rows = 4096, columns = 4096, n = rows * columns;
  float *x = example_normal(n, TILE_FP32, 2);
  TileBuffer *in = example_buffer(e, TILE_FP32, x, n);
  TileBuffer *out = example_buffer(e, TILE_FP32, NULL, n);
  const TileArg args[] = {tile_buffer_arg(in, TILE_FP32),
                          tile_buffer_arg(out, TILE_FP32),
                          tile_int_arg(4096),
                          tile_int_arg(4096),
                          tile_int_arg(4096),
                          tile_int_arg(4096)};
  const TileConstant constants[] = {{"BLOCK", tile_int_arg(4096)}};
  run(&(Bench){.name = "softmax 4096x4096 fp32",
               .peer_name = "C rows, vector expf, -O3",
               .e = e,
               .launch = {.kernel = example_kernel(e, "softmax"),
                          .grid = {(uint32_t)threads},
                          .args = args,
                          .num_args = 6,
                          .constants = constants,
                          .num_constants = 1},
               .peer = peer_rows,
               .work = 8.0 * (double)n,
               .unit = "GB/s",
               .repeats = 21,
               .threads = threads,
               .x = address(in),
               .out = tile_buffer_address(out),
               .m = rows,
               .n = columns});
  free(x);
  tile_buffer_destroy(in);
  tile_buffer_destroy(out);
}

static void peer_gemm(const Bench *b) {
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)b->m, (int)b->n,
              (int)b->k, 1, b->x, (int)b->k, b->y, (int)b->n, 0, b->out,
              (int)b->n);
}

static void bench_matmul(Example *e, int threads) {
  const size_t size = 1024, n = size * size;
  float *x = example_normal(n, TILE_FP32, 3);
  TileBuffer *buffers[3];
  TileArg args[9];
  for (int i = 0; i < 3; i++) {
    buffers[i] = example_buffer(e, TILE_FP32, i < 2 ? x : NULL, n);
    args[i] = tile_buffer_arg(buffers[i], TILE_FP32);
  }
  for (int i = 3; i < 9; i++) args[i] = tile_int_arg(1024);
  const TileConstant constants[] = {{"BLOCK_M", tile_int_arg(128)},
                                    {"BLOCK_N", tile_int_arg(128)},
                                    {"BLOCK_K", tile_int_arg(128)}};
  run(&(Bench){.name = "matmul 1024^3 fp32",
               .peer_name = "OpenBLAS sgemm",
               .e = e,
               .launch = {.kernel = example_kernel(e, "matmul"),
                          .grid = {64},
                          .args = args,
                          .num_args = 9,
                          .constants = constants,
                          .num_constants = 3},
               .peer = peer_gemm,
               .work = 2.0 * 1024 * 1024 * 1024,
               .unit = "GFLOP/s",
               .repeats = 21,
               .threads = threads,
               .x = address(buffers[0]),
               .y = address(buffers[1]),
               .out = tile_buffer_address(buffers[2]),
               .m = size,
               .n = size,
               .k = size});
  free(x);
  for (int i = 0; i < 3; i++) tile_buffer_destroy(buffers[i]);
}

static void peer_heads(const Bench *b) {
  peer_attention(b->x, b->y, b->z, b->out, b->m, b->n, b->k,
                 1 / sqrtf((float)b->k), b->threads);
}

static void bench_attention(Example *e, int threads) {
  const size_t heads = 8, length = 1024, dim = 64, n = heads * length * dim;
  float *x[3], *out = example_alloc(n * sizeof *out);
  TileArg args[7];
  TileBuffer *buffers[5];
  for (int i = 0; i < 5; i++) {
    const TileDtype dtype = i == 4 ? TILE_FP32 : TILE_FP16;
    if (i < 3) x[i] = example_normal(n, TILE_FP16, 4 + (unsigned)i);
    buffers[i] = example_buffer(e, dtype, i < 3 ? x[i] : NULL, n);
    args[i] = tile_buffer_arg(buffers[i], dtype);
  }
  args[5] = tile_float_arg(0.125);
  args[6] = tile_int_arg((int64_t)length);
  const TileConstant constants[] = {{"HEAD_DIM", tile_int_arg(64)},
                                    {"BLOCK_M", tile_int_arg(64)},
                                    {"BLOCK_N", tile_int_arg(64)},
                                    {"CAUSAL", tile_bool_arg(false)}};
  run(&(Bench){.name = "attention 1x8x1024x64 fp16",
               .peer_name = "C triple loop -O3 (fp32)",
               .e = e,
               .launch = {.kernel = example_kernel(e, "attention"),
                          .grid = {16, 8},
                          .args = args,
                          .num_args = 7,
                          .constants = constants,
                          .num_constants = 4},
               .peer = peer_heads,
               .work = 4.0 * (double)n * (double)length,
               .unit = "GFLOP/s",
               .repeats = 7,
               .threads = threads,
               .x = x[0],
               .y = x[1],
               .z = x[2],
               .out = out,
               .m = heads,
               .n = length,
               .k = dim});
  free(out), free(x[0]), free(x[1]), free(x[2]);
  for (int i = 0; i < 5; i++) tile_buffer_destroy(buffers[i]);
}

int main(int argc, char **argv) {
  const int threads = argc > 1 ? atoi(argv[1]) : 1;
  openblas_set_num_threads(threads);
  Example e;
  example_open_quietly(&e, EXAMPLES_DIR "/vector-add/vector-add.tile");
  example_load(&e, EXAMPLES_DIR "/softmax/softmax.tile");
  example_load(&e, EXAMPLES_DIR "/matmul/matmul.tile");
  example_load(&e, EXAMPLES_DIR "/fused-attention/fused-attention.tile");
  bench_vector_add(&e, threads);
  bench_softmax(&e, threads);
  bench_matmul(&e, threads);
  bench_attention(&e, threads);
  return example_close(&e);
}
