// test_faults.c -- every allocation of ours fails once, from opening the device
// to reading the result, and each time the answer is TILE_OUT_OF_MEMORY, with
// nothing leaked and everything usable afterwards.
//
// Backs I5 of runtime.
#define _GNU_SOURCE // mkdtemp, nftw
#include "tile/tile.h"

#include "runtime/base/file.h"
#include "tests/runtime/programs.h"

#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct {
  _Atomic long calls, fail_at, live;
} Meter;

static void *meter_alloc(void *ctx, size_t size) {
  Meter *meter = ctx;
  if (atomic_fetch_add(&meter->calls, 1) == meter->fail_at) return NULL;
  atomic_fetch_add(&meter->live, 1);
  return malloc(size);
}

static void meter_free(void *ctx, void *block) {
  Meter *meter = ctx;
  atomic_fetch_sub(&meter->live, 1);
  free(block);
}

// -- The whole path ----------------------------------------------------------

static TileStatus launch(TileDevice *device, TileKernel *kernel,
                         TileBuffer *buffer, TileDiagnostics **d) {
  float values[16] = {1, 2, 3};
  TileStatus status = tile_buffer_write(buffer, 0, values, sizeof values);
  if (status) return status;
  const TileArg args[] = {tile_buffer_arg(buffer, TILE_FP32),
                          tile_buffer_arg(buffer, TILE_FP32), tile_int_arg(16)};
  const TileLaunch call = {
      .kernel = kernel, .grid = {2}, .args = args, .num_args = 3};
  status = tile_launch(device, &call, d);
  if (!status) status = tile_device_sync(device, d);
  if (!status) status = tile_buffer_read(buffer, 0, values, sizeof values);
  const bool runs = strcmp(tile_device_name(device), "null") != 0;
  if (!status && runs) assert_true(values[2] == 6);
  return status;
}

static TileStatus use_program(TileContext *context, TileDevice *device,
                              TileDiagnostics **d) {
  TileProgram *program = NULL;
  TileKernel *kernel;
  TileBuffer *buffer = NULL;
  const TileSource source = {.file = "copy.tile", .text = copy_text};
  TileStatus status = tile_program_create(context, &source, &program, d);
  if (!status) status = tile_program_kernel(program, NULL, &kernel, d);
  if (!status) status = tile_buffer_create(device, 64, &buffer);
  if (!status) status = launch(device, kernel, buffer, d);
  // A call that failed for lack of memory works once there is some.
  if (status == TILE_OUT_OF_MEMORY && buffer)
    assert_int_equal(launch(device, kernel, buffer, d), TILE_OK);
  tile_buffer_destroy(buffer);
  tile_program_destroy(program);
  return status;
}

static const char *cache;        // NULL: none
static const char *tuned_folder; // NULL: nothing is tuned
static TileStatus use_tuned(TileContext *context, TileDevice *device,
                            TileDiagnostics **d);

static TileStatus use_all(Meter *meter, const char *name, long fail_at,
                          TileDiagnostics **d) {
  TileContext *context;
  TileDevice *device;
  const TileContextOptions options = {
      .size = sizeof options,
      .allocator = {meter_alloc, meter_free, meter},
      .cache_dir = cache,
      .tuned = tuned_folder};
  meter->calls = 0;
  meter->fail_at = fail_at;
  TileStatus status = tile_context_create(&options, &context);
  if (status) return status;
  status = tile_device_open(context, name, &device, d);
  if (!status) {
    status = tuned_folder ? use_tuned(context, device, d)
                          : use_program(context, device, d);
    tile_device_destroy(device);
  }
  tile_diagnostics_destroy(*d);
  *d = NULL;
  tile_context_destroy(context);
  return status;
}

static int remove_one(const char *path, const struct stat *info, int type,
                      struct FTW *at) {
  (void)info, (void)type, (void)at;
  return remove(path);
}

static bool is_empty_before; // the cache is emptied before each run

static void empty_cache(void) {
  if (cache && is_empty_before)
    nftw(cache, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void check_device(const char *name) {
  Meter meter = {0};
  TileDiagnostics *diagnostics = NULL;
  assert_int_equal(use_all(&meter, name, -1, &diagnostics), TILE_OK);
  assert_int_equal(meter.live, 0);
  const long calls = meter.calls;
  assert_true(calls > 10);
  print_message("%s: %ld allocations\n", name, calls);
  for (long i = 0; i < calls; i++) {
    empty_cache();
    const TileStatus status = use_all(&meter, name, i, &diagnostics);
    // Only a thread without scratch memory does not help.
    if (status != TILE_OUT_OF_MEMORY && status != TILE_OK)
      fail_msg("%s, allocation %ld: status %d", name, i, status);
    if (meter.live) fail_msg("%s, allocation %ld leaks", name, i);
  }
}

// -- With a cache on disk ----------------------------------------------------

// The descriptor that the next file gets: the same if none is left open.
static int lowest_file(void) {
  const int file = dup(0);
  assert_true(file >= 0);
  close(file);
  return file;
}

static void check_cached(bool is_empty) {
  char folder[] = "/tmp/test_faults.XXXXXX";
  assert_non_null(mkdtemp(folder));
  cache = folder;
  is_empty_before = is_empty;
  const int before = lowest_file();
  check_device("cpu");
  assert_int_equal(lowest_file(), before);
  nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
  cache = NULL;
}

static void test_what_is_put_on_the_disk(void **state) {
  (void)state;
  check_cached(true);
}

static void test_what_is_found_there(void **state) {
  (void)state;
  check_cached(false);
}

static void test_cpu(void **state) {
  (void)state;
  check_device("cpu");
}

static void test_null(void **state) {
  (void)state;
  check_device("null");
}

// -- Files -------------------------------------------------------------------

typedef struct {
  Arena arena;
  const char *path;
  size_t pad; // allocated before, so that any allocation meets a full block
} Reading;

static void read_body(void *data) {
  Reading *r = data;
  char why[64];
  size_t length;
  arena_alloc(&r->arena, r->pad + 1, 1, 1);
  assert_non_null(file_read(&r->arena, r->path, &length, why, sizeof why));
}

static bool read_file(Meter *meter, const char *path, size_t pad,
                      long fail_at) {
  const Allocator from = {meter_alloc, meter_free, meter};
  Reading reading = {.path = path, .pad = pad};
  meter->calls = 0;
  meter->fail_at = fail_at;
  arena_init(&reading.arena, &from);
  const bool ok = arena_protect(&reading.arena, read_body, &reading);
  arena_free(&reading.arena);
  return ok;
}

// No file is left open when memory runs out at any point.
static void test_a_file(void **state) {
  (void)state;
  Meter meter = {0};
  char path[] = "/tmp/test_faults.XXXXXX";
  close(mkstemp(path));
  const int before = lowest_file();
  for (size_t pad = 0; pad < 64; pad++) {
    for (long i = 0; !read_file(&meter, path, pad, i); i++) {
      if (lowest_file() != before) fail_msg("allocation %ld leaves a file", i);
    }
  }
  assert_int_equal(meter.live, 0);
  unlink(path);
}

// -- Errors that need memory to be told --------------------------------------

static TileStatus fail_to_compile(Meter *meter, long fail_at) {
  TileContext *context;
  TileProgram *program = NULL;
  TileDiagnostics *diagnostics = NULL;
  const TileContextOptions options = {
      .allocator = {meter_alloc, meter_free, meter}};
  meter->calls = 0;
  meter->fail_at = fail_at;
  TileStatus status = tile_context_create(&options, &context);
  if (status) return status;
  const TileSource source = {.file = "bad.tile",
                             .text = "@jit\ndef k(x):\n    y = ]\n"};
  status = tile_program_create(context, &source, &program, &diagnostics);
  assert_int_not_equal(status, TILE_OK);
  tile_diagnostics_destroy(diagnostics);
  tile_context_destroy(context);
  return status;
}

static void test_diagnostics(void **state) {
  (void)state;
  Meter meter = {0};
  assert_int_equal(fail_to_compile(&meter, -1), TILE_COMPILE_ERROR);
  const long calls = meter.calls;
  for (long i = 0; i < calls; i++) {
    assert_int_equal(fail_to_compile(&meter, i), TILE_OUT_OF_MEMORY);
    assert_int_equal(meter.live, 0);
  }
}

// -- Tuning ------------------------------------------------------------------

static const char adds_text[] =
    "def early(configs, named_args):\n"
    "    return [c for c in configs if c.kwargs['ADD'] < named_args['n']]\n"
    "def before(args, reset_only=False):\n"
    "    args['x'].fill_(3)\n"
    "@autotune(configs=[Config({'ADD': 1}), Config({'ADD': 2}, num_warps=8,\n"
    "                   pre_hook=lambda args: args['x'].fill_(4)),\n"
    "                   Config({'ADD': 9})], key=['n'], pre_hook=before,\n"
    "          prune_configs_by={'early_config_prune': early,\n"
    "                            'perf_model': lambda ADD: ADD, 'top_k': 2})\n"
    "@jit\n"
    "def add(x, n, ADD: tl.constexpr):\n"
    "    tl.store(x, tl.load(x) + 1)\n";

static bool tunes_space; // else the list of @autotune

// The buffer keeps its content after any failure.
static TileStatus tune_and_launch(TileDevice *device, TileKernel *kernel,
                                  TileBuffer *buffer, TileDiagnostics **d) {
  const TileArg args[] = {tile_buffer_arg(buffer, TILE_INT32), tile_int_arg(5)};
  const TileLaunch what = {
      .kernel = kernel, .grid = {1}, .args = args, .num_args = 2};
  const TileConstant adds[] = {{"ADD", tile_int_arg(3)},
                               {"ADD", tile_int_arg(4)}};
  const TileTuneChoice choices[] = {{"ADD=3", &adds[0], 1, 0, 0},
                                    {"ADD=4", &adds[1], 1, 4, 0}};
  const TileTuneOptions options = {
      .num_rounds = 1, .choices = choices, .num_choices = tunes_space ? 2 : 0};
  TileTuning *tuning = NULL;
  const int32_t given = 7;
  int32_t found = 0;
  TileStatus status = tile_buffer_write(buffer, 0, &given, sizeof given);
  if (status) return status;
  status = tile_tune(device, &what, &options, &tuning, d);
  assert_int_equal(tile_buffer_read(buffer, 0, &found, sizeof found), TILE_OK);
  assert_int_equal(found, given);
  assert_true(!status == (tuning != NULL));
  tile_tuning_destroy(tuning);
  return status ? status : tile_launch(device, &what, d);
}

static TileStatus use_tuned(TileContext *context, TileDevice *device,
                            TileDiagnostics **d) {
  TileProgram *program;
  TileKernel *kernel;
  TileBuffer *buffer;
  TileStatus status = tile_program_create(
      context, &(TileSource){.text = adds_text}, &program, d);
  if (status) return status;
  status = tile_program_kernel(program, NULL, &kernel, d);
  if (!status) status = tile_buffer_create(device, 4, &buffer);
  if (!status) {
    status = tune_and_launch(device, kernel, buffer, d);
    tile_buffer_destroy(buffer);
  }
  tile_program_destroy(program);
  return status;
}

static void test_tuning(void **state) {
  char folder[] = "/tmp/test_faults.XXXXXX";
  (void)state;
  assert_non_null(mkdtemp(folder));
  tuned_folder = folder;
  const int before = lowest_file();
  for (int i = 0; i < 2; i++) {
    tunes_space = i;
    check_device("cpu");
    assert_int_equal(lowest_file(), before);
  }
  nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
  tuned_folder = NULL;
}

int main(void) {
  setenv("TILE_NUM_THREADS", "2", 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cpu),
      cmocka_unit_test(test_null),
      cmocka_unit_test(test_tuning),
      cmocka_unit_test(test_what_is_put_on_the_disk),
      cmocka_unit_test(test_what_is_found_there),
      cmocka_unit_test(test_a_file),
      cmocka_unit_test(test_diagnostics),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
