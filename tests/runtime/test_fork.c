// test_fork -- calls of a child of fork() on its parent's devices: those that
// it may make, and those that are refused.
#include "tests/runtime/fake_cuda.h"
#include "tests/runtime/programs.h"
#include "tile/tile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { COUNT = 4096, PATIENCE = 60 };

typedef struct {
  TileContext *context;
  TileDevice *device;
  TileProgram *program;
  TileKernel *kernel;
  TileBuffer *x, *y;
} Rig;

static bool open_rig(Rig *r, const char *device) {
  const TileContextOptions options = {.size = sizeof options, .num_threads = 4};
  const TileSource source = {.text = copy_text};
  *r = (Rig){.context = NULL};
  return !tile_context_create(&options, &r->context) &&
         !tile_device_open(r->context, device, &r->device, NULL) &&
         !tile_program_create(r->context, &source, &r->program, NULL) &&
         !tile_program_kernel(r->program, "copy", &r->kernel, NULL) &&
         !tile_buffer_create(r->device, COUNT * sizeof(float), &r->x) &&
         !tile_buffer_create(r->device, COUNT * sizeof(float), &r->y);
}

static void close_rig(const Rig *r) {
  tile_buffer_destroy(r->x);
  tile_buffer_destroy(r->y);
  tile_program_destroy(r->program);
  tile_device_destroy(r->device);
  tile_context_destroy(r->context);
}

static TileStatus launch(const Rig *r, TileDiagnostics **why) {
  const TileArg args[] = {tile_buffer_arg(r->x, TILE_FP32),
                          tile_buffer_arg(r->y, TILE_FP32),
                          tile_int_arg(COUNT)};
  const TileLaunch launch = {
      .kernel = r->kernel, .grid = {COUNT / 16}, .args = args, .num_args = 3};
  return tile_launch(r->device, &launch, why);
}

// Writes, launches many programs, and reads: y = 2 x.
static bool doubles(const Rig *r, float first) {
  static float x[COUNT], y[COUNT];
  for (int i = 0; i < COUNT; i++) x[i] = first + (float)i;
  bool ok = !tile_buffer_write(r->x, 0, x, sizeof x) && !launch(r, NULL) &&
            !tile_device_sync(r->device, NULL) &&
            !tile_buffer_read(r->y, 0, y, sizeof y);
  for (int i = 0; i < COUNT && ok; i++) ok = y[i] == 2 * x[i];
  return ok;
}

// The child's exit code is its result; a child that hangs is killed.
static void expect_child(bool (*child)(const Rig *r), const Rig *r) {
  const pid_t process = fork();
  assert_true(process >= 0);
  if (!process) {
    alarm(PATIENCE);
    _exit(child(r) ? 0 : 1);
  }
  int status = -1;
  assert_int_equal(waitpid(process, &status, 0), process);
  if (!WIFEXITED(status)) fail_msg("signal %d", WTERMSIG(status));
  assert_int_equal(WEXITSTATUS(status), 0);
}

static bool only_destroy(const Rig *r) {
  close_rig(r);
  return true;
}

static bool launch_and_destroy(const Rig *r) {
  const bool ok = doubles(r, 3) && doubles(r, 4);
  close_rig(r);
  return ok;
}

static bool fork_again(const Rig *r) {
  const bool ok = doubles(r, 5);
  expect_child(launch_and_destroy, r);
  return ok && launch_and_destroy(r);
}

static bool open_another(const Rig *r) {
  Rig own;
  const bool ok = open_rig(&own, tile_device_name(r->device)) &&
                  doubles(&own, 6) && doubles(r, 7);
  close_rig(&own);
  return ok;
}

static void check_device(const char *name) {
  Rig r;
  assert_true(open_rig(&r, name));
  expect_child(only_destroy, &r); // before the first launch
  assert_true(doubles(&r, 1));
  expect_child(only_destroy, &r);
  expect_child(launch_and_destroy, &r);
  expect_child(fork_again, &r);
  expect_child(open_another, &r);
  assert_true(doubles(&r, 2));
  close_rig(&r);
}

static void test_cpu(void **state) {
  (void)state;
  check_device("cpu");
}

static void test_sim(void **state) {
  (void)state;
  check_device("sim");
}

// -- A GPU -------------------------------------------------------------------

static FakeCuda *fake;

static bool is_told(const Rig *r,
                    TileStatus (*call)(const Rig *r, TileDiagnostics **why)) {
  TileDiagnostics *why = NULL;
  const bool ok = call(r, &why) == TILE_DEVICE_ERROR &&
                  strstr(tile_diagnostics_text(why), "made by fork()");
  tile_diagnostics_destroy(why);
  return ok;
}

static TileStatus sync_device(const Rig *r, TileDiagnostics **why) {
  return tile_device_sync(r->device, why);
}

// The driver is asked nothing.
static bool gives_errors(const Rig *r) {
  const int calls = fake->calls;
  TileBuffer *more = NULL;
  char byte = 0;
  const bool ok =
      is_told(r, launch) && is_told(r, sync_device) &&
      tile_buffer_create(r->device, 64, &more) == TILE_DEVICE_ERROR &&
      tile_buffer_write(r->x, 0, &byte, 1) == TILE_DEVICE_ERROR &&
      tile_buffer_read(r->x, 0, &byte, 1) == TILE_DEVICE_ERROR;
  close_rig(r);
  return ok && fake->calls == calls;
}

static void test_cuda(void **state) {
  (void)state;
  Rig r;
  fake = fake_cuda_load(FAKE_CUDA);
  assert_non_null(fake);
  assert_true(open_rig(&r, "cuda"));
  assert_int_equal(launch(&r, NULL), TILE_OK);
  expect_child(gives_errors, &r);
  assert_int_equal(launch(&r, NULL), TILE_OK);
  close_rig(&r);
  assert_int_equal(fake->live, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cpu),
      cmocka_unit_test(test_sim),
      cmocka_unit_test(test_cuda),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
