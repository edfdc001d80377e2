// test_tuples.c -- tuples as arguments: names, constants, nests.
#include "tests/runtime/world.h"

#include "tile/engine.h"

static int32_t launch_tuple(const World *w, TileKernel *kernel, int64_t a,
                            float b) {
  const TileArg inner[] = {tile_int_arg(a), tile_float_arg(b), tile_none_arg()};
  const TileArg items[] = {tile_buffer_arg(w->x, TILE_INT32),
                           tile_tuple_arg(inner, 3), tile_int_arg(1)};
  TileArg add = tile_none_arg(), type = tile_none_arg();
  add.kind = TILE_ARG_FUNCTION, add.as.string = "add";
  type.kind = TILE_ARG_POINTER_DTYPE, type.dtype = TILE_INT8;
  const TileArg args[] = {tile_tuple_arg(items, 3), add, type};
  expect_args(w, kernel, args, 3, TILE_OK, NULL);
  int32_t found = -1;
  assert_int_equal(tile_device_sync(w->device, NULL), TILE_OK);
  assert_int_equal(tile_buffer_read(w->x, 0, &found, sizeof found), TILE_OK);
  return found;
}

static void test_tuples(void **state) {
  const World *w = *state;
  const TileSource source = {.file = "tuples.tile", .text = tuple_text};
  TileProgram *program;
  assert_int_equal(tile_program_create(w->context, &source, &program, NULL),
                   TILE_OK);
  TileKernel *kernel = kernel_of(program, "tuples");
  assert_int_equal(launch_tuple(w, kernel, 100, 20), 121);
  assert_int_equal(launch_tuple(w, kernel, 32, 5), 38);
  assert_int_equal(launch_tuple(w, kernel, 1, 7), 9);
  TileArg nested[20];
  for (int i = 0; i < 19; i++) nested[i] = tile_tuple_arg(&nested[i + 1], 1);
  nested[19] = tile_tuple_arg(NULL, 1);
  expect_args(w, kernel, nested, 1, TILE_INVALID_ARGUMENT, "nested too deeply");
  expect_args(w, kernel, nested + 19, 1, TILE_INVALID_ARGUMENT,
              "is a tuple whose items are NULL");
  tile_program_destroy(program);
}

// The name of a function may have the name of a module before it, and is
// checked.
static void test_function_names(void **state) {
  const World *w = *state;
  static const char *const wrong[] = {"", ".", "add.", ".add", "a..b", "none"};
  const TileSource source = {.file = "tuples.tile", .text = tuple_text};
  TileProgram *program;
  assert_int_equal(tile_program_create(w->context, &source, &program, NULL),
                   TILE_OK);
  const TileArg inner[] = {tile_int_arg(1), tile_float_arg(2), tile_none_arg()};
  const TileArg items[] = {tile_buffer_arg(w->x, TILE_INT32),
                           tile_tuple_arg(inner, 3), tile_int_arg(1)};
  TileArg args[] = {tile_tuple_arg(items, 3), tile_none_arg(), tile_none_arg()};
  args[1].kind = TILE_ARG_FUNCTION;
  args[2].kind = TILE_ARG_POINTER_DTYPE, args[2].dtype = TILE_INT8;
  TileKernel *kernel = kernel_of(program, "tuples");
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    args[1].as.string = wrong[i];
    expect_args(w, kernel, args, 3, TILE_COMPILE_ERROR, "unknown name");
  }
  args[1].as.string = "nosuch.add";
  expect_args(w, kernel, args, 3, TILE_COMPILE_ERROR, "'nosuch.add'");
  tile_program_destroy(program);
}

// The sum that the kernel makes: a size is a constant, a factor is none.
static int32_t launch_named(const World *w, TileKernel *kernel,
                            const char *const *names, int64_t size) {
  const TileArg value = tile_int_arg(size);
  const TileArg inner[] = {tile_constant_arg(&value), tile_int_arg(3)};
  static const char *const sizes[] = {"block", "factor"};
  const TileArg items[] = {tile_named_tuple_arg(inner, sizes, 2),
                           tile_buffer_arg(w->x, TILE_INT32)};
  const TileArg args[] = {tile_named_tuple_arg(items, names, 2)};
  expect_args(w, kernel, args, 1, TILE_OK, NULL);
  int32_t found = -1;
  assert_int_equal(tile_device_sync(w->device, NULL), TILE_OK);
  assert_int_equal(tile_buffer_read(w->x, 0, &found, sizeof found), TILE_OK);
  return found;
}

// Names and constants distinguish variants.
static void test_named_tuples(void **state) {
  const World *w = *state;
  const TileSource source = {.file = "named.tile", .text = named_text};
  static const char *const names[] = {"sizes", "out"};
  static const char *const others[] = {"other", "out"};
  TileProgram *program;
  assert_int_equal(tile_program_create(w->context, &source, &program, NULL),
                   TILE_OK);
  TileKernel *kernel = kernel_of(program, "named");
  assert_int_equal(launch_named(w, kernel, names, 4), 18);
  assert_int_equal(launch_named(w, kernel, names, 8), 84);
  assert_int_equal(launch_named(w, kernel, others, 8), 8);
  tile_program_destroy(program);
}

static void test_wrong_tuples(void **state) {
  const World *w = *state;
  TileKernel *kernel = kernel_of(w->copy, NULL);
  const TileArg one = tile_int_arg(1), marked = tile_constant_arg(&one);
  static const char *const none[] = {NULL};
  const TileArg args[] = {tile_named_tuple_arg(&one, none, 1),
                          tile_constant_arg(NULL), tile_constant_arg(&marked),
                          tile_buffer_arg(w->x, TILE_FP32)};
  const TileArg buffer = tile_constant_arg(&args[3]);
  expect_args(w, kernel, args, 1, TILE_INVALID_ARGUMENT,
              "is a named tuple, one of whose names is NULL");
  expect_args(w, kernel, args + 1, 1, TILE_INVALID_ARGUMENT,
              "is a constant without a value");
  expect_args(w, kernel, args + 2, 1, TILE_INVALID_ARGUMENT, "a constant");
  expect_args(w, kernel, &buffer, 1, TILE_INVALID_ARGUMENT, "a constant");
}

// -- Long tuples -------------------------------------------------------------

// More items than a launch has room for on its stack.
enum { MANY = 100 };

static const char long_text[] = "@triton.jit\n"
                                "def long(out, items):\n"
                                "    total = 0\n"
                                "    for i in tl.static_range(len(items)):\n"
                                "        total += items[i] * (i + 1)\n"
                                "    tl.store(out, total)\n";

static void expect_total(const World *w, int32_t wanted, const char *way) {
  int32_t found = -1;
  assert_int_equal(tile_device_sync(w->device, NULL), TILE_OK);
  assert_int_equal(tile_buffer_read(w->x, 0, &found, sizeof found), TILE_OK);
  if (found != wanted) fail_msg("%s: %d, not %d", way, found, wanted);
  found = -1;
  assert_int_equal(tile_buffer_write(w->x, 0, &found, sizeof found), TILE_OK);
}

static void launch_long(const World *w, TileKernel *kernel, int first) {
  TileArg items[MANY];
  TileBinding *binding;
  const void *address = tile_buffer_address(w->x);
  int32_t wanted = 0;
  for (int i = 0; i < MANY; i++) {
    items[i] = tile_int_arg(first + 2 * i);
    wanted += (first + 2 * i) * (i + 1);
  }
  const TileArg args[] = {tile_buffer_arg(w->x, TILE_INT32),
                          tile_tuple_arg(items, MANY)};
  const TileLaunch launch = {
      .kernel = kernel, .grid = {1}, .args = args, .num_args = 2};
  expect_launch(w, &launch, TILE_OK, NULL);
  expect_total(w, wanted, "a launch");
  expect_launch(w, &launch, TILE_OK, NULL);
  expect_total(w, wanted, "another launch");
  assert_int_equal(tile_launch_bind(w->device, &launch, &binding, NULL),
                   TILE_OK);
  assert_int_equal(tile_binding_start(binding, &address, 1, NULL, NULL),
                   TILE_OK);
  expect_total(w, wanted, "a binding");
  tile_binding_destroy(binding);
}

// tear_down() counts the blocks that are left.
static void test_long_tuples(void **state) {
  const World *w = *state;
  const TileSource source = {.file = "long.tile", .text = long_text};
  TileProgram *program;
  assert_int_equal(tile_program_create(w->context, &source, &program, NULL),
                   TILE_OK);
  launch_long(w, kernel_of(program, "long"), 3);
  launch_long(w, kernel_of(program, "long"), 5);
  tile_program_destroy(program);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_tuples),       TEST(test_function_names),
      TEST(test_named_tuples), TEST(test_wrong_tuples),
      TEST(test_long_tuples),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
