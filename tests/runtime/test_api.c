// test_api.c -- contexts, devices, buffers and programs of tile/tile.h used
// well and badly: every status, every message.
#include "tests/runtime/world.h"

#include <math.h>

// -- Without a context -------------------------------------------------------

static void test_texts(void **state) {
  (void)state;
  assert_string_equal(tile_version(), "0.1.0");
  assert_string_equal(tile_status_text(TILE_OK), "success");
  assert_string_equal(tile_status_text((TileStatus)99), "no such status");
  assert_string_equal(tile_status_text((TileStatus)-1), "no such status");
  assert_string_equal(tile_dtype_name(TILE_BF16), "bf16");
  assert_int_equal(tile_dtype_size(TILE_BF16), 2);
  assert_int_equal(tile_dtype_size(TILE_DTYPE_NONE), 0);
  assert_int_equal(tile_dtype_size((TileDtype)99), 0);
}

static void test_null_everywhere(void **state) {
  (void)state;
  TileDevice *device;
  TileProgram *program;
  TileKernel *kernel;
  TileBuffer *buffer;
  TileKernelInfo info = {.size = sizeof info};
  assert_int_equal(tile_context_create(NULL, NULL), TILE_INVALID_ARGUMENT);
  assert_int_equal(tile_device_open(NULL, "cpu", &device, NULL),
                   TILE_INVALID_ARGUMENT);
  assert_int_equal(tile_program_create(NULL, NULL, &program, NULL),
                   TILE_INVALID_ARGUMENT);
  assert_int_equal(tile_program_load(NULL, "x", &program, NULL),
                   TILE_INVALID_ARGUMENT);
  assert_int_equal(tile_program_kernel(NULL, NULL, &kernel, NULL),
                   TILE_INVALID_ARGUMENT);
  assert_int_equal(tile_buffer_create(NULL, 1, &buffer), TILE_INVALID_ARGUMENT);
  assert_int_equal(tile_buffer_write(NULL, 0, "", 1), TILE_INVALID_ARGUMENT);
  assert_int_equal(tile_launch(NULL, NULL, NULL), TILE_INVALID_ARGUMENT);
  assert_int_equal(tile_kernel_prepare(NULL, NULL, NULL),
                   TILE_INVALID_ARGUMENT);
  assert_int_equal(tile_kernel_info(NULL, NULL, &info, NULL),
                   TILE_INVALID_ARGUMENT);
  assert_int_equal(tile_device_sync(NULL, NULL), TILE_INVALID_ARGUMENT);
  TileDiagnostics *d = NULL;
  assert_int_equal(tile_launch(NULL, NULL, &d), TILE_INVALID_ARGUMENT);
  assert_int_equal(tile_device_open(NULL, "cpu", &device, &d),
                   TILE_INVALID_ARGUMENT);
  assert_int_equal(tile_program_kernel(NULL, NULL, &kernel, &d),
                   TILE_INVALID_ARGUMENT);
  assert_int_equal(tile_launch_time(NULL, NULL, NULL, 1, &d),
                   TILE_INVALID_ARGUMENT);
  assert_string_equal(tile_diagnostics_text(d),
                      "error: 'device' is NULL\nerror: 'context' is NULL\n"
                      "error: 'program' is NULL\nerror: 'seconds' is NULL\n");
  tile_diagnostics_destroy(d);
  tile_context_destroy(NULL);
  tile_device_destroy(NULL);
  tile_buffer_destroy(NULL);
  tile_program_destroy(NULL);
  tile_diagnostics_destroy(NULL);
  assert_int_equal(tile_diagnostics_count(NULL), 0);
  assert_string_equal(tile_diagnostics_text(NULL), "");
  assert_string_equal(tile_diagnostics_get(NULL, 3).text, "");
}

static void test_half_an_allocator(void **state) {
  (void)state;
  TileContext *context;
  const TileContextOptions options = {.allocator = {.free = NULL}};
  TileContextOptions half = options;
  half.allocator.alloc = (void *(*)(void *, size_t))0x1;
  assert_int_equal(tile_context_create(&half, &context), TILE_INVALID_ARGUMENT);
}

// -- Devices and buffers -----------------------------------------------------

static void expect_open(const World *w, const char *name, TileStatus wanted,
                        const char *message) {
  TileDevice *device;
  TileDiagnostics *diagnostics = NULL;
  assert_int_equal(tile_device_open(w->context, name, &device, &diagnostics),
                   wanted);
  if (!strstr(tile_diagnostics_text(diagnostics), message))
    fail_msg("%s: '%s'", name, tile_diagnostics_text(diagnostics));
  tile_diagnostics_destroy(diagnostics);
}

static void test_devices(void **state) {
  const World *w = *state;
  assert_string_equal(tile_device_name(w->device), "cpu");
  assert_string_equal(tile_device_target(w->device), "cpu");
  assert_true(tile_device_num_processors(w->device) >= 1);
  assert_non_null(strstr(tile_device_summary(w->device), "thread"));
  expect_open(w, "gpu", TILE_INVALID_ARGUMENT, "no device is called 'gpu'");
  expect_open(w, "cdua", TILE_INVALID_ARGUMENT, "did you mean 'cuda'?");
  expect_open(w, "cuda:x", TILE_INVALID_ARGUMENT, "no device is called");
  expect_open(w, "cpu:1", TILE_INVALID_ARGUMENT, "no device is called");
  setenv("TILE_LIBCUDA", "/nowhere/libcuda.so", 1);
  expect_open(w, "cuda", TILE_UNAVAILABLE, "no CUDA driver");
  expect_open(w, "sim", TILE_UNAVAILABLE, "simulator");
  TileDevice *device;
  unsetenv("TILE_DEVICE");
  assert_int_equal(tile_device_open(w->context, NULL, &device, NULL), TILE_OK);
  assert_string_equal(tile_device_name(device), "cpu");
  tile_device_destroy(device);
  setenv("TILE_DEVICE", "null", 1);
  assert_int_equal(tile_device_open(w->context, NULL, &device, NULL), TILE_OK);
  assert_string_equal(tile_device_name(device), "null");
  tile_device_destroy(device);
  unsetenv("TILE_DEVICE");
  unsetenv("TILE_LIBCUDA");
}

static void test_buffers(void **state) {
  const World *w = *state;
  char bytes[8] = "";
  assert_int_equal(tile_buffer_size(w->x), 400);
  assert_int_equal((uintptr_t)tile_buffer_address(w->x) % 256, 0);
  assert_int_equal(tile_buffer_write(w->x, 396, "abc", 4), TILE_OK);
  assert_int_equal(tile_buffer_read(w->x, 396, bytes, 4), TILE_OK);
  assert_string_equal(bytes, "abc");
  assert_int_equal(tile_buffer_write(w->x, 397, "abc", 4),
                   TILE_INVALID_ARGUMENT);
  assert_int_equal(tile_buffer_read(w->x, 401, bytes, 0),
                   TILE_INVALID_ARGUMENT);
  assert_int_equal(tile_buffer_read(w->x, 0, bytes, SIZE_MAX),
                   TILE_INVALID_ARGUMENT);
  assert_int_equal(tile_buffer_read(w->x, 0, NULL, 4), TILE_INVALID_ARGUMENT);
  TileBuffer *buffer;
  assert_int_equal(tile_buffer_create(w->device, SIZE_MAX, &buffer),
                   TILE_OUT_OF_MEMORY);
  assert_int_equal(tile_buffer_create(w->device, SIZE_MAX / 4, &buffer),
                   TILE_OUT_OF_MEMORY);
  assert_int_equal(tile_buffer_create(w->device, 0, &buffer), TILE_OK);
  assert_non_null(tile_buffer_address(buffer));
  assert_int_equal(tile_buffer_write(buffer, 0, NULL, 0), TILE_OK);
  tile_buffer_destroy(buffer);
}

static void expect_floats(const World *w, TileDtype dtype, const void *bytes,
                          const float *back) {
  const float values[] = {1, 2049, -65504, 1e9f};
  char found[8];
  float floats[4];
  const size_t size = 4 * tile_dtype_size(dtype);
  assert_int_equal(tile_buffer_write_floats(w->x, 8, dtype, values, 4),
                   TILE_OK);
  assert_int_equal(tile_buffer_read(w->x, 8, found, size), TILE_OK);
  assert_memory_equal(found, bytes, size);
  assert_int_equal(tile_buffer_read_floats(w->x, 8, dtype, floats, 4), TILE_OK);
  assert_memory_equal(floats, back, sizeof floats);
}

// By the formats' definitions: 1 is 0x3c00, 0x3f80 and 0x38; 2049 lies halfway
// between two halfs, and the even one is below.
static void test_floats(void **state) {
  const World *w = *state;
  float values[200] = {0};
  expect_floats(w, TILE_FP16, (uint16_t[]){0x3c00, 0x6800, 0xfbff, 0x7c00},
                (float[]){1, 2048, -65504, INFINITY});
  expect_floats(w, TILE_BF16, (uint16_t[]){0x3f80, 0x4500, 0xc780, 0x4e6e},
                (float[]){1, 2048, -65536, 0x1.dcp29f});
  expect_floats(w, TILE_FP8E4NV, (uint8_t[]){0x38, 0x7e, 0xfe, 0x7e},
                (float[]){1, 448, -448, 448});
  expect_floats(w, TILE_FP8E4B15, (uint8_t[]){0x78, 0x7e, 0xfe, 0x7e},
                (float[]){1, 1.75f, -1.75f, 1.75f});
  assert_int_equal(tile_buffer_write_floats(w->x, 0, TILE_FP16, values, 200),
                   TILE_OK);
  assert_int_equal(tile_buffer_write_floats(w->x, 2, TILE_FP16, values, 200),
                   TILE_INVALID_ARGUMENT);
  assert_int_equal(tile_buffer_read_floats(w->x, 0, TILE_INT32, values, 1),
                   TILE_INVALID_ARGUMENT);
  assert_int_equal(tile_buffer_read_floats(w->x, 0, TILE_FP16, NULL, 1),
                   TILE_INVALID_ARGUMENT);
  assert_int_equal(
      tile_buffer_read_floats(w->x, 0, TILE_FP16, values, SIZE_MAX),
      TILE_INVALID_ARGUMENT);
}

// The bytes are those that Triton's PTX makes of NaNs in fp32.
static void test_nans_as_bytes(void **state) {
  const World *w = *state;
  const TileDtype dtypes[] = {TILE_FP8E5, TILE_FP8E4NV, TILE_FP8E4B15};
  const uint8_t wanted[] = {0x7f, 0x7f, 0x7e};
  for (int i = 0; i < 3; i++) {
    uint8_t found[2];
    assert_int_equal(
        tile_buffer_write_floats(w->x, 0, dtypes[i], (float[]){NAN, -NAN}, 2),
        TILE_OK);
    assert_int_equal(tile_buffer_read(w->x, 0, found, 2), TILE_OK);
    assert_int_equal(found[0], wanted[i]);
    assert_int_equal(found[1], wanted[i]);
  }
}

// More than a block, so that each lands in its place.
static void test_many_floats(void **state) {
  const World *w = *state;
  TileBuffer *buffer;
  float values[1300], back[1300];
  for (int i = 0; i < 1300; i++) values[i] = (float)i;
  assert_int_equal(tile_buffer_create(w->device, 2600, &buffer), TILE_OK);
  assert_int_equal(tile_buffer_write_floats(buffer, 0, TILE_FP16, values, 1300),
                   TILE_OK);
  assert_int_equal(tile_buffer_read_floats(buffer, 0, TILE_FP16, back, 1300),
                   TILE_OK);
  assert_memory_equal(back, values, sizeof back);
  tile_buffer_destroy(buffer);
}

// -- Programs ----------------------------------------------------------------

static void test_programs(void **state) {
  const World *w = *state;
  assert_int_equal(tile_program_num_kernels(w->typed), 3);
  assert_string_equal(tile_program_kernel_name(w->typed, 0), "typed");
  assert_string_equal(tile_program_kernel_name(w->typed, 3), "");
  TileKernel *kernel = kernel_of(w->copy, NULL);
  assert_ptr_equal(kernel, kernel_of(w->copy, "copy"));
  assert_string_equal(tile_kernel_name(kernel), "copy");
  assert_int_equal(tile_kernel_num_params(kernel), 4);
  assert_string_equal(tile_kernel_param_name(kernel, 3), "BLOCK");
  assert_true(tile_kernel_param_is_constexpr(kernel, 3));
  assert_false(tile_kernel_param_is_constexpr(kernel, 4));
}

static void expect_source(const World *w, const TileSource *source,
                          TileStatus wanted, const char *message) {
  TileProgram *program;
  TileDiagnostics *diagnostics = NULL;
  assert_int_equal(
      tile_program_create(w->context, source, &program, &diagnostics), wanted);
  if (!strstr(tile_diagnostics_text(diagnostics), message))
    fail_msg("'%s'", tile_diagnostics_text(diagnostics));
  tile_diagnostics_destroy(diagnostics);
}

static void test_bad_programs(void **state) {
  const World *w = *state;
  TileProgram *program;
  TileKernel *kernel;
  TileDiagnostics *d = NULL;
  expect_source(w, NULL, TILE_INVALID_ARGUMENT, "'source' is NULL");
  expect_source(w, &(TileSource){.text = NULL}, TILE_INVALID_ARGUMENT,
                "'source->text' is NULL");
  expect_source(w, &(TileSource){.text = "", .num_include_paths = 1},
                TILE_INVALID_ARGUMENT, "include_paths");
  expect_source(w, &(TileSource){.text = "", .num_defines = 1},
                TILE_INVALID_ARGUMENT, "'source->defines' is NULL");
  const TileDefine bad[] = {{"N", "1 +"}, {"M", NULL}};
  expect_source(w, &(TileSource){.text = "", .defines = bad, .num_defines = 1},
                TILE_INVALID_ARGUMENT, "<-D N>:1:");
  expect_source(w, &(TileSource){.text = "", .defines = bad, .num_defines = 2},
                TILE_INVALID_ARGUMENT, "'source->defines[].value' is NULL");
  expect_source(w, &(TileSource){.text = "", .triton = 37},
                TILE_INVALID_ARGUMENT, "'source->triton' is a release");
  expect_source(
      w,
      &(TileSource){.file = "bad.tile", .text = "@jit\ndef k(x):\n    y = (\n"},
      TILE_COMPILE_ERROR, "bad.tile:3:9: error");
  // A function without syntax errors is checked, too.
  expect_source(w,
                &(TileSource){.file = "bad.tile",
                              .text = "@jit\ndef k(p: *fp32):\n    y = p +\n\n"
                                      "@jit\ndef l(p: *fp32):\n    y = nope\n"},
                TILE_COMPILE_ERROR, "bad.tile:7:9: error: unknown name 'nope'");
  assert_int_equal(tile_program_load(w->context, "/nowhere", &program, &d),
                   TILE_FILE_ERROR);
  assert_int_equal(tile_program_kernel(w->typed, NULL, &kernel, &d),
                   TILE_INVALID_ARGUMENT);
  assert_int_equal(tile_program_kernel(w->typed, "tped", &kernel, &d),
                   TILE_INVALID_ARGUMENT);
  // One list grew.
  const char *text = tile_diagnostics_text(d);
  assert_non_null(strstr(text, "cannot open '/nowhere'"));
  assert_non_null(strstr(text, "did you mean 'typed'?"));
  assert_true(tile_diagnostics_count(d) >= 3);
  tile_diagnostics_destroy(d);
}

static void expect_run(const World *w, TileProgram *program, const char *name,
                       TileStatus wanted, const char *message) {
  TileDiagnostics *diagnostics = NULL;
  const TileArg arg = tile_buffer_arg(w->x, TILE_FP32);
  const TileLaunch launch = {.kernel = kernel_of(program, name),
                             .grid = {1},
                             .args = &arg,
                             .num_args = 1};
  assert_int_equal(tile_launch(w->device, &launch, &diagnostics), wanted);
  if (!strstr(tile_diagnostics_text(diagnostics), message))
    fail_msg("'%s'", tile_diagnostics_text(diagnostics));
  if (!wanted) assert_int_equal(tile_diagnostics_count(diagnostics), 0);
  tile_diagnostics_destroy(diagnostics);
}

// The release of Triton whose rules hold is the program's.
static void test_release(void **state) {
  const World *w = *state;
  TileSource source = {
      .text = "@jit\ndef k(x: *fp32):\n"
              "    tl.static_assert(triton.__version__ == '3.9.0')\n"};
  static const struct {
    int release;
    TileStatus wanted;
  } all[] = {{38, TILE_COMPILE_ERROR}, {39, TILE_OK}};
  for (int i = 0; i < 2; i++) {
    TileProgram *program;
    source.triton = all[i].release;
    assert_int_equal(tile_program_create(w->context, &source, &program, NULL),
                     TILE_OK);
    expect_run(w, program, "k", all[i].wanted, "");
    tile_program_destroy(program);
  }
}

// Values of host code for names of a module, if the program gives them.
static void test_defines(void **state) {
  const World *w = *state;
  static const char text[] = "import os\n"
                             "WIDTH = int(os.cpu_count())\n"
                             "MODE = pick()\n"
                             "@jit\n"
                             "def fill(x: *fp32):\n"
                             "    tl.static_assert(MODE == 'fast')\n"
                             "    tl.store(x + tl.arange(0, WIDTH), 3.0)\n"
                             "@jit\n"
                             "def other(x: *fp32):\n"
                             "    tl.store(x, 1.0)\n";
  const TileDefine defines[] = {
      {"WIDTH", "16"}, {"MODE", "\"fast\""}, {"NOWHERE", "1"}};
  TileSource source = {.text = text, .defines = defines, .num_defines = 2};
  TileProgram *program;
  float x[17] = {0};
  assert_int_equal(tile_buffer_write(w->x, 0, x, sizeof x), TILE_OK);
  assert_int_equal(tile_program_create(w->context, &source, &program, NULL),
                   TILE_OK);
  expect_run(w, program, "fill", TILE_OK, "");
  expect_run(w, program, "other", TILE_OK, "");
  assert_int_equal(tile_device_sync(w->device, NULL), TILE_OK);
  assert_int_equal(tile_buffer_read(w->x, 0, x, sizeof x), TILE_OK);
  assert_true(x[15] == 3 && x[16] == 0);
  tile_program_destroy(program);
  source.num_defines = 3;
  assert_int_equal(tile_program_create(w->context, &source, &program, NULL),
                   TILE_OK);
  expect_run(w, program, "fill", TILE_INVALID_ARGUMENT,
             "-D NOWHERE: kernel 'fill' has no such parameter");
  tile_program_destroy(program);
}

static void test_places(void **state) {
  const World *w = *state;
  TileProgram *program;
  TileDiagnostics *d = NULL;
  const TileSource source = {.file = "bad.tile",
                             .text = "@jit\ndef k(x):\n    y = nope\n"};
  assert_int_equal(tile_program_create(w->context, &source, &program, &d),
                   TILE_OK);
  const TileArg args[] = {tile_buffer_arg(w->x, TILE_FP32)};
  const TileLaunch launch = {.kernel = kernel_of(program, "k"),
                             .grid = {1},
                             .args = args,
                             .num_args = 1};
  assert_int_equal(tile_launch(w->device, &launch, &d), TILE_COMPILE_ERROR);
  tile_program_destroy(program); // the list outlives it
  assert_int_equal(tile_diagnostics_count(d), 1);
  const TileDiagnostic got = tile_diagnostics_get(d, 0);
  assert_int_equal(got.severity, TILE_SEVERITY_ERROR);
  assert_string_equal(got.file, "bad.tile");
  assert_int_equal(got.line, 3);
  assert_int_equal(got.column, 9);
  assert_int_equal(got.span, 4);
  assert_non_null(strstr(tile_diagnostics_text(d), "    y = nope\n"));
  tile_diagnostics_destroy(d);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_texts),
      cmocka_unit_test(test_null_everywhere),
      cmocka_unit_test(test_half_an_allocator),
      TEST(test_devices),
      TEST(test_buffers),
      TEST(test_floats),
      TEST(test_nans_as_bytes),
      TEST(test_many_floats),
      TEST(test_programs),
      TEST(test_bad_programs),
      TEST(test_release),
      TEST(test_defines),
      TEST(test_places),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
