// test_num_threads -- the number of threads that run programs: that of the
// context, else of the environment.
#include "tests/runtime/programs.h"
#include "tile/tile.h"

#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static TileStatus open_cpu(int num_threads, int *processors) {
  const TileContextOptions options = {.num_threads = num_threads};
  TileContext *context = NULL;
  TileDevice *device = NULL;
  TileStatus status = tile_context_create(&options, &context);
  if (!status) status = tile_device_open(context, "cpu", &device, NULL);
  *processors = tile_device_num_processors(device);
  tile_device_destroy(device);
  tile_context_destroy(context);
  return status;
}

static void test_cpu(void **state) {
  (void)state;
  int processors;
  setenv("TILE_NUM_THREADS", "5", 1);
  assert_int_equal(open_cpu(0, &processors), TILE_OK);
  assert_int_equal(processors, 5);
  assert_int_equal(open_cpu(3, &processors), TILE_OK);
  assert_int_equal(processors, 3);
  assert_int_equal(open_cpu(1024, &processors), TILE_OK);
  assert_int_equal(processors, 1024);
  assert_int_equal(open_cpu(1025, &processors), TILE_INVALID_ARGUMENT);
  assert_int_equal(open_cpu(-1, &processors), TILE_INVALID_ARGUMENT);
}

// -- The simulator -----------------------------------------------------------

static int at_start; // the caller, and a sanitizer's own

static int count_threads(void) {
  DIR *tasks = opendir("/proc/self/task");
  int count = -2; // . and ..
  while (tasks && readdir(tasks)) count++;
  if (tasks) closedir(tasks);
  return count;
}

typedef struct {
  atomic_bool stop;
  int most;
} Watch;

static void *watch_threads(void *data) {
  Watch *watch = data;
  while (!atomic_load(&watch->stop)) {
    const int count = count_threads();
    if (count > watch->most) watch->most = count;
  }
  return NULL;
}

// The most threads that there are while one launch runs.
static int most_threads(TileDevice *device, const TileLaunch *launch) {
  Watch watch = {.most = 0};
  pthread_t watcher;
  assert_int_equal(tile_kernel_prepare(device, launch, NULL), TILE_OK);
  while (count_threads() > at_start) sched_yield(); // earlier ones end
  assert_int_equal(pthread_create(&watcher, NULL, watch_threads, &watch), 0);
  assert_int_equal(tile_launch(device, launch, NULL), TILE_OK);
  atomic_store(&watch.stop, true);
  pthread_join(watcher, NULL);
  return watch.most;
}

static int launch_watched(TileContext *context, TileDevice *device) {
  const TileSource source = {.text = copy_text};
  TileProgram *program = NULL;
  TileKernel *kernel = NULL;
  TileBuffer *x = NULL;
  assert_int_equal(tile_program_create(context, &source, &program, NULL),
                   TILE_OK);
  assert_int_equal(tile_program_kernel(program, "copy", &kernel, NULL),
                   TILE_OK);
  assert_int_equal(tile_buffer_create(device, 64, &x), TILE_OK);
  const TileArg args[] = {tile_buffer_arg(x, TILE_FP32),
                          tile_buffer_arg(x, TILE_FP32), tile_int_arg(0)};
  const TileLaunch launch = {
      .kernel = kernel, .grid = {20000}, .args = args, .num_args = 3};
  const int most = most_threads(device, &launch);
  tile_buffer_destroy(x);
  tile_program_destroy(program);
  return most;
}

// Threads that run CTAs, the caller's included.
static int sim_threads(int num_threads) {
  const TileContextOptions options = {.num_threads = num_threads};
  TileContext *context = NULL;
  TileDevice *device = NULL;
  assert_int_equal(tile_context_create(&options, &context), TILE_OK);
  assert_int_equal(tile_device_open(context, "sim", &device, NULL), TILE_OK);
  const int most = launch_watched(context, device);
  tile_device_destroy(device);
  tile_context_destroy(context);
  return most - at_start; // the caller for the watcher
}

static void test_sim(void **state) {
  (void)state;
  unsetenv("TILE_SIM_THREADS");
  assert_int_equal(sim_threads(6), 6);
  assert_int_equal(sim_threads(3), 3);
  setenv("TILE_SIM_THREADS", "4", 1);
  assert_int_equal(sim_threads(0), 4);
  assert_int_equal(sim_threads(2), 2);
}

int main(void) {
  at_start = count_threads();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cpu),
      cmocka_unit_test(test_sim),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
