// bench_compile -- source text to runnable, in process, for every example.
//
// One JSON object a line: the median over fresh contexts of a parse and a
// tile_kernel_prepare(), and the peak memory of the process so far.  A device
// is open all the while: how long a driver takes to start is none of it.
#include "example.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { REPEATS = 9 };

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int by_value(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double compile(const char *file, const char *kernel,
                      const TileLaunch *like) {
  Example e;
  const double start = now();
  example_open_quietly(&e, file);
  TileLaunch launch = *like;
  launch.kernel = example_kernel(&e, kernel);
  example_check(&e, tile_kernel_prepare(e.device, &launch, &e.diagnostics));
  const double seconds = now() - start;
  example_close(&e);
  return seconds;
}

static void bench(const char *name, const char *file, const char *kernel,
                  const TileLaunch *like) {
  double seconds[REPEATS];
  for (int i = 0; i < REPEATS; i++) seconds[i] = compile(file, kernel, like);
  const double first = seconds[0];
  qsort(seconds, REPEATS, sizeof *seconds, by_value);
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  printf("{\"name\": \"compile %s\", \"first\": %.4f, \"median\": %.4f, "
         "\"max_rss_mb\": %ld}\n",
         name, first, seconds[REPEATS / 2], usage.ru_maxrss / 1024);
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
  bench_attention(false);
  bench_attention(true);
  example_close(&open);
  return EXIT_SUCCESS;
}
