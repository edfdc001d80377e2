// test_pack -- libtilert: kernels of a pack run, and wrong calls return errors.
// Linked without a compiler.
//
// Backs I1 and I2 of runtime/rt.
#define _DEFAULT_SOURCE // syscall
#include "runtime/rt/value.h"
#include "tests/runtime/fake_cuda.h"
#include "tests/runtime/pack_helpers.h"
#include "tile/tilert.h"

#include "tests/tools/open_files.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

enum { N = 1000 };

static FakeCuda *fake;

typedef struct {
  TilertError error;
  TilertPack *pack;
  TilertDevice *device;
  TilertBuffer *buffers[3];
  TileArg args[4];
} World;

static void *address(const World *w, int i) {
  return tilert_buffer_address(w->buffers[i]);
}

static TileStatus make_world(World *w, const char *device,
                             const TilertOptions *options) {
  float x[N], y[N];
  TileStatus status = tilert_pack_open(PACK, options, &w->pack, &w->error);
  if (!status)
    status = tilert_device_open(device, options, &w->device, &w->error);
  for (int i = 0; i < N; i++) {
    x[i] = (float)i;
    y[i] = 0.5f;
  }
  for (int i = 0; i < 3 && !status; i++)
    status = tilert_buffer_create(w->device, sizeof x + 64, &w->buffers[i],
                                  &w->error);
  if (!status)
    status = tilert_buffer_write(w->buffers[0], 0, x, sizeof x, &w->error);
  if (!status)
    status = tilert_buffer_write(w->buffers[1], 0, y, sizeof y, &w->error);
  if (status) return status;
  for (int i = 0; i < 3; i++)
    w->args[i] = tile_pointer_arg(address(w, i), TILE_FP32);
  w->args[3] = tile_int_arg(N);
  return TILE_OK;
}

static void end_world(World *w) {
  for (int i = 0; i < 3; i++) tilert_buffer_destroy(w->buffers[i]);
  tilert_device_close(w->device);
  tilert_pack_close(w->pack);
}

static TilertLaunch launch_of(const World *w) {
  return (TilertLaunch){.pack = w->pack,
                        .kernel = "add",
                        .grid = {1},
                        .args = w->args,
                        .num_args = 4};
}

static TileStatus run(World *w, float *out) {
  const TilertLaunch launch = launch_of(w);
  TileStatus status = tilert_launch(w->device, &launch, &w->error);
  if (!status) status = tilert_device_sync(w->device, &w->error);
  if (!status)
    status =
        tilert_buffer_read(w->buffers[2], 0, out, N * sizeof *out, &w->error);
  return status;
}

// -- Running -----------------------------------------------------------------

static void check_runs(const char *device) {
  World w = {.pack = NULL};
  float out[N];
  assert_int_equal(make_world(&w, device, NULL), TILE_OK);
  assert_int_equal(run(&w, out), TILE_OK);
  for (int i = 0; i < N; i++) assert_true(out[i] == (float)i + 0.5f);
  // Neither is a multiple of 16, for which there is another variant.
  w.args[0] = tile_pointer_arg((char *)address(&w, 0) + 4, TILE_FP32);
  w.args[3] = tile_int_arg(N - 1);
  assert_int_equal(run(&w, out), TILE_OK);
  for (int i = 0; i < N - 1; i++) assert_true(out[i] == (float)i + 1.5f);
  assert_true(out[N - 1] == N - 1 + 0.5f);
  end_world(&w);
}

static void on_the_cpu(void **state) {
  (void)state;
  check_runs("cpu");
}

// The level of the code that runs on a CPU of that name; 0: it cannot be
// opened.
static int level_for(const char *cpu, TileStatus *status, char *text) {
  World w = {.pack = NULL};
  setenv("TILE_CPU", cpu, 1);
  *status = make_world(&w, "cpu", NULL);
  unsetenv("TILE_CPU");
  strcpy(text, w.error.text);
  int level = 0;
  if (!*status) {
    w.args[0] = tile_pointer_arg(address(&w, 0), TILE_FP64);
    const TilertLaunch launch = launch_of(&w);
    assert_int_equal(tilert_launch(w.device, &launch, &w.error),
                     TILE_UNAVAILABLE);
    const char *at = strstr(w.error.text, "cpu x86-64-v");
    if (at) level = at[strlen("cpu x86-64-v")] - '0';
  }
  end_world(&w);
  return level;
}

static void tile_cpu_is_the_highest_level(void **state) {
  (void)state;
  TileStatus status;
  char text[sizeof(TilertError)];
  const int own = level_for("", &status, text);
  if (!own) return; // no x86
  assert_int_equal(level_for("native", &status, text), own);
  assert_int_equal(level_for("x86-64", &status, text), 1);
  assert_int_equal(level_for("x86-64-v2", &status, text),
                   1); // the pack has 1, 3
  const int highest = level_for("x86-64-v4", &status, text);
  assert_true(highest == own || status == TILE_UNAVAILABLE);
  level_for("x86-64-v5", &status, text);
  assert_int_equal(status, TILE_INVALID_ARGUMENT);
  assert_non_null(strstr(text, "TILE_CPU is 'x86-64-v5'"));
}

static void in_the_simulator(void **state) {
  (void)state;
  check_runs("sim");
}

// -- Printing and asserting --------------------------------------------------

static void keep_line(void *ctx, const char *line) {
  char *said = ctx;
  strncat(said, line, 200);
}

static void kernels_print_and_assert(void **state) {
  char said[2000] = "";
  const TilertOptions options = {
      .print = keep_line, .print_ctx = said, .num_threads = 1};
  TilertError error;
  TilertPack *pack;
  TilertDevice *device;
  int32_t x[4] = {1, 2, 3, 4};
  TileArg args[] = {tile_pointer_arg(x, TILE_INT32), tile_int_arg(5)};
  (void)state;
  assert_int_equal(tilert_pack_open(TALK_PACK, NULL, &pack, &error), TILE_OK);
  assert_int_equal(tilert_device_open("cpu", &options, &device, &error),
                   TILE_OK);
  const TilertLaunch launch = {
      .pack = pack, .kernel = "talk", .grid = {1}, .args = args, .num_args = 2};
  assert_int_equal(tilert_launch(device, &launch, &error), TILE_OK);
  assert_non_null(strstr(said, "pid (0, 0, 0) idx () n: 5\n"));
  assert_int_equal(x[3], 5);
  assert_int_equal(tilert_launch(device, &launch, &error), TILE_DEVICE_ERROR);
  assert_non_null(
      strstr(error.text, "talk.tile:6: assertion failed: too large"));
  tilert_device_close(device);
  tilert_pack_close(pack);
}

// -- Through the CUDA driver -------------------------------------------------

static void reset(int fail_at, int chip) {
  *fake = (FakeCuda){.fail_at = fail_at, .chip = chip, .local_bytes = 8};
}

static TileStatus use_gpu(World *w, TilertLaunch *launch) {
  TileStatus status = make_world(w, "cuda", NULL);
  if (status) return status;
  *launch = launch_of(w);
  launch->grid[0] = 5;
  launch->grid[1] = 6;
  status = tilert_launch(w->device, launch, &w->error);
  return status ? status : tilert_device_sync(w->device, &w->error);
}

static void on_a_gpu(void **state) {
  (void)state;
  static const struct {
    int chip;
    TileStatus status;
  } rows[] = {{75, TILE_UNAVAILABLE},
              {80, TILE_OK},
              {86, TILE_OK},
              {90, TILE_OK},
              {100, TILE_OK}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    World w = {.pack = NULL};
    TilertLaunch launch;
    reset(-1, rows[i].chip);
    assert_int_equal(use_gpu(&w, &launch), rows[i].status);
    if (rows[i].status) {
      assert_non_null(strstr(
          w.error.text, "it has none for this target, but for cpu x86-64-v1, "
                        "cpu x86-64-v3, cpu x86-64-v4, sm_80, sm_90a"));
    } else {
      assert_int_equal(fake->block, 128);
      assert_int_equal(fake->grid[0] * fake->grid[1] * fake->grid[2], 30);
      launch.stream = &w;
      assert_int_equal(tilert_launch(w.device, &launch, &w.error), TILE_OK);
      assert_ptr_equal(fake->stream, &w);
      assert_int_equal(fake->launches, 2);
    }
    end_world(&w);
    assert_int_equal(fake->live, 0);
  }
}

// A launch returns an error; a release cannot.
static void each_driver_call_fails_once(void **state) {
  int calls = 1, before_end = 0;
  (void)state;
  for (int at = -1; at < calls; at++) {
    World w = {.pack = NULL};
    TilertLaunch launch;
    reset(at, 80);
    const TileStatus status = use_gpu(&w, &launch);
    if (at < 0) before_end = fake->calls;
    assert_int_equal(status != TILE_OK, at >= 0 && at < before_end);
    if (status) assert_true(strlen(w.error.text) > 0);
    end_world(&w);
    assert_int_equal(fake->live, 0);
    if (at < 0) calls = fake->calls;
  }
  assert_true(calls > 30);
}

// -- Errors ------------------------------------------------------------------

// The message has both texts.
static void expect_missing(World *w, const TilertLaunch *launch,
                           const char *wanted, const char *has) {
  assert_int_equal(tilert_launch(w->device, launch, &w->error),
                   TILE_UNAVAILABLE);
  assert_non_null(strstr(w->error.text, wanted));
  assert_non_null(strstr(w->error.text, has));
}

static void missing_variants_are_named(void **state) {
  World w = {.pack = NULL};
  (void)state;
  assert_int_equal(make_world(&w, "cpu", NULL), TILE_OK);
  w.args[1] = tile_pointer_arg(address(&w, 1), TILE_FP16);
  TilertLaunch launch = launch_of(&w);
  expect_missing(&w, &launch, "y: *fp16:16", "n: i32, BLOCK: 1024");
  const TileArg marked = w.args[1];
  w.args[1] = tile_constant_arg(&marked);
  expect_missing(&w, &launch, "y: *fp16:16", "");
  w.args[1] = tile_pointer_arg(address(&w, 1), TILE_FP32);
  const TileConstant block = {"BLOCK", tile_int_arg(512)};
  launch.constants = &block, launch.num_constants = 1;
  expect_missing(&w, &launch, "BLOCK: 512", "");
  launch.num_constants = 0, launch.kernel = "sub";
  expect_missing(&w, &launch, "", "");
  launch.kernel = "add";
  // like the code of the CPU, for any number that a launch asks for
  launch.num_warps = 1;
  expect_missing(&w, &launch, "n: i32, BLOCK: 1024, 4 warps", "");
  launch.num_warps = 4, launch.num_stages = 3; // the kernel's own
  assert_int_equal(tilert_launch(w.device, &launch, &w.error), TILE_OK);
  launch.num_warps = launch.num_stages = 0;
  launch.size = sizeof launch;
  launch.num_ctas = 2;
  expect_missing(&w, &launch, ", 2 CTAs; it has", "BLOCK: 1024, 1 CTAs");
  launch.num_ctas = 1;
  assert_int_equal(tilert_launch(w.device, &launch, &w.error), TILE_OK);
  launch.persist = 1;
  expect_missing(&w, &launch, "always persistent; it has",
                 "1 CTAs, perhaps persistent");
  launch.num_ctas = launch.persist = 0;
  launch.config = 3;
  expect_missing(&w, &launch, ", config 3; it has", "BLOCK: 1024, config 0");
  end_world(&w);
}

// 16777217 times 1 is no float; 1 / -0.0 is not 1 / 0.0.
static void constants_have_types(void **state) {
  const PackParam param = {.dtype = TILE_DTYPE_NONE};
  const PackSpec one = {.kind = PACK_INT, .i = 1}, yes = {PACK_BOOL, .i = 1},
                 real = {.kind = PACK_FLOAT, .f = 1.0},
                 zero = {.kind = PACK_FLOAT, .f = 0.0},
                 minus = {.kind = PACK_FLOAT, .f = -0.0},
                 fp32 = {.kind = PACK_NUMBER, .dtype = TILE_FP32};
  const TileArg integer = tile_int_arg(1), truth = tile_bool_arg(true),
                number = tile_float_arg(1.0), less = tile_float_arg(-0.0);
  (void)state;
  assert_true(rt_match(&param, &one, &integer, false) > NO_MATCH);
  assert_true(rt_match(&param, &real, &number, false) > NO_MATCH);
  assert_true(rt_match(&param, &minus, &less, false) > NO_MATCH);
  assert_true(rt_match(&param, &fp32, &number, false) > NO_MATCH);
  assert_true(rt_match(&param, &yes, &truth, false) >
              rt_match(&param, &one, &truth, false));
  assert_int_equal(rt_match(&param, &real, &integer, false), NO_MATCH);
  assert_int_equal(rt_match(&param, &real, &truth, false), NO_MATCH);
  assert_int_equal(rt_match(&param, &one, &number, false), NO_MATCH);
  assert_int_equal(rt_match(&param, &zero, &less, false), NO_MATCH);
  assert_int_equal(rt_match(&param, &fp32, &integer, false), NO_MATCH);
}

// A number that fits no integer parameter does not look like an integer.
static void values_show_their_types(void **state) {
  World w = {.pack = NULL};
  float out[N];
  (void)state;
  const struct {
    TileArg value;
    const char *shown;
  } rows[] = {{tile_float_arg(3), "y: 3.0 as fp32, "},
              {tile_float_arg(-0.0), "y: -0.0 as fp32, "},
              {tile_float_arg(0.5), "y: 0.5 as fp32, "},
              {tile_float_arg(1e300), "y: 1e+300 as fp32, "},
              {tile_float_arg(INFINITY), "y: inf as fp32, "},
              {tile_bool_arg(true), "y: True as i1, "},
              {tile_bool_arg(false), "y: False as i1, "},
              {tile_int_arg(-3), "y: -3 as i32, "}};
  assert_int_equal(make_world(&w, "cpu", NULL), TILE_OK);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    w.args[1] = rows[i].value;
    assert_int_equal(run(&w, out), TILE_UNAVAILABLE);
    if (!strstr(w.error.text, rows[i].shown))
      fail_msg("%s is not in %s", rows[i].shown, w.error.text);
  }
  end_world(&w);
}

// libtile has the same answer.
static void addresses_lie_where_elements_may(void **state) {
  static const TileDtype wide[] = {TILE_FP64, TILE_INT64, TILE_FP32, TILE_FP16};
  World w = {.pack = NULL};
  (void)state;
  assert_int_equal(make_world(&w, "cpu", NULL), TILE_OK);
  const TilertLaunch launch = launch_of(&w);
  for (size_t i = 0; i < sizeof wide / sizeof *wide; i++) {
    w.args[1] = tile_pointer_arg((char *)address(&w, 1) + 1, wide[i]);
    assert_int_equal(tilert_launch(w.device, &launch, &w.error),
                     TILE_INVALID_ARGUMENT);
    assert_string_equal(w.error.text,
                        "argument 'y' of kernel 'add' is at an address that "
                        "the size of its elements does not divide");
  }
  w.args[1] = tile_pointer_arg((char *)address(&w, 1) + 1, TILE_INT8);
  assert_int_equal(tilert_launch(w.device, &launch, &w.error),
                   TILE_UNAVAILABLE);
  end_world(&w);
}

static void a_call_without_arguments_is_told(void **state) {
  World w = {.pack = NULL};
  (void)state;
  assert_int_equal(make_world(&w, "cpu", NULL), TILE_OK);
  TilertLaunch launch = launch_of(&w);
  launch.num_args = 0;
  assert_int_equal(tilert_launch(w.device, &launch, &w.error),
                   TILE_UNAVAILABLE);
  assert_non_null(strstr(w.error.text, "'add' for cpu and no arguments; it "));
  assert_non_null(strstr(tilert_status_text(TILE_UNAVAILABLE), "variant"));
  end_world(&w);
}

static void wrong_calls_have_a_status(void **state) {
  World w = {.pack = NULL};
  (void)state;
  assert_int_equal(make_world(&w, "cpu", NULL), TILE_OK);
  TilertLaunch launch = launch_of(&w);
  launch.num_args = 5;
  const TileArg args[6] = {w.args[0], w.args[1],          w.args[2],
                           w.args[3], tile_int_arg(1024), tile_int_arg(0)};
  launch.args = args;
  assert_int_equal(tilert_launch(w.device, &launch, NULL), TILE_OK);
  launch.num_args = 6;
  assert_int_equal(tilert_launch(w.device, &launch, NULL),
                   TILE_INVALID_ARGUMENT);
  launch.num_args = 3;
  assert_int_equal(tilert_launch(w.device, &launch, NULL), TILE_UNAVAILABLE);
  launch.num_args = 4;
  launch.grid[0] = 0;
  assert_int_equal(tilert_launch(w.device, &launch, &w.error),
                   TILE_INVALID_ARGUMENT);
  launch.grid[0] = 1u << 22; // 2**64 programs in all
  launch.grid[1] = launch.grid[2] = 1u << 21;
  assert_int_equal(tilert_launch(w.device, &launch, &w.error),
                   TILE_INVALID_ARGUMENT);
  launch.grid[0] = launch.grid[1] = launch.grid[2] = 1;
  launch.stream = &w;
  assert_int_equal(tilert_launch(w.device, &launch, &w.error),
                   TILE_INVALID_ARGUMENT);
  launch.stream = NULL;
  launch.pack = NULL;
  assert_int_equal(tilert_launch(w.device, &launch, &w.error),
                   TILE_INVALID_ARGUMENT);
  assert_int_equal(tilert_launch(NULL, &launch, &w.error),
                   TILE_INVALID_ARGUMENT);
  end_world(&w);
  assert_int_equal(tilert_device_open("gpu", NULL, &w.device, &w.error),
                   TILE_INVALID_ARGUMENT);
}

// -- Memory ------------------------------------------------------------------

static void each_allocation_fails_once(void **state) {
  TileStatus status = TILE_OUT_OF_MEMORY;
  int failures = 0;
  (void)state;
  for (int at = 0; status; at++) {
    World w = {.pack = NULL};
    float out[N];
    Meter meter = {.left = at};
    const TilertOptions options = {
        .size = sizeof options,
        .allocator = {meter_alloc, meter_free, &meter},
        .num_threads = 1 + at % 3};
    status = make_world(&w, "cpu", &options);
    if (!status) status = run(&w, out);
    TilertLaunch launch = launch_of(&w);
    launch.grid[0] = 2; // on all threads
    if (!status) status = tilert_launch(w.device, &launch, &w.error);
    end_world(&w);
    assert_true(!status || status == TILE_OUT_OF_MEMORY);
    assert_int_equal(meter.taken, 0);
    failures += status != TILE_OK;
  }
  assert_true(failures > 6);
}

// -- Code --------------------------------------------------------------------

static bool refuses_code; // as a hardened system does

// Replaces mprotect() of libc.
int mprotect(void *at, size_t size, int protection) {
  if (!(refuses_code && protection & PROT_EXEC))
    return (int)syscall(SYS_mprotect, at, size, protection);
  errno = EACCES;
  return -1;
}

static void code_that_may_not_run_is_no_want_of_memory(void **state) {
  World w = {.pack = NULL};
  (void)state;
  assert_int_equal(make_world(&w, "cpu", NULL), TILE_OK);
  const TilertLaunch launch = launch_of(&w);
  refuses_code = true;
  assert_int_equal(tilert_prepare(w.device, &launch, &w.error),
                   TILE_DEVICE_ERROR);
  assert_string_equal(
      w.error.text,
      "the code of 'kernel_add' cannot be loaded: Permission denied");
  refuses_code = false;
  assert_int_equal(tilert_prepare(w.device, &launch, &w.error), TILE_OK);
  end_world(&w);
}

int main(void) {
  fake = fake_cuda_load(FAKE_CUDA);
  if (!fake) return 1;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(on_the_cpu),
      cmocka_unit_test(tile_cpu_is_the_highest_level),
      cmocka_unit_test(in_the_simulator),
      cmocka_unit_test(kernels_print_and_assert),
      cmocka_unit_test(on_a_gpu),
      cmocka_unit_test(each_driver_call_fails_once),
      cmocka_unit_test(constants_have_types),
      cmocka_unit_test(missing_variants_are_named),
      cmocka_unit_test(values_show_their_types),
      cmocka_unit_test(addresses_lie_where_elements_may),
      cmocka_unit_test(a_call_without_arguments_is_told),
      cmocka_unit_test(wrong_calls_have_a_status),
      cmocka_unit_test(each_allocation_fails_once),
      cmocka_unit_test(code_that_may_not_run_is_no_want_of_memory),
  };
  return RUN_TESTS_WITH_FILES(tests);
}
