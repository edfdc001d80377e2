// test_launch.c -- launches of tile/tile.h, good and bad: every kind of
// argument, every message.
#include "tests/runtime/world.h"

#include <math.h>

static void test_launch(void **state) {
  const World *w = *state;
  float x[100], y[100] = {0};
  for (int i = 0; i < 100; i++) x[i] = (float)i;
  assert_int_equal(tile_buffer_write(w->x, 0, x, sizeof x), TILE_OK);
  assert_int_equal(tile_buffer_write(w->y, 0, y, sizeof y), TILE_OK);
  const TileArg args[] = {tile_buffer_arg(w->x, TILE_FP32),
                          tile_buffer_arg(w->y, TILE_FP32), tile_int_arg(99)};
  const TileLaunch launch = {.kernel = kernel_of(w->copy, NULL),
                             .grid = {7},
                             .args = args,
                             .num_args = 3};
  assert_int_equal(tile_kernel_prepare(w->device, &launch, NULL), TILE_OK);
  expect_launch(w, &launch, TILE_OK, NULL);
  assert_int_equal(tile_device_sync(w->device, NULL), TILE_OK);
  assert_int_equal(tile_buffer_read(w->y, 0, y, sizeof y), TILE_OK);
  for (int i = 0; i < 99; i++) assert_true(y[i] == 2 * x[i]);
  assert_true(y[99] == 0);
  TileKernelInfo info = {.size = sizeof info};
  assert_int_equal(tile_kernel_info(w->device, &launch, &info, NULL), TILE_OK);
  assert_int_equal(info.num_warps, 1);
  assert_int_equal(info.registers, -1);
  assert_int_equal(info.shared_bytes, 0);
  assert_true(info.compile_seconds > 0);
  assert_int_equal(tile_kernel_info(w->device, &launch, NULL, NULL),
                   TILE_INVALID_ARGUMENT);
}

static void count_line(void *ctx, const char *line) {
  assert_non_null(strstr(line, "compiled copy for cpu in "));
  ++*(int *)ctx;
}

// The same variant is compiled once; another value of BLOCK makes another.
static void test_compiles_once(void **state) {
  (void)state;
  int lines = 0;
  World w = {.context = NULL};
  const TileContextOptions options = {.log = count_line, .log_ctx = &lines};
  const TileSource source = {.text = copy_text};
  assert_int_equal(tile_context_create(&options, &w.context), TILE_OK);
  assert_int_equal(tile_device_open(w.context, "cpu", &w.device, NULL),
                   TILE_OK);
  assert_int_equal(tile_program_create(w.context, &source, &w.copy, NULL),
                   TILE_OK);
  assert_int_equal(tile_buffer_create(w.device, 400, &w.x), TILE_OK);
  TileArg args[] = {tile_buffer_arg(w.x, TILE_FP32),
                    tile_buffer_arg(w.x, TILE_FP32), tile_int_arg(32),
                    tile_int_arg(16)};
  TileKernel *kernel = kernel_of(w.copy, NULL);
  for (int i = 0; i < 3; i++) {
    args[2] = tile_int_arg(16 * i);
    expect_args(&w, kernel, args, 4, TILE_OK, NULL);
  }
  assert_int_equal(lines, 1);
  args[2] = tile_int_arg(17);
  expect_args(&w, kernel, args, 4, TILE_OK, NULL);
  assert_int_equal(lines, 2);
  args[2] = tile_int_arg(1);
  expect_args(&w, kernel, args, 4, TILE_OK, NULL);
  assert_int_equal(lines, 3);
  args[3] = tile_int_arg(32);
  expect_args(&w, kernel, args, 4, TILE_OK, NULL);
  assert_int_equal(lines, 4);
  tile_buffer_destroy(w.x);
  tile_device_destroy(w.device);
  tile_program_destroy(w.copy);
  tile_context_destroy(w.context);
}

// An offset of 4 bytes changes the divisibility, hence the variant.
static void test_offsets(void **state) {
  const World *w = *state;
  float x[100], y[100] = {0};
  for (int i = 0; i < 100; i++) x[i] = (float)i;
  assert_int_equal(tile_buffer_write(w->x, 0, x, sizeof x), TILE_OK);
  TileArg args[] = {tile_buffer_arg(w->x, TILE_FP32),
                    tile_pointer_arg(tile_buffer_address(w->y), TILE_FP32),
                    tile_int_arg(16)};
  args[0].as.buffer.offset = 4;
  expect_args(w, kernel_of(w->copy, NULL), args, 3, TILE_OK, NULL);
  assert_int_equal(tile_buffer_read(w->y, 0, y, sizeof y), TILE_OK);
  for (int i = 0; i < 16; i++) assert_true(y[i] == 2 * x[i + 1]);
  args[0].as.buffer.offset = 401;
  expect_args(w, kernel_of(w->copy, NULL), args, 3, TILE_INVALID_ARGUMENT,
              "offset past the end");
}

static double run_kinds(const World *w, const TileArg *args) {
  double result = 0;
  expect_args(w, kernel_of(w->typed, "kinds"), args, 5, TILE_OK, NULL);
  assert_int_equal(tile_buffer_read(w->x, 0, &result, 8), TILE_OK);
  return result;
}

static void test_kinds_of_arguments(void **state) {
  const World *w = *state;
  TileArg args[] = {tile_buffer_arg(w->x, TILE_FP64), tile_int_arg(1000),
                    tile_bool_arg(true), tile_float_arg(0.5), tile_none_arg()};
  assert_true(run_kinds(w, args) == 1001.5);
  args[1] = tile_int_arg(INT64_C(1) << 40);
  args[2] = tile_bool_arg(false);
  assert_true(run_kinds(w, args) == (double)(INT64_C(1) << 40) + 0.5);
  args[1] = tile_int_arg(-16);
  args[2] = tile_int_arg(1);
  assert_true(run_kinds(w, args) == -14.5);
  args[1] = tile_float_arg(2.25);
  assert_true(run_kinds(w, args) == 3.75);
  args[4] = tile_int_arg(3);
  assert_true(run_kinds(w, args) == -1);
  const TileArg wide[] = {tile_buffer_arg(w->x, TILE_INT64),
                          tile_int_arg(INT64_MAX - 1)};
  int64_t big = 0;
  expect_args(w, kernel_of(w->typed, "wide"), wide, 2, TILE_OK, NULL);
  assert_int_equal(tile_buffer_read(w->x, 0, &big, 8), TILE_OK);
  assert_true(big == INT64_MAX);
}

// The type of integers past INT64_MAX is u64, as in Triton.
static void test_unsigned_arguments(void **state) {
  const World *w = *state;
  TileArg args[] = {tile_buffer_arg(w->x, TILE_FP64), tile_uint_arg(1000),
                    tile_uint_arg(1), tile_float_arg(0.5), tile_none_arg()};
  assert_true(run_kinds(w, args) == 1001.5);
  args[1] = tile_uint_arg(UINT64_C(1) << 63);
  assert_true(run_kinds(w, args) == 0x1p63);
  args[1].dtype = TILE_FP32;
  assert_true(run_kinds(w, args) == 0x1p63);
  args[1].dtype = TILE_INT64;
  expect_args(w, kernel_of(w->typed, "kinds"), args, 5, TILE_INVALID_ARGUMENT,
              "is i64, which cannot hold 9223372036854775808");
  args[1] = (TileArg){.kind = TILE_ARG_UINT, .as.u = 7};
  assert_true(run_kinds(w, args) == 8.5);
  const TileArg wide[] = {tile_buffer_arg(w->x, TILE_INT64),
                          tile_uint_arg(UINT64_MAX - 1)};
  uint64_t big = 0;
  expect_args(w, kernel_of(w->typed, "wide"), wide, 2, TILE_OK, NULL);
  assert_int_equal(tile_buffer_read(w->x, 0, &big, 8), TILE_OK);
  assert_true(big == UINT64_MAX);
}

static void test_annotated_arguments(void **state) {
  const World *w = *state;
  TileKernel *kernel = kernel_of(w->typed, "typed");
  TileArg args[] = {tile_buffer_arg(w->x, TILE_DTYPE_NONE), tile_int_arg(1),
                    tile_int_arg(3), tile_int_arg(5)};
  uint16_t half = 0;
  expect_args(w, kernel, args, 4, TILE_OK, NULL);
  assert_int_equal(tile_buffer_read(w->x, 0, &half, 2), TILE_OK);
  assert_int_equal(half, 0x4200); // 3.0
  args[0].dtype = TILE_FP32;
  expect_args(w, kernel, args, 4, TILE_INVALID_ARGUMENT,
              "argument 'x' of kernel 'typed' is *fp16, found *fp32");
  args[0] = tile_int_arg(4);
  expect_args(w, kernel, args, 4, TILE_INVALID_ARGUMENT, "must be a pointer");
  args[0] = tile_buffer_arg(w->x, TILE_FP16);
  args[1] = tile_float_arg(1);
  expect_args(w, kernel, args, 4, TILE_INVALID_ARGUMENT, "must be an integer");
  args[1] = tile_buffer_arg(w->x, TILE_FP16);
  expect_args(w, kernel, args, 4, TILE_INVALID_ARGUMENT,
              "is a scalar in the kernel, found a pointer");
  args[1] = (TileArg){.kind = TILE_ARG_STRING, .as.string = "x"};
  expect_args(w, kernel, args, 4, TILE_INVALID_ARGUMENT,
              "must be a value of type i64, found a string");
  args[1] = tile_int_arg(7);
  args[0] = tile_tuple_arg(args + 1, 1);
  expect_args(w, kernel, args, 4, TILE_INVALID_ARGUMENT,
              "'x' of kernel 'typed' must be a value of type *fp16, found a "
              "tuple");
  args[0] = tile_buffer_arg(w->x, TILE_FP16);
  args[3] = tile_buffer_arg(w->x, TILE_FP16);
  expect_args(w, kernel, args, 4, TILE_INVALID_ARGUMENT,
              "argument 'c' of kernel 'typed' must be a constant");
}

static void test_do_not_specialize(void **state) {
  const World *w = *state;
  TileProgram *program;
  const TileSource source = {.text = plain_text};
  const TileArg args[] = {tile_buffer_arg(w->x, TILE_INT32), tile_int_arg(1),
                          tile_int_arg(1)};
  int32_t value = 0;
  assert_int_equal(tile_program_create(w->context, &source, &program, NULL),
                   TILE_OK);
  expect_args(w, kernel_of(program, "special"), args, 3, TILE_OK, NULL);
  assert_int_equal(tile_buffer_read(w->x, 0, &value, 4), TILE_OK);
  assert_int_equal(value, 1);
  expect_args(w, kernel_of(program, "plain"), args, 3, TILE_COMPILE_ERROR,
              "constant");
  tile_program_destroy(program);
}

// The values that the kernel of `tuned_text` stores.
static int tuned(const World *w, TileKernel *kernel, int64_t n, double s,
                 int config) {
  int32_t found = -1;
  const TileArg args[] = {tile_buffer_arg(w->x, TILE_INT32), tile_int_arg(n),
                          tile_float_arg(s)};
  const TileLaunch launch = {.kernel = kernel,
                             .grid = {1},
                             .args = args,
                             .num_args = 3,
                             .config = config};
  expect_launch(w, &launch, TILE_OK, NULL);
  assert_int_equal(tile_device_sync(w->device, NULL), TILE_OK);
  assert_int_equal(tile_buffer_read(w->x, 0, &found, sizeof found), TILE_OK);
  return found;
}

static void test_heuristics(void **state) {
  const World *w = *state;
  const TileSource source = {.file = "tuned.tile", .text = tuned_text};
  TileProgram *program;
  assert_int_equal(tile_program_create(w->context, &source, &program, NULL),
                   TILE_OK);
  TileKernel *kernel = kernel_of(program, NULL);
  assert_int_equal(tuned(w, kernel, 12, 0, 0), 1004);
  assert_int_equal(tuned(w, kernel, 13, 0, 0), 4);
  assert_int_equal(tuned(w, kernel, 12, 1.5, 0), 1104);
  assert_int_equal(tuned(w, kernel, 12, 0, 1), 8);
  assert_int_equal(tuned(w, kernel, 16, 2, 1), 1108);
  const TileArg args[] = {tile_buffer_arg(w->x, TILE_INT32), tile_int_arg(5),
                          tile_float_arg(0)};
  TileLaunch launch = {
      .kernel = kernel, .grid = {1}, .args = args, .num_args = 3, .config = 2};
  expect_launch(w, &launch, TILE_INVALID_ARGUMENT,
                "there is no configuration 2: 'tuned' has 2");
  const TileConstant even = {"EVEN", tile_bool_arg(true)};
  launch.config = 0;
  launch.constants = &even;
  launch.num_constants = 1;
  int32_t found = -1;
  expect_launch(w, &launch, TILE_OK, NULL);
  assert_int_equal(tile_device_sync(w->device, NULL), TILE_OK);
  assert_int_equal(tile_buffer_read(w->x, 0, &found, sizeof found), TILE_OK);
  assert_int_equal(found, 1004);
  tile_program_destroy(program);
}

static void test_wrong_arguments(void **state) {
  const World *w = *state;
  TileKernel *kernel = kernel_of(w->copy, NULL);
  TileArg args[5] = {tile_buffer_arg(w->x, TILE_FP32),
                     tile_buffer_arg(w->y, TILE_FP32), tile_int_arg(16),
                     tile_int_arg(16), tile_int_arg(16)};
  expect_args(w, kernel, args, 2, TILE_INVALID_ARGUMENT,
              "kernel 'copy' misses its argument 'n'");
  expect_args(w, kernel, args, 5, TILE_INVALID_ARGUMENT,
              "kernel 'copy' takes 4 arguments, found 5");
  args[3] = tile_default_arg();
  expect_args(w, kernel, args, 4, TILE_OK, NULL);
  args[2] = tile_default_arg();
  expect_args(w, kernel, args, 4, TILE_INVALID_ARGUMENT, "misses");
  args[2] = tile_int_arg(16);
  args[0].dtype = TILE_DTYPE_NONE;
  expect_args(w, kernel, args, 3, TILE_INVALID_ARGUMENT,
              "needs an element type");
  args[0] = tile_buffer_arg(NULL, TILE_FP32);
  expect_args(w, kernel, args, 3, TILE_INVALID_ARGUMENT, "NULL buffer");
  args[0].kind = (TileArgKind)77;
  expect_args(w, kernel, args, 3, TILE_INVALID_ARGUMENT,
              "argument 'x' of kernel 'copy' has a kind that does not exist");
  args[0] = tile_buffer_arg(w->x, (TileDtype)99);
  expect_args(w, kernel, args, 3, TILE_INVALID_ARGUMENT,
              "argument 'x' of kernel 'copy' has a type that does not exist");
  args[0] = tile_buffer_arg(w->x, TILE_FP32);
  args[0].as.buffer.offset = 2;
  expect_args(w, kernel, args, 3, TILE_INVALID_ARGUMENT,
              "which the 4 bytes of fp32 do not divide");
  args[0] = tile_int_arg(3);
  expect_args(w, kernel, args, 3, TILE_COMPILE_ERROR, "'load' wants a pointer");
}

static TileTensorDescriptor matrix_of(TileBuffer *buffer) {
  return (TileTensorDescriptor){.buffer = buffer,
                                .dtype = TILE_FP32,
                                .rank = 2,
                                .shape = {10, 8},
                                .strides = {8, 1},
                                .block = {4, 4}};
}

static void expect_descriptor(const World *w, TileKernel *kernel,
                              const TileTensorDescriptor *d, const char *text) {
  const TileArg args[] = {tile_descriptor_arg(d), tile_int_arg(0)};
  expect_args(w, kernel, args, 2, TILE_INVALID_ARGUMENT, text);
}

static void wrong_descriptors(const World *w, TileKernel *kernel) {
  TileTensorDescriptor d = matrix_of(w->x);
  expect_descriptor(w, kernel, NULL, "'descriptor' is a NULL descriptor");
  d.rank = 6;
  expect_descriptor(w, kernel, &d, "whose rank is not 1 to 5");
  d = matrix_of(w->x), d.dtype = TILE_DTYPE_NONE;
  expect_descriptor(w, kernel, &d, "a type that does not exist");
  d = matrix_of(w->x), d.strides[0] = 7;
  expect_descriptor(w, kernel, &d, "a stride that 16 bytes do not divide");
  d = matrix_of(w->x), d.strides[1] = 2;
  expect_descriptor(w, kernel, &d, "a last stride that is not 1");
  d = matrix_of(w->x), d.shape[0] = -1;
  expect_descriptor(w, kernel, &d, "a size that is negative or too big");
  d = matrix_of(w->x), d.block[1] = 0;
  expect_descriptor(w, kernel, &d, "a block without elements");
  d = matrix_of(w->x), d.offset = 4;
  expect_descriptor(w, kernel, &d, "is a descriptor of an address that 16");
  d.offset = SIZE_MAX / 2;
  expect_descriptor(w, kernel, &d, "past the end");
}

// Each launch adds 10 and the second descriptor's row to the elements inside.
static void check_launched(const float *x) {
  for (int i = 0; i < 80; i++) {
    const int column = i % 8;
    const bool inside = i / 8 >= 8 && column < 4;
    const float added = 2 * (15.0F + (float)column);
    if (inside && column > 1)
      assert_true(isnan(x[i]));
    else
      assert_true(x[i] == (float)i + (inside ? added : 0));
  }
}

// Blocks of 4 by 4 in a 10 by 8 tensor: of the last one, two rows are inside.
// The second descriptor has 4, 5 and 6, is read from 5 on, and pads with NaN.
static void test_descriptors(void **state) {
  const World *w = *state;
  const TileSource source = {.text = descriptor_text};
  TileProgram *program;
  assert_int_equal(tile_program_create(w->context, &source, &program, NULL),
                   TILE_OK);
  TileKernel *kernel = kernel_of(program, NULL);
  float x[80], y[1] = {0};
  for (int i = 0; i < 80; i++) x[i] = (float)i;
  assert_int_equal(tile_buffer_write(w->x, 0, x, sizeof x), TILE_OK);
  const TileTensorDescriptor d = matrix_of(w->x);
  const TileTensorDescriptor e = {.address = tile_buffer_address(w->x),
                                  .offset = 16,
                                  .dtype = TILE_FP32,
                                  .rank = 1,
                                  .shape = {3},
                                  .strides = {1},
                                  .block = {4},
                                  .pads_with_nan = true};
  const TileArg items[] = {tile_descriptor_arg(&e),
                           tile_buffer_arg(w->y, TILE_FP32), tile_int_arg(8)};
  const TileArg args[] = {tile_descriptor_arg(&d), tile_tuple_arg(items, 3)};
  expect_args(w, kernel, args, 2, TILE_OK, NULL);
  expect_args(w, kernel, args, 2, TILE_OK, NULL); // finds its variant
  assert_int_equal(tile_buffer_read(w->x, 0, x, sizeof x), TILE_OK);
  assert_int_equal(tile_buffer_read(w->y, 0, y, sizeof y), TILE_OK);
  check_launched(x);
  assert_true(y[0] == 8);
  wrong_descriptors(w, kernel);
  tile_program_destroy(program);
}

static void test_constants(void **state) {
  const World *w = *state;
  const TileArg args[] = {tile_buffer_arg(w->x, TILE_FP32),
                          tile_buffer_arg(w->y, TILE_FP32)};
  TileConstant constants[] = {{"BLOCK", tile_int_arg(32)},
                              {"n", tile_int_arg(20)}};
  TileLaunch launch = {.kernel = kernel_of(w->copy, NULL),
                       .grid = {1},
                       .args = args,
                       .num_args = 2,
                       .constants = constants,
                       .num_constants = 2};
  expect_launch(w, &launch, TILE_OK, NULL);
  constants[1].name = "m";
  expect_launch(w, &launch, TILE_INVALID_ARGUMENT, "no parameter 'm'");
  constants[1].name = "BLOK";
  expect_launch(w, &launch, TILE_INVALID_ARGUMENT, "did you mean 'BLOCK'?");
  constants[1].name = "BLOCK";
  expect_launch(w, &launch, TILE_INVALID_ARGUMENT, "given twice");
  constants[1].name = NULL;
  expect_launch(w, &launch, TILE_INVALID_ARGUMENT, "has no name");
  constants[1] = (TileConstant){"n", tile_int_arg(20)};
  constants[0].value = tile_int_arg(48);
  expect_launch(w, &launch, TILE_COMPILE_ERROR, "copy.tile:3:");
}

static void test_bad_launches(void **state) {
  const World *w = *state;
  const TileArg args[] = {tile_buffer_arg(w->x, TILE_FP32),
                          tile_buffer_arg(w->y, TILE_FP32), tile_int_arg(16)};
  const TileLaunch good = {.kernel = kernel_of(w->copy, NULL),
                           .grid = {1},
                           .args = args,
                           .num_args = 3};
  TileLaunch launch = good;
  expect_launch(w, NULL, TILE_INVALID_ARGUMENT, "'launch' is NULL");
  launch.kernel = NULL;
  expect_launch(w, &launch, TILE_INVALID_ARGUMENT, "'launch->kernel' is NULL");
  launch = good, launch.args = NULL;
  expect_launch(w, &launch, TILE_INVALID_ARGUMENT, "'launch->args' is NULL");
  launch = good, launch.num_constants = 1;
  expect_launch(w, &launch, TILE_INVALID_ARGUMENT, "constants' is NULL");
  launch = good, launch.grid[0] = 0;
  expect_launch(w, &launch, TILE_INVALID_ARGUMENT, "axis 0, found 0");
  launch = good, launch.grid[1] = UINT32_MAX;
  expect_launch(w, &launch, TILE_INVALID_ARGUMENT, "axis 1, found 4294967295");
  launch = good;
  launch.grid[0] = launch.grid[1] = launch.grid[2] = INT32_MAX;
  expect_launch(w, &launch, TILE_INVALID_ARGUMENT, "too many programs");
  launch = good, launch.num_warps = 3;
  expect_launch(w, &launch, TILE_INVALID_ARGUMENT, "power of two");
  launch = good, launch.num_stages = -1;
  expect_launch(w, &launch, TILE_INVALID_ARGUMENT, "num_stages");
  launch = good, launch.size = sizeof launch, launch.num_ctas = 16;
  expect_launch(w, &launch, TILE_INVALID_ARGUMENT, "num_ctas");
  launch = good, launch.stream = &launch;
  expect_launch(w, &launch, TILE_INVALID_ARGUMENT, "no streams");
}

// One launch to warm up, and one for each time; each doubles the elements.
static void test_times(void **state) {
  const World *w = *state;
  const float one = 1;
  float found = 0;
  double seconds[3] = {-1, -1, -1};
  const TileArg args[] = {tile_buffer_arg(w->x, TILE_FP32),
                          tile_buffer_arg(w->x, TILE_FP32), tile_int_arg(1)};
  const TileLaunch launch = {.kernel = kernel_of(w->copy, NULL),
                             .grid = {1},
                             .args = args,
                             .num_args = 3};
  assert_int_equal(tile_buffer_write(w->x, 0, &one, sizeof one), TILE_OK);
  assert_int_equal(tile_launch_time(w->device, &launch, seconds, 3, NULL),
                   TILE_OK);
  assert_int_equal(tile_buffer_read(w->x, 0, &found, sizeof found), TILE_OK);
  assert_true(found == 16);
  assert_true(seconds[0] >= 0 && seconds[1] >= seconds[0] &&
              seconds[2] >= seconds[1] && seconds[2] < 60);
  assert_int_equal(tile_launch_time(w->device, &launch, NULL, 0, NULL),
                   TILE_OK);
  assert_int_equal(tile_launch_time(w->device, &launch, NULL, 1, NULL),
                   TILE_INVALID_ARGUMENT);
}

static void test_other_devices(void **state) {
  const World *w = *state;
  TileContext *other;
  TileDevice *null_device, *foreign;
  assert_int_equal(tile_context_create(NULL, &other), TILE_OK);
  assert_int_equal(tile_device_open(other, "null", &foreign, NULL), TILE_OK);
  assert_int_equal(tile_device_open(w->context, "null", &null_device, NULL),
                   TILE_OK);
  TileArg args[] = {tile_buffer_arg(w->x, TILE_FP32),
                    tile_buffer_arg(w->y, TILE_FP32), tile_int_arg(16)};
  const TileLaunch launch = {.kernel = kernel_of(w->copy, NULL),
                             .grid = {1},
                             .args = args,
                             .num_args = 3};
  assert_int_equal(tile_launch(foreign, &launch, NULL), TILE_INVALID_ARGUMENT);
  assert_int_equal(tile_launch(null_device, &launch, NULL),
                   TILE_INVALID_ARGUMENT);
  args[0] = args[1] = tile_pointer_arg(NULL, TILE_FP32);
  assert_int_equal(tile_launch(null_device, &launch, NULL), TILE_OK);
  tile_device_destroy(null_device); // takes its variants along
  tile_device_destroy(foreign);
  tile_context_destroy(other);
  args[0] = args[1] = tile_buffer_arg(w->x, TILE_FP32);
  assert_int_equal(tile_launch(w->device, &launch, NULL), TILE_OK);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_launch),
      cmocka_unit_test(test_compiles_once),
      TEST(test_offsets),
      TEST(test_kinds_of_arguments),
      TEST(test_unsigned_arguments),
      TEST(test_annotated_arguments),
      TEST(test_do_not_specialize),
      TEST(test_heuristics),
      TEST(test_wrong_arguments),
      TEST(test_descriptors),
      TEST(test_constants),
      TEST(test_bad_launches),
      TEST(test_times),
      TEST(test_other_devices),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
