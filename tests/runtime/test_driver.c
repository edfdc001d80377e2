// test_driver.c -- the C API over a driver that fails, lies or is none.
//
// A program compiles and launches kernels over the fake driver.  Each call of
// the driver fails once, then each stores nonsense once: the call of the API
// that contained it returns the error, the same call again works, and nothing
// is leaked.
#define _GNU_SOURCE // mkdtemp, nftw
#include "tests/runtime/fake_cuda.h"
#include "tile/tile.h"

#include "tests/tools/open_files.h"

#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static FakeCuda *fake;
static const char *cache; // on disk; NULL: none

static const char source_text[] =
    "def hook(args):\n"
    "    args['x'].fill_(1.5)\n"
    "\n"
    "@autotune(configs=[Config({}, pre_hook=hook)], key=[])\n"
    "@jit\n"
    "def k(x: *fp32, n: i32):\n"
    "    i = tl.arange(0, 128)\n"
    "    tl.store(x + i, tl.load(x + i, mask=i < n), mask=i < n)\n";

typedef struct {
  TileContext *context;
  TileDevice *device;
  TileProgram *program;
  TileKernel *kernel;
  TileBuffer *buffer, *second;
  void *stream;
  char *pinned;
  TileEvent *start, *end;
  TileBinding *binding;
  TileKernelInfo info;
  int failures; // of steps
} Session;

// -- The steps of a program --------------------------------------------------

static TileStatus open_device(Session *s, TileDiagnostics **why) {
  return tile_device_open(s->context, "cuda", &s->device, why);
}

static TileStatus make_buffer(Session *s, TileDiagnostics **why) {
  (void)why;
  return tile_buffer_create(s->device, 512, &s->buffer);
}

static TileStatus fill(Session *s, TileDiagnostics **why) {
  static const char zeros[512];
  (void)why;
  return tile_buffer_write(s->buffer, 0, zeros, sizeof zeros);
}

static TileLaunch launch_of(const Session *s, TileArg *args) {
  args[0] = tile_buffer_arg(s->buffer, TILE_FP32);
  args[1] = tile_int_arg(100);
  return (TileLaunch){
      .kernel = s->kernel, .grid = {1}, .args = args, .num_args = 2};
}

static TileStatus launch(Session *s, TileDiagnostics **why) {
  TileArg args[2];
  const TileLaunch launch = launch_of(s, args);
  return tile_launch(s->device, &launch, why);
}

static TileStatus describe(Session *s, TileDiagnostics **why) {
  TileArg args[2];
  const TileLaunch launch = launch_of(s, args);
  return tile_kernel_info(s->device, &launch, &s->info, why);
}

static TileStatus sync_device(Session *s, TileDiagnostics **why) {
  (void)why;
  return tile_device_sync(s->device, NULL);
}

static TileStatus take_back(Session *s, TileDiagnostics **why) {
  char bytes[512];
  (void)why;
  return tile_buffer_read(s->buffer, 0, bytes, sizeof bytes);
}

// -- In the order of streams -------------------------------------------------

static TileStatus make_second(Session *s, TileDiagnostics **why) {
  (void)why;
  return tile_buffer_create(s->device, 512, &s->second);
}

static TileStatus make_stream(Session *s, TileDiagnostics **why) {
  return tile_stream_create(s->device, &s->stream, why);
}

static TileStatus pin(Session *s, TileDiagnostics **why) {
  void *address = NULL;
  const TileStatus status = tile_host_alloc(s->device, 512, &address, why);
  if (!status) s->pinned = address;
  return status;
}

static TileStatus make_start(Session *s, TileDiagnostics **why) {
  return tile_event_create(s->device, &s->start, why);
}

static TileStatus make_end(Session *s, TileDiagnostics **why) {
  return tile_event_create(s->device, &s->end, why);
}

static TileStatus record_start(Session *s, TileDiagnostics **why) {
  return tile_event_record(s->start, s->stream, why);
}

static TileStatus write_later(Session *s, TileDiagnostics **why) {
  return tile_buffer_write_async(s->buffer, 0, s->pinned, 512, s->stream, why);
}

static TileStatus fill_bytes(Session *s, TileDiagnostics **why) {
  return tile_buffer_fill(s->buffer, 0, 512, "a", 1, s->stream, why);
}

static TileStatus fill_halves(Session *s, TileDiagnostics **why) {
  return tile_buffer_fill(s->buffer, 0, 256, "bc", 2, s->stream, why);
}

static TileStatus fill_words(Session *s, TileDiagnostics **why) {
  return tile_buffer_fill(s->buffer, 0, 128, "defg", 4, s->stream, why);
}

static TileStatus copy(Session *s, TileDiagnostics **why) {
  return tile_buffer_copy(s->second, 0, s->buffer, 0, 512, s->stream, why);
}

static TileStatus record_end(Session *s, TileDiagnostics **why) {
  return tile_event_record(s->end, s->stream, why);
}

static TileStatus wait_for_end(Session *s, TileDiagnostics **why) {
  return tile_event_wait(s->end, s->device, NULL, why);
}

static TileStatus read_later(Session *s, TileDiagnostics **why) {
  return tile_buffer_read_async(s->second, 0, s->pinned, 512, NULL, why);
}

static TileStatus sync_end(Session *s, TileDiagnostics **why) {
  return tile_event_sync(s->end, why);
}

static TileStatus sync_stream(Session *s, TileDiagnostics **why) {
  return tile_stream_sync(s->device, NULL, why);
}

static TileStatus ask_seconds(Session *s, TileDiagnostics **why) {
  double seconds = 0;
  const TileStatus status = tile_event_seconds(s->start, s->end, &seconds, why);
  if (!status) assert_true(seconds == 0.5e-3);
  return status;
}

static TileStatus bind(Session *s, TileDiagnostics **why) {
  TileArg args[2];
  const TileLaunch launch = launch_of(s, args);
  return tile_launch_bind(s->device, &launch, &s->binding, why);
}

static TileStatus start_binding(Session *s, TileDiagnostics **why) {
  return tile_binding_start(s->binding, NULL, 0, s->stream, why);
}

typedef TileStatus Step(Session *s, TileDiagnostics **why);

// -- Running them ------------------------------------------------------------

// A step that fails works when it is tried again.
static void run_step(Session *s, Step *step, const char *said) {
  TileDiagnostics *why = NULL;
  TileStatus status = step(s, &why);
  if (status) {
    const char *text = tile_diagnostics_text(why);
    s->failures++;
    assert_int_equal(status,
                     fake->is_full ? TILE_OUT_OF_MEMORY : TILE_DEVICE_ERROR);
    if (why && !strstr(text, said)) {
      print_error("'%s' is not in %s", said, text);
      fail();
    }
    status = step(s, NULL);
  }
  tile_diagnostics_destroy(why);
  if (status) fail_msg("the second time: %s", tile_status_text(status));
}

static void run_session(Session *s, const char *said) {
  static Step *const steps[] = {
      open_device,  make_buffer,  fill,       launch,       launch,
      describe,     sync_device,  take_back,  make_second,  make_stream,
      pin,          make_start,   make_end,   record_start, write_later,
      fill_bytes,   fill_halves,  fill_words, copy,         record_end,
      wait_for_end, read_later,   sync_end,   sync_stream,  ask_seconds,
      bind,         start_binding};
  const TileSource source = {.file = "k.tile", .text = source_text};
  const TileContextOptions options = {.size = sizeof options,
                                      .cache_dir = cache};
  *s = (Session){.context = NULL};
  assert_int_equal(tile_context_create(&options, &s->context), TILE_OK);
  assert_int_equal(tile_program_create(s->context, &source, &s->program, NULL),
                   TILE_OK);
  assert_int_equal(tile_program_kernel(s->program, "k", &s->kernel, NULL),
                   TILE_OK);
  for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
    run_step(s, steps[i], said);
  assert_memory_equal(s->pinned, "defgdefg", 8);
  assert_memory_equal(s->pinned + 128, "bcbc", 4);
  assert_memory_equal(s->pinned + 256, "aaaa", 4);
  tile_binding_destroy(s->binding);
  tile_event_destroy(s->start);
  tile_event_destroy(s->end);
  tile_host_free(s->device, s->pinned);
  tile_stream_destroy(s->device, s->stream);
  tile_buffer_destroy(s->second);
  tile_buffer_destroy(s->buffer);
  tile_program_destroy(s->program);
  tile_device_destroy(s->device);
  tile_context_destroy(s->context);
  assert_int_equal(fake->unloaded_early, 0); // start_binding() may still run
}

static void reset(void) {
  *fake = (FakeCuda){.fail_at = -1, .chip = 80, .local_bytes = 8};
}

static int count_calls(void) {
  Session s;
  reset();
  run_session(&s, "nothing");
  assert_int_equal(s.failures, 0);
  assert_int_equal(fake->live, 0);
  return fake->calls;
}

// -- Tests -------------------------------------------------------------------

static void fail_every_call(bool lacks_memory, const char *said) {
  const int calls = count_calls();
  int failures = 0;
  assert_true(calls > 40);
  for (int i = 0; i < calls; i++) {
    Session s;
    reset();
    fake->is_full = lacks_memory;
    fake->fail_at = i;
    run_session(&s, said);
    if (fake->live) fail_msg("call %d leaks %d", i, fake->live);
    failures += s.failures;
  }
  // All except those that release can return an error.
  assert_true(failures > calls / 2);
}

static void test_every_call_fails_once(void **state) {
  (void)state;
  fail_every_call(false, "CUDA_ERROR_FAKE");
}

static void test_every_call_lacks_memory_once(void **state) {
  (void)state;
  fail_every_call(true, "CUDA_ERROR_FULL");
}

static void test_every_call_lies_once(void **state) {
  (void)state;
  const int calls = count_calls();
  int failures = 0;
  for (int i = 0; i < calls; i++) {
    Session s;
    reset();
    fake->lies = true;
    fake->lie_at = i;
    run_session(&s, "which makes no sense");
    if (fake->live) fail_msg("call %d leaks %d", i, fake->live);
    failures += s.failures;
    assert_int_equal(s.info.registers, 42);
    assert_int_equal(s.info.local_bytes, 8);
    assert_int_equal(s.info.spill_bytes, -1);
    assert_int_equal(s.info.programs_per_processor, 3);
  }
  // The count of GPUs, three attributes, context, two streams, two buffers,
  // module, function, its registers, local memory and programs, memory of the
  // host and two events.
  assert_int_equal(failures, 17);
}

// -- With a cache on disk ----------------------------------------------------

static char folder[64];

static int make_cache(void **state) {
  (void)state;
  strcpy(folder, "/tmp/test_driver.XXXXXX");
  cache = mkdtemp(folder);
  return cache ? 0 : 1;
}

static int remove_one(const char *path, const struct stat *info, int type,
                      struct FTW *at) {
  (void)info, (void)type, (void)at;
  return remove(path);
}

static int remove_cache(void **state) {
  (void)state;
  cache = NULL;
  return nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void expect_session(int version, int links, int cubins) {
  Session s;
  reset();
  fake->version = version;
  run_session(&s, "");
  assert_int_equal(s.failures, 0);
  assert_int_equal(fake->live, 0);
  assert_int_equal(fake->links, links);
  assert_int_equal(fake->cubins, cubins);
}

// Machine code is linked once, and loaded by later processes; for another
// driver it is linked anew.
static void test_cubins_are_kept(void **state) {
  (void)state;
  expect_session(12040, 1, 1);
  expect_session(12040, 0, 1);
  expect_session(12050, 1, 1);
  expect_session(12050, 0, 1);
  expect_session(12040, 0, 1);
}

// If the linker fails or lies, the driver gets PTX.
static void fail_each_call(bool lies, bool is_warm) {
  const int calls = count_calls();
  for (int i = 0; i < calls; i++) {
    Session s;
    if (!is_warm) remove_cache(NULL);
    if (!is_warm) make_cache(NULL);
    reset();
    fake->fail_at = lies ? -1 : i;
    fake->lies = lies;
    fake->lie_at = i;
    run_session(&s, lies ? "which makes no sense" : "CUDA_ERROR_FAKE");
    if (fake->live) fail_msg("call %d leaks %d", i, fake->live);
  }
}

static void test_every_call_fails_beside_a_cache(void **state) {
  (void)state;
  fail_each_call(false, false);
  fail_each_call(false, true);
}

static void test_every_call_lies_beside_a_cache(void **state) {
  (void)state;
  fail_each_call(true, false);
  fail_each_call(true, true);
}

static void test_code_for_the_caller(void **state) {
  (void)state;
  TileContext *context;
  TileDevice *device;
  TileProgram *program;
  TileKernel *kernel;
  TileCode *code = NULL;
  TileDiagnostics *why = NULL;
  const TileSource source = {.file = "k.tile", .text = source_text};
  const TileArg args[] = {tile_pointer_arg(NULL, TILE_FP32), tile_int_arg(3)};
  reset();
  assert_int_equal(tile_context_create(NULL, &context), TILE_OK);
  assert_int_equal(tile_device_open(context, "cuda", &device, NULL), TILE_OK);
  assert_int_equal(tile_program_create(context, &source, &program, NULL),
                   TILE_OK);
  assert_int_equal(tile_program_kernel(program, "k", &kernel, NULL), TILE_OK);
  const TileLaunch call = {.kernel = kernel, .args = args, .num_args = 2};
  assert_int_equal(
      tile_kernel_code(device, &call, TILE_CODE_CUBIN, &code, NULL), TILE_OK);
  assert_string_equal(tile_code_data(code), "cubin");
  assert_int_equal(tile_code_size(code), sizeof "cubin");
  assert_string_equal(tile_code_symbol(code), "k");
  tile_code_destroy(code);
  code = NULL;
  fake->fail_at = fake->calls + 2; // past the context and the linker's state
  assert_int_equal(
      tile_kernel_code(device, &call, TILE_CODE_CUBIN, &code, &why),
      TILE_DEVICE_ERROR);
  assert_null(code);
  assert_non_null(strstr(tile_diagnostics_text(why), "cuLinkAddData"));
  tile_diagnostics_destroy(why);
  tile_program_destroy(program);
  tile_device_destroy(device);
  tile_context_destroy(context);
  assert_int_equal(fake->live, 0);
}

static void open_with(const char *library, const char *said) {
  TileContext *context;
  TileDevice *device = NULL;
  TileDiagnostics *why = NULL;
  setenv("TILE_LIBCUDA", library, 1);
  assert_int_equal(tile_context_create(NULL, &context), TILE_OK);
  assert_int_equal(tile_device_open(context, "cuda", &device, &why),
                   TILE_UNAVAILABLE);
  assert_null(device);
  if (!strstr(tile_diagnostics_text(why), said))
    fail_msg("'%s' is not in %s", said, tile_diagnostics_text(why));
  tile_diagnostics_destroy(why);
  tile_context_destroy(context);
  setenv("TILE_LIBCUDA", FAKE_CUDA, 1);
}

static void test_no_driver(void **state) {
  (void)state;
  open_with("/nowhere/libcuda.so", "no CUDA driver: ");
  open_with("libm.so.6", "libm.so.6 has no function 'cu");
}

int main(void) {
  fake = fake_cuda_load(FAKE_CUDA);
  if (!fake) return 1;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_call_fails_once),
      cmocka_unit_test(test_every_call_lacks_memory_once),
      cmocka_unit_test(test_every_call_lies_once),
      cmocka_unit_test_setup_teardown(test_cubins_are_kept, make_cache,
                                      remove_cache),
      cmocka_unit_test_setup_teardown(test_every_call_fails_beside_a_cache,
                                      make_cache, remove_cache),
      cmocka_unit_test_setup_teardown(test_every_call_lies_beside_a_cache,
                                      make_cache, remove_cache),
      cmocka_unit_test(test_code_for_the_caller),
      cmocka_unit_test(test_no_driver),
  };
  return RUN_TESTS_WITH_FILES(tests);
}
