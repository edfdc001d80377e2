// test_options.c -- options of launches that choose the code: each value is a
// variant of its own.
#include "tests/runtime/world.h"

static const char asserts_text[] = "@triton.jit\n"
                                   "def plain(x, n):\n"
                                   "    tl.device_assert(n < 4, 'large')\n"
                                   "    tl.store(x, n)\n"
                                   "\n"
                                   "@triton.jit(debug=True)\n"
                                   "def checked(x, n):\n"
                                   "    assert n < 4, 'large'\n"
                                   "    tl.store(x, n)\n";

// A launch whose assertion does not hold ends with status `wanted`.
static void expect_assertion(const World *w, TileKernel *kernel, int debug,
                             TileStatus wanted) {
  const TileArg args[] = {tile_buffer_arg(w->x, TILE_INT32), tile_int_arg(5)};
  const TileLaunch launch = {.kernel = kernel,
                             .grid = {1},
                             .args = args,
                             .num_args = 2,
                             .debug = debug};
  TileDiagnostics *why = NULL;
  TileStatus status = tile_launch(w->device, &launch, &why);
  if (!status) status = tile_device_sync(w->device, &why);
  assert_int_equal(status, wanted);
  if (status) assert_non_null(strstr(tile_diagnostics_text(why), "large"));
  tile_diagnostics_destroy(why);
}

static void test_debug(void **state) {
  const World *w = *state;
  const TileSource source = {.file = "asserts.py", .text = asserts_text};
  TileProgram *program;
  assert_int_equal(tile_program_create(w->context, &source, &program, NULL),
                   TILE_OK);
  TileKernel *plain = kernel_of(program, "plain");
  TileKernel *checked = kernel_of(program, "checked");
  expect_assertion(w, plain, 0, TILE_OK);
  expect_assertion(w, plain, 1, TILE_DEVICE_ERROR);
  expect_assertion(w, plain, 0, TILE_OK);
  expect_assertion(w, plain, -1, TILE_OK);
  expect_assertion(w, checked, -1, TILE_OK);
  expect_assertion(w, checked, 0, TILE_DEVICE_ERROR);
  expect_assertion(w, checked, 1, TILE_DEVICE_ERROR);
  tile_program_destroy(program);
}

static const char product_text[] = "@triton.jit\n"
                                   "def product(x, y, n):\n"
                                   "    v = tl.load(x)\n"
                                   "    tl.store(y, v * v - tl.load(x + n))\n";

// The exact square has one digit more than fp32; rounded to fp32, it equals the
// other operand.
static void test_fp_fusion(void **state) {
  const World *w = *state;
  const TileSource source = {.file = "product.tile", .text = product_text};
  const float x[3] = {1 + 0x1p-12F, 0, 1 + 0x1p-11F};
  TileProgram *program;
  assert_int_equal(tile_program_create(w->context, &source, &program, NULL),
                   TILE_OK);
  assert_int_equal(tile_buffer_write(w->x, 0, x, sizeof x), TILE_OK);
  const TileArg args[] = {tile_buffer_arg(w->x, TILE_FP32),
                          tile_buffer_arg(w->y, TILE_FP32), tile_int_arg(2)};
  for (int apart = 0; apart < 2; apart++) {
    const TileLaunch launch = {.kernel = kernel_of(program, NULL),
                               .grid = {1},
                               .args = args,
                               .num_args = 3,
                               .no_fp_fusion = apart != 0};
    float y = -1;
    expect_launch(w, &launch, TILE_OK, NULL);
    assert_int_equal(tile_device_sync(w->device, NULL), TILE_OK);
    assert_int_equal(tile_buffer_read(w->y, 0, &y, sizeof y), TILE_OK);
    assert_true(y == 0 || (!apart && y == 0x1p-24F)); // without fma, always 0
  }
  tile_program_destroy(program);
}

static const char limited_text[] =
    "@triton.autotune([triton.Config({}), triton.Config({}, maxnreg=32),\n"
    "                  triton.Config({}, maxnreg=64)], key=[])\n"
    "@triton.jit\n"
    "def limited(n):\n"
    "    tl.device_assert(n > 0)\n";

static void count_compiled(void *count, const char *line) {
  *(int *)count += strstr(line, "compiled limited") != NULL;
}

// Configurations that differ in one option alone share no code.
static void test_configurations(void **state) {
  (void)state;
  int compiled = 0;
  const TileContextOptions options = {.log = count_compiled,
                                      .log_ctx = &compiled};
  const TileSource source = {.file = "limited.py", .text = limited_text};
  TileContext *context;
  TileDevice *device;
  TileProgram *program;
  assert_int_equal(tile_context_create(&options, &context), TILE_OK);
  assert_int_equal(tile_device_open(context, "null", &device, NULL), TILE_OK);
  assert_int_equal(tile_program_create(context, &source, &program, NULL),
                   TILE_OK);
  const TileArg arg = tile_int_arg(5);
  for (int i = 0; i < 6; i++) {
    const TileLaunch launch = {.kernel = kernel_of(program, NULL),
                               .grid = {1},
                               .args = &arg,
                               .num_args = 1,
                               .config = i % 3};
    assert_int_equal(tile_launch(device, &launch, NULL), TILE_OK);
    assert_int_equal(compiled, i < 3 ? i + 1 : 3);
  }
  tile_device_destroy(device);
  tile_program_destroy(program);
  tile_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_debug),
      TEST(test_fp_fusion),
      TEST(test_configurations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
