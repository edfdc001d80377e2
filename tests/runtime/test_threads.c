// test_threads.c -- many threads launch at once: each result is right, and
// shared variants are compiled once.  With few variants, threads unload those
// of others, which may be compiled again at the time.
#include "tile/tile.h"

#include "tests/runtime/programs.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>

#include <cmocka.h>

enum { NUM_THREADS = 8, NUM_LAUNCHES = 20, NUM_ELEMENTS = 200 };

typedef struct {
  TileContext *context;
  TileDevice *device;
  TileProgram *program;
  bool own_program; // each thread parses for itself
  int repeats;      // of each launch
  _Atomic int failures;
} World;

// Two variants by divisibility of `n`, two by BLOCK.
static TileStatus launch_one(const World *w, TileKernel *kernel, TileBuffer *x,
                             TileBuffer *y, int i) {
  const TileArg args[] = {tile_buffer_arg(x, TILE_FP32),
                          tile_buffer_arg(y, TILE_FP32),
                          tile_int_arg(i % 2 ? 192 : 199)};
  const TileConstant block = {"BLOCK", tile_int_arg(i % 4 < 2 ? 16 : 64)};
  const TileLaunch launch = {.kernel = kernel,
                             .grid = {13},
                             .args = args,
                             .num_args = 3,
                             .constants = &block,
                             .num_constants = 1};
  return tile_launch(w->device, &launch, NULL);
}

static bool is_right(TileBuffer *y, int i, float scale) {
  float values[NUM_ELEMENTS];
  if (tile_buffer_read(y, 0, values, sizeof values)) return false;
  for (int k = 0; k < (i % 2 ? 192 : 199); k++) {
    if (values[k] != 2 * scale * (float)k) return false;
  }
  return true;
}

static bool work(const World *w, TileProgram *program, TileBuffer *x,
                 TileBuffer *y, float scale) {
  float values[NUM_ELEMENTS];
  TileKernel *kernel;
  if (tile_program_kernel(program, NULL, &kernel, NULL)) return false;
  for (int k = 0; k < NUM_ELEMENTS; k++) values[k] = scale * (float)k;
  if (tile_buffer_write(x, 0, values, sizeof values)) return false;
  for (int i = 0; i < NUM_LAUNCHES; i++) {
    for (int k = 0; k < w->repeats; k++) {
      if (launch_one(w, kernel, x, y, i)) return false;
    }
    if (!is_right(y, i, scale)) return false;
  }
  return true;
}

typedef struct {
  World *world;
  float scale;
} Worker;

static void *thread_main(void *data) {
  const Worker *worker = data;
  World *w = worker->world;
  TileBuffer *x = NULL, *y = NULL;
  TileProgram *own = NULL;
  const TileSource source = {.text = copy_text};
  const size_t size = NUM_ELEMENTS * sizeof(float);
  const bool ok = !tile_buffer_create(w->device, size, &x) &&
                  !tile_buffer_create(w->device, size, &y) &&
                  (!w->own_program ||
                   !tile_program_create(w->context, &source, &own, NULL)) &&
                  work(w, own ? own : w->program, x, y, worker->scale);
  if (!ok) atomic_fetch_add(&w->failures, 1);
  tile_program_destroy(own);
  tile_buffer_destroy(y);
  tile_buffer_destroy(x);
  return NULL;
}

static void run_threads(bool own_program, int repeats,
                        const TileContextOptions *options) {
  World w = {.own_program = own_program, .repeats = repeats};
  const TileSource source = {.text = copy_text};
  assert_int_equal(tile_context_create(options, &w.context), TILE_OK);
  assert_int_equal(tile_device_open(w.context, "cpu", &w.device, NULL),
                   TILE_OK);
  assert_int_equal(tile_program_create(w.context, &source, &w.program, NULL),
                   TILE_OK);
  pthread_t threads[NUM_THREADS];
  Worker workers[NUM_THREADS];
  for (int i = 0; i < NUM_THREADS; i++) {
    workers[i] = (Worker){&w, (float)(i + 1)};
    assert_int_equal(
        pthread_create(&threads[i], NULL, thread_main, &workers[i]), 0);
  }
  for (int i = 0; i < NUM_THREADS; i++) pthread_join(threads[i], NULL);
  assert_int_equal(w.failures, 0);
  tile_program_destroy(w.program);
  tile_device_destroy(w.device);
  tile_context_destroy(w.context);
}

static void test_one_program(void **state) {
  (void)state;
  run_threads(false, 1, NULL);
}

static void test_a_program_each(void **state) {
  (void)state;
  run_threads(true, 1, NULL);
}

// Every variant gets hot, and most are unloaded soon.
static void test_few_variants(void **state) {
  (void)state;
  const TileContextOptions options = {
      .size = sizeof options, .cpu_tier = TILE_TIER_AUTO, .max_variants = 2};
  run_threads(true, 40, &options);
  run_threads(false, 40, &options);
}

int main(void) {
  setenv("TILE_NUM_THREADS", "3", 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_one_program),
      cmocka_unit_test(test_a_program_each),
      cmocka_unit_test(test_few_variants),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
