// test_evict.c -- variants that are evicted while threads launch them, and
// variants that never are.
#include "tests/runtime/world.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

// A hook runs first; known launches remember its fills.
static const char source_text[] =
    "def clear(args):\n"
    "    args['out'].zero_()\n"
    "\n"
    "@triton.autotune(configs=[triton.Config({}, pre_hook=clear)], key=[])\n"
    "@triton.jit\n"
    "def put(out, n, K: tl.constexpr):\n"
    "    tl.store(out, tl.load(out) + n * 100 + K)\n";

typedef struct {
  TileContext *context;
  TileDevice *device;
  TileProgram *program;
  TileKernel *kernel;
  _Atomic int compiled, failures;
  atomic_bool stop;
} Evicted;

static void count_line(void *ctx, const char *line) {
  Evicted *w = ctx;
  if (strstr(line, "compiled")) w->compiled++;
}

static void open_world(Evicted *w, size_t max_variants) {
  const TileSource source = {.text = source_text};
  const TileContextOptions options = {.size = sizeof options,
                                      .log = count_line,
                                      .log_ctx = w,
                                      .max_variants = max_variants};
  memset(w, 0, sizeof *w);
  assert_int_equal(tile_context_create(&options, &w->context), TILE_OK);
  assert_int_equal(tile_device_open(w->context, "cpu", &w->device, NULL),
                   TILE_OK);
  assert_int_equal(tile_program_create(w->context, &source, &w->program, NULL),
                   TILE_OK);
  w->kernel = kernel_of(w->program, "put");
}

static void close_world(Evicted *w) {
  tile_program_destroy(w->program);
  tile_device_destroy(w->device);
  tile_context_destroy(w->context);
}

static bool put(const Evicted *w, TileDevice *device, TileBuffer *out, int n,
                int k) {
  int found = 0;
  const TileArg args[] = {tile_buffer_arg(out, TILE_INT32), tile_int_arg(n),
                          tile_int_arg(k)};
  const TileLaunch launch = {
      .kernel = w->kernel, .grid = {1}, .args = args, .num_args = 3};
  return !tile_launch(device, &launch, NULL) &&
         !tile_buffer_read(out, 0, &found, sizeof found) &&
         found == n * 100 + k;
}

// -- Which ones go -----------------------------------------------------------

static void test_limit(void **state) {
  (void)state;
  Evicted w;
  TileBuffer *out;
  open_world(&w, 3);
  assert_int_equal(tile_buffer_create(w.device, 4, &out), TILE_OK);
  for (int k = 0; k < 3; k++) assert_true(put(&w, w.device, out, 5, k));
  assert_int_equal(w.compiled, 3);
  assert_true(put(&w, w.device, out, 6, 0)); // 1 is the oldest now
  assert_true(put(&w, w.device, out, 5, 3)); // evicts variant 1
  assert_int_equal(w.compiled, 4);
  assert_true(put(&w, w.device, out, 7, 0));
  assert_true(put(&w, w.device, out, 7, 2));
  assert_true(put(&w, w.device, out, 7, 3));
  assert_int_equal(w.compiled, 4);
  assert_true(put(&w, w.device, out, 7, 1));
  assert_int_equal(w.compiled, 5);
  tile_buffer_destroy(out);
  close_world(&w);
}

static void test_evict(void **state) {
  (void)state;
  Evicted w;
  TileBuffer *out;
  open_world(&w, 0);
  assert_int_equal(tile_buffer_create(w.device, 4, &out), TILE_OK);
  for (int k = 0; k < 4; k++) assert_true(put(&w, w.device, out, 5, k));
  tile_context_evict(w.context, 4);
  tile_context_evict(w.context, 2); // 2 and 3 stay
  assert_true(put(&w, w.device, out, 6, 3) && put(&w, w.device, out, 6, 2));
  assert_int_equal(w.compiled, 4);
  assert_true(put(&w, w.device, out, 6, 0));
  assert_int_equal(w.compiled, 5);
  tile_context_evict(w.context, 0);
  tile_context_evict(w.context, 0);
  tile_context_evict(NULL, 0);
  assert_true(put(&w, w.device, out, 6, 3));
  assert_int_equal(w.compiled, 6);
  tile_buffer_destroy(out);
  close_world(&w);
}

// -- While threads launch ----------------------------------------------------

static void *launch_often(void *data) {
  Evicted *w = data;
  TileBuffer *out = NULL;
  bool ok = !tile_buffer_create(w->device, 4, &out);
  for (int i = 0; ok && !w->stop; i++) {
    for (int j = 0; ok && j < 100; j++) ok = put(w, w->device, out, j, i % 3);
  }
  if (!ok) w->failures++;
  tile_buffer_destroy(out);
  return NULL;
}

// Launches on devices of the thread's own, which are opened and closed.
static void *open_often(void *data) {
  Evicted *w = data;
  bool ok = true;
  while (ok && !w->stop) {
    TileDevice *device = NULL;
    TileBuffer *out = NULL;
    ok = !tile_device_open(w->context, "cpu", &device, NULL) &&
         !tile_buffer_create(device, 4, &out);
    for (int j = 0; ok && j < 100; j++) ok = put(w, device, out, j, j % 2);
    tile_buffer_destroy(out);
    tile_device_destroy(device);
  }
  if (!ok) w->failures++;
  return NULL;
}

// Parses and launches a program of the thread's own.
static void *parse_often(void *data) {
  Evicted *w = data;
  const TileSource source = {.text = source_text};
  TileBuffer *out = NULL;
  bool ok = !tile_buffer_create(w->device, 4, &out);
  while (ok && !w->stop) {
    Evicted own = {.device = w->device};
    ok = !tile_program_create(w->context, &source, &own.program, NULL) &&
         !tile_program_kernel(own.program, NULL, &own.kernel, NULL);
    for (int j = 0; ok && j < 100; j++) ok = put(&own, w->device, out, j, 7);
    tile_program_destroy(own.program);
  }
  if (!ok) w->failures++;
  tile_buffer_destroy(out);
  return NULL;
}

static void *evict_often(void *data) {
  Evicted *w = data;
  for (size_t i = 0; !w->stop; i++) {
    const struct timespec pause = {.tv_nsec = 3000000};
    tile_context_evict(w->context, i % 3);
    nanosleep(&pause, NULL);
  }
  return NULL;
}

static void run_all(size_t max_variants, double seconds) {
  static void *(*const bodies[])(void *) = {
      launch_often, launch_often, open_often, parse_often, evict_often};
  enum { COUNT = sizeof bodies / sizeof *bodies };
  pthread_t threads[COUNT];
  Evicted w;
  open_world(&w, max_variants);
  for (int i = 0; i < COUNT; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, bodies[i], &w), 0);
  const struct timespec time = {.tv_sec = (time_t)seconds,
                                .tv_nsec = (long)(seconds * 1e9) % 1000000000};
  nanosleep(&time, NULL);
  w.stop = true;
  for (int i = 0; i < COUNT; i++) pthread_join(threads[i], NULL);
  assert_int_equal(w.failures, 0);
  print_message("%d variants in %g s\n", w.compiled, seconds);
  close_world(&w);
}

static void test_threads(void **state) {
  (void)state;
  const char *full = getenv("TILE_TEST_FULL");
  const double seconds = full && *full ? 10 : 0.5;
  run_all(0, seconds / 2);
  run_all(2, seconds / 2);
}

int main(void) {
  setenv("TILE_NUM_THREADS", "2", 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_limit),
      cmocka_unit_test(test_evict),
      cmocka_unit_test(test_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
