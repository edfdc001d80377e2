// test_code -- the code of kernels, for devices and for targets without one.
#define _GNU_SOURCE // mkdtemp, nftw
#include "tile/engine.h"
#include "tile/tile.h"

#include "tests/runtime/programs.h"

#include "tests/tools/open_files.h"

#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct {
  TileContext *context;
  TileDevice *device;
  TileProgram *program;
  TileArg args[3];
  TileLaunch launch;
} Rig;

static long allocations, fail_at = -1, live;

static void *count_alloc(void *ctx, size_t size) {
  (void)ctx;
  if (allocations++ == fail_at) return NULL;
  live++;
  return malloc(size);
}

static void count_free(void *ctx, void *block) {
  (void)ctx;
  live--;
  free(block);
}

static TileStatus try_open(Rig *r, const char *cache, const char *name) {
  static float memory[64];
  const TileContextOptions options = {
      .size = sizeof options,
      .allocator = {count_alloc, count_free, NULL},
      .cache_dir = cache};
  const TileSource source = {.file = "copy.tile", .text = copy_text};
  const bool is_target = !strncmp(name, "sm_", 3) || !strcmp(name, "target");
  *r = (Rig){NULL};
  TileStatus status = tile_context_create(&options, &r->context);
  if (!strcmp(name, "target")) name = "cpu";
  if (!status)
    status = (is_target ? tile_target_open
                        : tile_device_open)(r->context, name, &r->device, NULL);
  if (!status)
    status = tile_program_create(r->context, &source, &r->program, NULL);
  r->args[0] = r->args[1] = tile_pointer_arg(memory, TILE_FP32);
  r->args[2] = tile_int_arg(16);
  r->launch = (TileLaunch){
      .size = sizeof r->launch, .grid = {1}, .args = r->args, .num_args = 3};
  if (!status)
    status = tile_program_kernel(r->program, NULL, &r->launch.kernel, NULL);
  return status;
}

static void open_rig(Rig *r, const char *name) {
  assert_int_equal(try_open(r, NULL, name), TILE_OK);
}

static void close_rig(const Rig *r) {
  tile_program_destroy(r->program);
  tile_device_destroy(r->device);
  tile_context_destroy(r->context);
}

static TileCode *code_of(const Rig *r, TileCodeKind kind) {
  TileCode *code = NULL;
  TileDiagnostics *why = NULL;
  if (tile_kernel_code(r->device, &r->launch, kind, &code, &why))
    fail_msg("%s", tile_diagnostics_text(why));
  assert_null(why);
  const bool is_host = !strcmp(tile_device_target(r->device), "cpu");
  assert_string_equal(tile_code_symbol(code),
                      is_host && kind != TILE_CODE_IR ? "kernel_copy" : "copy");
  const char *data = tile_code_data(code);
  assert_int_equal(data[tile_code_size(code)], 0);
  return code;
}

static void expect_text(const Rig *r, TileCodeKind kind, const char *wanted) {
  TileCode *code = code_of(r, kind);
  const char *text = tile_code_data(code);
  assert_int_equal(strlen(text), tile_code_size(code));
  if (!strstr(text, wanted)) fail_msg("no '%s' in:\n%s", wanted, text);
  tile_code_destroy(code);
}

static void refuse(const Rig *r, TileCodeKind kind, TileStatus wanted,
                   const char *message) {
  TileCode *code = NULL;
  TileDiagnostics *why = NULL;
  assert_int_equal(tile_kernel_code(r->device, &r->launch, kind, &code, &why),
                   wanted);
  assert_null(code);
  if (!strstr(tile_diagnostics_text(why), message))
    fail_msg("'%s' lacks '%s'", tile_diagnostics_text(why), message);
  tile_diagnostics_destroy(why);
}

// -- Targets -----------------------------------------------------------------

static void test_a_gpu_that_is_not_there(void **state) {
  (void)state;
  Rig r;
  open_rig(&r, "sm_90a");
  assert_string_equal(tile_device_name(r.device), "sm_90a");
  assert_string_equal(tile_device_target(r.device), "sm_90a");
  expect_text(&r, TILE_CODE_PTX, ".target sm_90a");
  expect_text(&r, TILE_CODE_PTX, ".entry copy(");
  expect_text(&r, TILE_CODE_ASSEMBLY, ".target sm_90a");
  expect_text(&r, TILE_CODE_LLVM, "nvptx64-nvidia-cuda");
  expect_text(&r, TILE_CODE_IR, "load");
  refuse(&r, TILE_CODE_OBJECT, TILE_INVALID_ARGUMENT,
         "code for sm_90a has no object");
  close_rig(&r);
}

static void test_each_gpu(void **state) {
  (void)state;
  static const char *const names[] = {"sm_75", "sm_80", "sm_86", "sm_89",
                                      "sm_90"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    Rig r;
    char wanted[32];
    open_rig(&r, names[i]);
    snprintf(wanted, sizeof wanted, ".target %s", names[i]);
    expect_text(&r, TILE_CODE_PTX, wanted);
    close_rig(&r);
  }
}

static void expect_object(const Rig *r) {
  TileCode *code = code_of(r, TILE_CODE_OBJECT);
  assert_memory_equal(tile_code_data(code), "\177ELF", 4);
  tile_code_destroy(code);
}

static void test_the_cpu(void **state) {
  (void)state;
  static const char *const names[] = {"cpu", "null", "target"};
  for (int i = 0; i < 3; i++) {
    Rig r;
    open_rig(&r, names[i]);
    expect_object(&r);
    expect_text(&r, TILE_CODE_ASSEMBLY, "kernel_copy:");
    expect_text(&r, TILE_CODE_LLVM, "define void @kernel_copy(");
    expect_text(&r, TILE_CODE_IR, "copy");
    refuse(&r, TILE_CODE_PTX, TILE_INVALID_ARGUMENT, "code for cpu has no PTX");
    refuse(&r, TILE_CODE_CUBIN, TILE_INVALID_ARGUMENT, "has no cubin");
    refuse(&r, (TileCodeKind)99, TILE_INVALID_ARGUMENT, "the number 99");
    close_rig(&r);
  }
}

static void test_the_simulator(void **state) {
  (void)state;
  Rig r;
  setenv("TILE_SIM_CHIP", "sm_86", 1);
  open_rig(&r, "sim");
  expect_text(&r, TILE_CODE_PTX, ".target sm_86");
  setenv("TILE_PTXAS", "/nowhere", 1);
  refuse(&r, TILE_CODE_CUBIN, TILE_UNAVAILABLE, "nothing there can be run");
  unsetenv("TILE_PTXAS");
  close_rig(&r);
}

static void test_a_target_runs_nothing(void **state) {
  (void)state;
  Rig r;
  TileBuffer *buffer = NULL;
  TileDiagnostics *why = NULL;
  TileKernelInfo info = {.size = sizeof info};
  open_rig(&r, "sm_80");
  assert_int_equal(tile_kernel_prepare(r.device, &r.launch, NULL), TILE_OK);
  assert_int_equal(tile_kernel_info(r.device, &r.launch, &info, NULL), TILE_OK);
  assert_int_equal(info.num_warps, 4);
  assert_int_equal(info.registers, -1);
  assert_int_equal(tile_launch(r.device, &r.launch, &why), TILE_UNSUPPORTED);
  assert_non_null(
      strstr(tile_diagnostics_text(why), "'sm_80' is a target and no device"));
  tile_diagnostics_destroy(why);
  assert_int_equal(tile_buffer_create(r.device, 8, &buffer), TILE_UNSUPPORTED);
  assert_int_equal(tile_device_sync(r.device, NULL), TILE_OK);
  close_rig(&r);
}

static void test_targets_have_no_streams(void **state) {
  (void)state;
  static const char *const targets[] = {"sm_90a", "target"};
  for (int i = 0; i < 2; i++) {
    Rig r;
    void *stream, *memory;
    TileEvent *event;
    open_rig(&r, targets[i]);
    assert_int_equal(tile_stream_create(r.device, &stream, NULL),
                     TILE_UNSUPPORTED);
    assert_int_equal(tile_stream_sync(r.device, NULL, NULL), TILE_OK);
    assert_int_equal(tile_event_create(r.device, &event, NULL),
                     TILE_UNSUPPORTED);
    assert_int_equal(tile_host_alloc(r.device, 8, &memory, NULL),
                     TILE_UNSUPPORTED);
    close_rig(&r);
  }
}

static void expect_no_target(TileContext *context, const char *name,
                             const char *message) {
  TileDevice *device = NULL;
  TileDiagnostics *why = NULL;
  assert_int_equal(tile_target_open(context, name, &device, &why),
                   TILE_INVALID_ARGUMENT);
  assert_null(device);
  if (!strstr(tile_diagnostics_text(why), message))
    fail_msg("'%s' lacks '%s'", tile_diagnostics_text(why), message);
  tile_diagnostics_destroy(why);
}

static void test_names(void **state) {
  (void)state;
  TileContext *context;
  TileDevice *device = NULL;
  assert_int_equal(tile_context_create(NULL, &context), TILE_OK);
  expect_no_target(context, "sm80", "did you mean 'sm_80'");
  expect_no_target(context, "h100", "no target is called 'h100'");
  expect_no_target(context, "", "no target is called ''");
  expect_no_target(context, NULL, "'target' is NULL");
  assert_int_equal(tile_target_open(NULL, "cpu", &device, NULL),
                   TILE_INVALID_ARGUMENT);
  assert_int_equal(tile_target_open(context, "cpu", NULL, NULL),
                   TILE_INVALID_ARGUMENT);
  tile_context_destroy(context);
}

// -- Given code --------------------------------------------------------------

static void test_what_is_wrong(void **state) {
  (void)state;
  Rig r;
  TileCode *code = NULL;
  open_rig(&r, "sm_80");
  assert_int_equal(
      tile_kernel_code(NULL, &r.launch, TILE_CODE_PTX, &code, NULL),
      TILE_INVALID_ARGUMENT);
  assert_int_equal(
      tile_kernel_code(r.device, &r.launch, TILE_CODE_PTX, NULL, NULL),
      TILE_INVALID_ARGUMENT);
  assert_int_equal(tile_kernel_code(r.device, NULL, TILE_CODE_PTX, &code, NULL),
                   TILE_INVALID_ARGUMENT);
  r.launch.num_args = 1;
  refuse(&r, TILE_CODE_PTX, TILE_INVALID_ARGUMENT, "misses its argument");
  const TileConstant odd = {"BLOCK", tile_int_arg(3)};
  r.launch.num_args = 3;
  r.launch.constants = &odd;
  r.launch.num_constants = 1;
  refuse(&r, TILE_CODE_PTX, TILE_COMPILE_ERROR, "power of two");
  assert_string_equal(tile_code_data(NULL), "");
  assert_int_equal(tile_code_size(NULL), 0);
  assert_string_equal(tile_code_symbol(NULL), "");
  tile_code_destroy(NULL);
  close_rig(&r);
}

static void test_it_outlives_its_context(void **state) {
  (void)state;
  Rig r;
  open_rig(&r, "sm_80");
  TileCode *code = code_of(&r, TILE_CODE_PTX);
  close_rig(&r);
  assert_non_null(strstr(tile_code_data(code), ".target sm_80"));
  tile_code_destroy(code);
  assert_int_equal(live, 0);
}

static void test_each_allocation_fails(void **state) {
  (void)state;
  static const TileCodeKind kinds[] = {TILE_CODE_IR, TILE_CODE_PTX};
  for (int k = 0; k < 2; k++) {
    bool done = false;
    for (long i = 0; !done; i++) {
      Rig r;
      TileCode *code = NULL;
      allocations = 0;
      fail_at = i;
      TileStatus status = try_open(&r, NULL, "sm_80");
      if (!status)
        status = tile_kernel_code(r.device, &r.launch, kinds[k], &code, NULL);
      done = status == TILE_OK;
      if (!done) assert_int_equal(status, TILE_OUT_OF_MEMORY);
      assert_int_equal(code != NULL, done);
      fail_at = -1;
      tile_code_destroy(code);
      close_rig(&r);
      assert_int_equal(live, 0);
    }
  }
}

static int remove_one(const char *path, const struct stat *info, int type,
                      struct FTW *at) {
  (void)info, (void)type, (void)at;
  return remove(path);
}

// The code that is kept on disk is the same.
static void test_with_a_cache(void **state) {
  (void)state;
  char folder[] = "/tmp/test_code.XXXXXX";
  assert_non_null(mkdtemp(folder));
  for (TileCodeKind kind = TILE_CODE_IR; kind <= TILE_CODE_PTX; kind++) {
    char *first = NULL;
    for (int i = 0; i < 2; i++) {
      Rig r;
      assert_int_equal(try_open(&r, folder, "sm_80"), TILE_OK);
      TileCode *code = code_of(&r, kind);
      if (i) assert_string_equal(first, tile_code_data(code));
      if (!i) first = strdup(tile_code_data(code));
      tile_code_destroy(code);
      close_rig(&r);
    }
    free(first);
  }
  nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_gpu_that_is_not_there),
      cmocka_unit_test(test_each_gpu),
      cmocka_unit_test(test_the_cpu),
      cmocka_unit_test(test_the_simulator),
      cmocka_unit_test(test_a_target_runs_nothing),
      cmocka_unit_test(test_names),
      cmocka_unit_test(test_targets_have_no_streams),
      cmocka_unit_test(test_what_is_wrong),
      cmocka_unit_test(test_it_outlives_its_context),
      cmocka_unit_test(test_each_allocation_fails),
      cmocka_unit_test(test_with_a_cache),
  };
  return RUN_TESTS_WITH_FILES(tests);
}
