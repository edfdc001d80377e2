// test_device_cuda.c -- the CUDA device over a fake driver, every call of
// which fails once.
#include "runtime/context.h"
#include "tests/runtime/fake_cuda.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static FakeCuda *fake;

static const KernelParam params[] = {
    {.rule = PARAM_ARGUMENT, .index = 0, .is_pointer = true, .size = 8},
    {.rule = PARAM_ARGUMENT, .index = 1, .elem = ELEM_i32, .size = 4},
    {.rule = PARAM_WORKSPACE, .size = 64},
    {.rule = PARAM_BLOCK_MEMORY, .size = 16},
};
static KernelInfo info = {.symbol = "add",
                          .params = params,
                          .num_params = 4,
                          .num_warps = 4,
                          .shared_bytes = 100000};

static bool launch_pdl; // of the launches below
static uint32_t grid[3] = {5, 6, 7};
static TileKernelInfo described;

// -- Use of a device ---------------------------------------------------------

static bool run_once(TileDevice *device, DeviceKernel *kernel,
                     TileBuffer *buffer, Fault *fault) {
  uint64_t slots[8] = {(uint64_t)(uintptr_t)buffer->address, 1234};
  const DeviceLaunch launch = {
      .kernel = kernel,
      .info = &info,
      .args = slots,
      .grid = {grid[0], grid[1], grid[2]},
      .launch_pdl = launch_pdl,
  };
  int value = 1;
  if (!device->ops->launch(device, &launch, fault) ||
      !device->ops->describe(device, kernel, &info, &described, fault))
    return false;
  fault->status = tile_device_sync(device, NULL);
  if (fault->status) return false;
  fault->status = tile_buffer_read(buffer, 0, &value, sizeof value);
  if (fault->status) return false;
  assert_int_equal(value, 1234);
  return true;
}

static bool use_kernel(TileDevice *device, const char *ptx, Fault *fault) {
  const CompiledCode code = {ptx, strlen(ptx), &info, 1};
  DeviceKernel *kernel;
  if (!device->ops->load(device, &code, &info, &kernel, fault)) return false;
  TileBuffer *buffer = NULL;
  const int zero = 0;
  fault->status = tile_buffer_create(device, 4, &buffer);
  bool ok = !fault->status;
  if (ok) fault->status = tile_buffer_write(buffer, 0, &zero, 4);
  ok = !fault->status && run_once(device, kernel, buffer, fault);
  tile_buffer_destroy(buffer);
  device->ops->unload(device, kernel);
  return ok;
}

static bool use_device(const char *name, const char *ptx, Fault *fault) {
  TileContext *context;
  TileDevice *device;
  TileDiagnostics *diagnostics = NULL;
  assert_int_equal(tile_context_create(NULL, &context), TILE_OK);
  *fault = (Fault){.status = TILE_OK};
  fault->status = tile_device_open(context, name, &device, &diagnostics);
  bool ok = !fault->status;
  if (!ok)
    fault_set(fault, fault->status, "%s", tile_diagnostics_text(diagnostics));
  tile_diagnostics_destroy(diagnostics);
  if (ok) {
    ok = use_kernel(device, ptx, fault);
    tile_device_destroy(device);
  }
  tile_context_destroy(context);
  return ok;
}

// -- Tests -------------------------------------------------------------------

static void reset(int fail_at, int chip) {
  *fake = (FakeCuda){.fail_at = fail_at, .chip = chip, .local_bytes = 8};
}

static void test_works(void **state) {
  (void)state;
  Fault fault;
  reset(-1, 80);
  assert_true(use_device("cuda", "ptx", &fault));
  assert_int_equal(fake->live, 0);
  assert_int_equal(fake->grid[0], 5);
  assert_int_equal(fake->grid[1], 6);
  assert_int_equal(fake->grid[2], 7);
  assert_int_equal(fake->block, 128);
  assert_int_equal(fake->shared, 100000);
  assert_true(fake->workspace_zeroed);
  assert_int_equal(fake->bytes_async, 16 * 5 * 6 * 7);
}

// Blocks that share programs are along x, as many as the driver accepts.
static void test_clusters(void **state) {
  (void)state;
  Fault fault;
  reset(-1, 90);
  info.log2_cluster = 2;
  assert_true(use_device("cuda", "ptx", &fault));
  assert_int_equal(fake->grid[0], 20);
  assert_int_equal(fake->grid[1], 6);
  assert_int_equal(fake->bytes_async, 16 * 20 * 6 * 7);
  grid[0] = (1 << 29) + 1;
  assert_false(use_device("cuda", "ptx", &fault));
  assert_int_equal(fault.status, TILE_INVALID_ARGUMENT);
  assert_string_equal(fault.text, "the grid must have 1 to 536870911 programs "
                                  "along axis 0, found 536870913");
  grid[0] = 5;
  info.log2_cluster = 0;
}

// Two programs are a cluster if each has a neighbour.
static void test_pairs(void **state) {
  (void)state;
  Fault fault;
  reset(-1, 90);
  info.has_pairs = true;
  for (uint32_t programs = 5; programs < 7; programs++) {
    grid[0] = programs;
    assert_true(use_device("cuda", "ptx", &fault));
    assert_int_equal(fake->grid[0], programs);
    assert_int_equal(fake->num_attributes, programs == 6);
  }
  enum { CLUSTER_DIMENSION = 4 }; // as cuda.h has it
  assert_int_equal(fake->attribute, CLUSTER_DIMENSION);
  grid[0] = 5;
  info.has_pairs = false;
}

// The launch of a persistent kernel has as many blocks as run at once, at most,
// and an even number, so that all of them may be pairs.
static void test_persistent(void **state) {
  (void)state;
  static const KernelParam with_programs[] = {
      {.rule = PARAM_ARGUMENT, .index = 0, .is_pointer = true, .size = 8},
      {.rule = PARAM_ARGUMENT, .index = 1, .elem = ELEM_i32, .size = 4},
      {.rule = PARAM_WORKSPACE, .size = 64},
      {.rule = PARAM_PROGRAMS, .index = 0, .size = 4},
      {.rule = PARAM_PROGRAMS, .index = 1, .size = 4},
      {.rule = PARAM_PROGRAMS, .index = 2, .size = 4},
  };
  enum { AT_ONCE = 22 }; // 3 on each of 7 multiprocessors
  static const struct {
    uint32_t grid[3];
    unsigned blocks, attributes; // of a kernel that may have pairs
  } rows[] = {
      {{1, 1, 1}, 1, 0},
      {{3, 2, 1}, 6, 1},
      {{3, 3, 1}, 9, 0},
      {{AT_ONCE, 1, 1}, AT_ONCE, 1},
      {{AT_ONCE + 1, 1, 1}, AT_ONCE, 0},
      {{5, 700, 3}, AT_ONCE, 1},
      {{5, 701, 3}, AT_ONCE, 0},
  };
  const KernelInfo usual = info;
  const uint32_t usual_grid[] = {grid[0], grid[1], grid[2]};
  Fault fault;
  info.params = with_programs;
  info.num_params = sizeof with_programs / sizeof *with_programs;
  for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
    info.has_pairs = i % 2;
    reset(-1, 90);
    fake->has_numbers = true;
    memcpy(grid, rows[i / 2].grid, sizeof grid);
    assert_true(use_device("cuda", "ptx", &fault));
    assert_int_equal(fake->grid[0], rows[i / 2].blocks);
    assert_int_equal(fake->grid[1], 1);
    assert_int_equal(fake->grid[2], 1);
    assert_int_equal(fake->num_attributes,
                     info.has_pairs ? rows[i / 2].attributes : 0);
    for (int axis = 0; axis < 3; axis++)
      assert_int_equal(fake->numbers[axis], grid[axis]);
  }
  grid[1] = 1 << 15, grid[2] = 1 << 14;
  assert_false(use_device("cuda", "ptx", &fault));
  assert_string_equal(fault.text, "the grid must have 1 to 13107 programs "
                                  "along axis 2, found 16384");
  memcpy(grid, usual_grid, sizeof grid);
  info = usual;
}

// The blocks of this grid need 2^64 bytes.
static void test_many_blocks(void **state) {
  (void)state;
  const uint32_t usual[] = {grid[0], grid[1], grid[2]};
  const uint32_t many[] = {1 << 30, 1 << 15, 1 << 15};
  Fault fault;
  reset(-1, 90);
  memcpy(grid, many, sizeof grid);
  assert_false(use_device("cuda", "ptx", &fault));
  assert_int_equal(fault.status, TILE_OUT_OF_MEMORY);
  assert_int_equal(fake->live, 0);
  memcpy(grid, usual, sizeof grid);
}

// A launch may overlap the one before, if the chip can, and the launch requests
// it.
static void test_launch_pdl(void **state) {
  (void)state;
  static const struct {
    int chip;
    bool asked;
    unsigned num_attributes;
  } rows[] = {{80, true, 0}, {90, true, 1}, {120, true, 1}, {90, false, 0}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    Fault fault;
    reset(-1, rows[i].chip);
    launch_pdl = rows[i].asked;
    assert_true(use_device("cuda", "ptx", &fault));
    assert_int_equal(fake->num_attributes, rows[i].num_attributes);
    // CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION
    assert_int_equal(fake->attribute, rows[i].num_attributes ? 6 : 0);
  }
  launch_pdl = false;
}

static void test_every_call_fails_once(void **state) {
  (void)state;
  Fault fault;
  reset(-1, 80);
  assert_true(use_device("cuda:0", "ptx", &fault));
  const int calls = fake->calls;
  assert_true(calls > 30);
  for (int i = 0; i < calls; i++) {
    reset(i, 80);
    const bool ok = use_device("cuda:0", "ptx", &fault);
    if (fake->live) fail_msg("call %d leaks %d", i, fake->live);
    // Calls that only release or describe have no status to return.
    if (!ok) assert_int_equal(fault.status, TILE_DEVICE_ERROR);
    if (!ok && fault.text[0])
      assert_non_null(strstr(fault.text, "CUDA_ERROR_FAKE"));
  }
}

static void test_driver_log(void **state) {
  (void)state;
  Fault fault;
  reset(-1, 80);
  assert_false(use_device("cuda", "nonsense", &fault));
  reset(-1, 80);
  assert_true(use_device("cuda", "ptx", &fault));
  const int calls = fake->calls;
  bool seen = false;
  for (int i = 0; i < calls && !seen; i++) {
    reset(i, 80);
    seen = !use_device("cuda", "ptx", &fault) &&
           strstr(fault.text, "ptxas says no");
  }
  assert_true(seen);
}

#define ENTRY(name)                                                            \
  "ptxas info    : Compiling entry function '" name "' for 'sm_80'\n"          \
  "ptxas info    : Function properties for " name "\n"
#define SPILLS(stores, loads)                                                  \
  "ptxas         .     120 bytes stack frame, " stores                         \
  " bytes spill stores, " loads " bytes spill loads\n"                         \
  "ptxas info    : Used 255 registers, 400 bytes cmem[0]\n"

// The kernel is `add`, with some local memory.
static void test_spills(void **state) {
  (void)state;
  static const struct {
    const char *log;
    int spills;
  } rows[] = {
      {NULL, -1},
      {"", -1},
      {ENTRY("add") SPILLS("116", "124"), 240},
      {ENTRY("add") SPILLS("0", "0"), 0},
      {"ptxas info    : 0 bytes gmem\n" ENTRY("other") SPILLS("4", "8")
           ENTRY("add") SPILLS("12", "16"),
       28},
      {ENTRY("add") SPILLS("12", "16") ENTRY("other") SPILLS("4", "8"), 28},
      {"info    : Function properties for 'add':\n"
       "info    : used 28 registers, 0 stack\n" ENTRY("add") SPILLS("1", "2"),
       3},
      {"Function properties for 'add'\n" SPILLS("20", "20"), 40},
      // Other functions, and none.
      {ENTRY("other") SPILLS("4", "8"), -1},
      {ENTRY("add2") SPILLS("4", "8"), -1},
      {ENTRY("_add") SPILLS("4", "8"), -1},
      {ENTRY("add") ENTRY("other") SPILLS("4", "8"), -1},
      {SPILLS("4", "8"), -1},
      // Cut off, and nonsense.
      {ENTRY("add") "  0 bytes stack frame, 4 bytes spill stores, 4 bytes spil",
       -1},
      {"ptxas info    : Function properties for add", -1},
      {"Function properties for ", -1},
      {"Function properties for '", -1},
      {ENTRY("add") SPILLS("", "4"), -1},
      {ENTRY("add") SPILLS("-4", "many"), -1},
      {ENTRY("add") SPILLS("4294967300", "0"), -1},
      {ENTRY("add") SPILLS("99999999999999999999999", "0"), -1},
      {ENTRY("add") SPILLS("999999999", "999999999"), 1999999998},
      {"\xff\xfe%s%n\n\n" ENTRY("add") SPILLS("4", "8"), 12},
  };
  for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
    Fault fault;
    reset(-1, 80);
    fake->info_log = rows[i / 2].log;
    fake->info_unended = i % 2;
    assert_true(use_device("cuda", "ptx", &fault));
    if (described.spill_bytes != rows[i / 2].spills)
      fail_msg("%d, not %d: %s", described.spill_bytes, rows[i / 2].spills,
               rows[i / 2].log);
    assert_int_equal(described.local_bytes, 8);
  }
}

// The driver's log is longer than the buffer, and has no end.
static void test_long_log(void **state) {
  (void)state;
  static const char entry[] = ENTRY("add") SPILLS("4", "8");
  char log[20000];
  Fault fault;
  for (int i = 0; i < 2; i++) {
    memset(log, '.', sizeof log);
    log[sizeof log - 1] = '\0';
    memcpy(log + (i ? 0 : 15000), entry, sizeof entry - 1);
    reset(-1, 80);
    fake->info_log = log;
    assert_true(use_device("cuda", "ptx", &fault));
    assert_int_equal(described.spill_bytes, i ? 12 : -1);
  }
}

// A kernel without local memory has no spills, even if the log names some.
static void test_no_local_memory(void **state) {
  (void)state;
  Fault fault;
  reset(-1, 80);
  fake->local_bytes = 0;
  assert_true(use_device("cuda", "ptx", &fault));
  assert_int_equal(described.spill_bytes, 0);
}

static void test_targets(void **state) {
  (void)state;
  static const struct {
    int chip;
    const char *target;
  } rows[] = {{75, "sm_75"},  {80, "sm_80"},  {85, "sm_80"},
              {86, "sm_86"},  {89, "sm_89"},  {90, "sm_90a"},
              {100, "sm_90"}, {120, "sm_90"}, {70, NULL}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    TileContext *context;
    TileDevice *device;
    reset(-1, rows[i].chip);
    assert_int_equal(tile_context_create(NULL, &context), TILE_OK);
    const TileStatus status = tile_device_open(context, "cuda", &device, NULL);
    assert_int_equal(status, rows[i].target ? TILE_OK : TILE_UNAVAILABLE);
    if (!status) {
      assert_string_equal(tile_device_target(device), rows[i].target);
      assert_string_equal(tile_device_summary(device), "Fake GPU");
      assert_int_equal(tile_device_num_processors(device), 7);
      tile_device_destroy(device);
    }
    tile_context_destroy(context);
  }
}

static void test_no_such_gpu(void **state) {
  (void)state;
  Fault fault;
  reset(-1, 80);
  assert_false(use_device("cuda:3", "ptx", &fault));
  assert_int_equal(fault.status, TILE_UNAVAILABLE);
  assert_non_null(strstr(fault.text, "there is no GPU 3: this machine has 1"));
}

int main(void) {
  fake = fake_cuda_load(FAKE_CUDA);
  if (!fake) return 1;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_works),
      cmocka_unit_test(test_clusters),
      cmocka_unit_test(test_pairs),
      cmocka_unit_test(test_persistent),
      cmocka_unit_test(test_many_blocks),
      cmocka_unit_test(test_launch_pdl),
      cmocka_unit_test(test_every_call_fails_once),
      cmocka_unit_test(test_driver_log),
      cmocka_unit_test(test_spills),
      cmocka_unit_test(test_long_log),
      cmocka_unit_test(test_no_local_memory),
      cmocka_unit_test(test_targets),
      cmocka_unit_test(test_no_such_gpu),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
