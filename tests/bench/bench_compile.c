// bench_compile -- source text to runnable, in process, for every example.
//
// One JSON object a line: the median over fresh contexts of a parse and a
// tile_kernel_prepare(); the same in processor time, which other work on the
// machine does not change; and the peak memory of the process so far.  The
// device stays open, so that the start of its driver is not measured.
#include "example.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { REPEATS = 9 };

typedef struct {
  double seconds[REPEATS], processor[REPEATS];
} Times;

static double now(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int by_value(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void compile(const char *file, const char *kernel,
                    const TileLaunch *like, Times *out, int i) {
  Example e;
  const double start = now(CLOCK_MONOTONIC);
  const double before = now(CLOCK_PROCESS_CPUTIME_ID);
  example_open_quietly(&e, file);
  TileLaunch launch = *like;
  launch.kernel = example_kernel(&e, kernel);
  example_check(&e, tile_kernel_prepare(e.device, &launch, &e.diagnostics));
  out->seconds[i] = now(CLOCK_MONOTONIC) - start;
  out->processor[i] = now(CLOCK_PROCESS_CPUTIME_ID) - before;
  example_close(&e);
}

static void bench(const char *name, const char *file, const char *kernel,
                  const TileLaunch *like) {
  Times times;
  for (int i = 0; i < REPEATS; i++) compile(file, kernel, like, &times, i);
  const double first = times.seconds[0];
  qsort(times.seconds, REPEATS, sizeof *times.seconds, by_value);
  qsort(times.processor, REPEATS, sizeof *times.processor, by_value);
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  printf("{\"name\": \"compile %s\", \"first\": %.4f, \"median\": %.4f, "
         "\"processor\": %.4f, \"max_rss_mb\": %ld}\n",
         name, first, times.seconds[REPEATS / 2], times.processor[REPEATS / 2],
         usage.ru_maxrss / 1024);
  fflush(stdout);
}

static float memory[64];

static TileArg pointer(TileDtype dtype) {
  return tile_pointer_arg(memory, dtype);
}

static void bench_vector_add(void) {
  const TileArg args[] = {pointer(TILE_FP32), pointer(TILE_FP32),
                          pointer(TILE_FP32), tile_int_arg(4096)};
  bench("vector_add", EXAMPLES_DIR "/vector-add/vector-add.tile", "vector_add",
        &(TileLaunch){.grid = {1}, .args = args, .num_args = 4});
}

// One device compiles the same kernel for other constants.
static void bench_next(void) {
  Example e;
  Times times = {0};
  example_open_quietly(&e, EXAMPLES_DIR "/vector-add/vector-add.tile");
  const TileArg args[] = {pointer(TILE_FP32), pointer(TILE_FP32),
                          pointer(TILE_FP32), tile_int_arg(4096)};
  for (int i = 0; i < REPEATS; i++) {
    const TileConstant block = {"BLOCK", tile_int_arg(64 << i)};
    const TileLaunch launch = {.kernel = example_kernel(&e, "vector_add"),
                               .grid = {1},
                               .args = args,
                               .num_args = 4,
                               .constants = &block,
                               .num_constants = 1};
    const double before = now(CLOCK_PROCESS_CPUTIME_ID);
    example_check(&e, tile_kernel_prepare(e.device, &launch, &e.diagnostics));
    times.processor[i] = now(CLOCK_PROCESS_CPUTIME_ID) - before;
  }
  example_close(&e);
  qsort(times.processor, REPEATS, sizeof *times.processor, by_value);
  printf("{\"name\": \"compile vector_add, next\", \"processor\": %.4f}\n",
         times.processor[REPEATS / 2]);
}

static void bench_matmul(TileDtype dtype, const char *name) {
  TileArg args[9];
  for (int i = 0; i < 9; i++) {
    args[i] = i < 3 ? pointer(dtype) : tile_int_arg(1024);
  }
  const TileConstant constants[] = {{"BLOCK_M", tile_int_arg(128)},
                                    {"BLOCK_N", tile_int_arg(128)},
                                    {"BLOCK_K", tile_int_arg(64)}};
  bench(name, EXAMPLES_DIR "/matmul/matmul.tile", "matmul",
        &(TileLaunch){.grid = {1},
                      .args = args,
                      .num_args = 9,
                      .constants = constants,
                      .num_constants = 3});
}

static void bench_attention(bool causal) {
  TileArg args[7];
  for (int i = 0; i < 5; i++) args[i] = pointer(i < 4 ? TILE_FP16 : TILE_FP32);
  args[5] = tile_float_arg(0.125);
  args[6] = tile_int_arg(1024);
  const TileConstant constants[] = {{"HEAD_DIM", tile_int_arg(64)},
                                    {"BLOCK_M", tile_int_arg(64)},
                                    {"BLOCK_N", tile_int_arg(64)},
                                    {"CAUSAL", tile_bool_arg(causal)}};
  bench(causal ? "attention, causal" : "attention",
        EXAMPLES_DIR "/fused-attention/fused-attention.tile", "attention",
        &(TileLaunch){.grid = {1},
                      .args = args,
                      .num_args = 7,
                      .constants = constants,
                      .num_constants = 4});
}

int main(void) {
  Example open;
  example_open_quietly(&open, EXAMPLES_DIR "/vector-add/vector-add.tile");
  bench_vector_add();
  bench_next();
  bench_matmul(TILE_FP32, "matmul");
  bench_matmul(TILE_BF16, "matmul, bf16");
  bench_attention(false);
  bench_attention(true);
  example_close(&open);
  return EXIT_SUCCESS;
}
