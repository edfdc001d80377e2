// test_sized -- callers that were compiled with another tile.h than the
// library's.
#include "tests/runtime/world.h"

enum { MORE = 24 };

// A struct as a newer tile.h has it: with fields that this library lacks.
#define NEWER(type)                                                            \
  struct {                                                                     \
    type known;                                                                \
    unsigned char more[MORE];                                                  \
  }

static TileStatus open_context(const void *options) {
  TileContext *context = NULL;
  const TileStatus status = tile_context_create(options, &context);
  tile_context_destroy(context);
  return status;
}

static void test_options(void **state) {
  (void)state;
  NEWER(TileContextOptions) newer = {.known.size = sizeof newer};
  assert_int_equal(open_context(&newer), TILE_OK);
  newer.more[MORE - 1] = 1;
  assert_int_equal(open_context(&newer), TILE_INVALID_ARGUMENT);
  newer.known.size = sizeof newer.known;
  assert_int_equal(open_context(&newer), TILE_OK);
  newer.known.size = 0;
  assert_int_equal(open_context(&newer), TILE_OK);
  newer.known.size = offsetof(TileContextOptions, max_variants);
  assert_int_equal(open_context(&newer), TILE_OK); // of version 0.1
  newer.known.size -= sizeof(void *);
  assert_int_equal(open_context(&newer), TILE_INVALID_ARGUMENT);
  newer.known.size = 1;
  assert_int_equal(open_context(&newer), TILE_INVALID_ARGUMENT);
}

static void expect_source(const World *w, const void *source,
                          const char *message) {
  TileProgram *program = NULL;
  TileDiagnostics *why = NULL;
  const TileStatus status =
      tile_program_create(w->context, source, &program, &why);
  assert_int_equal(status, message ? TILE_INVALID_ARGUMENT : TILE_OK);
  if (message) assert_non_null(strstr(tile_diagnostics_text(why), message));
  tile_diagnostics_destroy(why);
  tile_program_destroy(program);
}

static void test_source(void **state) {
  NEWER(TileSource)
  newer = {.known = {.size = sizeof newer, .text = copy_text}};
  expect_source(*state, &newer, NULL);
  newer.more[0] = 1;
  expect_source(*state, &newer,
                "'source' is a TileSource with fields set that version");
  newer.known.size = 8;
  expect_source(*state, &newer, "'source->size' of a TileSource is 0, or at");
}

// x[i] * 2.0 to y[i], of 16 elements.
static TileLaunch copy_launch(const World *w, const TileArg *args) {
  return (TileLaunch){.kernel = kernel_of(w->copy, "copy"),
                      .grid = {1},
                      .args = args,
                      .num_args = 3};
}

static void test_launch(void **state) {
  const World *w = *state;
  const TileArg args[] = {tile_buffer_arg(w->x, TILE_FP32),
                          tile_buffer_arg(w->y, TILE_FP32), tile_int_arg(16)};
  NEWER(TileLaunch) newer = {.known = copy_launch(w, args)};
  expect_launch(w, &newer.known, TILE_OK, NULL);
  newer.known.size = sizeof newer;
  expect_launch(w, &newer.known, TILE_OK, NULL);
  newer.more[3] = 1;
  expect_launch(w, &newer.known, TILE_INVALID_ARGUMENT,
                "'launch' is a TileLaunch with fields set that version");
  newer.known.size = sizeof newer.known;
  expect_launch(w, &newer.known, TILE_OK, NULL);
  newer.known.size = sizeof newer.known / 2;
  expect_launch(w, &newer.known, TILE_INVALID_ARGUMENT,
                "'launch->size' of a TileLaunch is 0, or at least");
}

static void test_descriptor(void **state) {
  const World *w = *state;
  static const char text[] = "@jit\n"
                             "def f(d, y):\n"
                             "    i = tl.arange(0, 4)\n"
                             "    tl.store(y + i, d.load([0]))\n";
  const TileSource source = {.text = text};
  TileProgram *program = NULL;
  assert_int_equal(tile_program_create(w->context, &source, &program, NULL),
                   TILE_OK);
  NEWER(TileTensorDescriptor)
  newer = {.known = {.size = sizeof newer,
                     .buffer = w->x,
                     .dtype = TILE_FP32,
                     .rank = 1,
                     .shape = {4},
                     .strides = {1},
                     .block = {4}}};
  const TileArg args[] = {tile_descriptor_arg(&newer.known),
                          tile_buffer_arg(w->y, TILE_FP32)};
  TileKernel *kernel = kernel_of(program, "f");
  expect_args(w, kernel, args, 2, TILE_OK, NULL);
  newer.more[MORE - 1] = 1;
  expect_args(w, kernel, args, 2, TILE_INVALID_ARGUMENT,
              "'descriptor' is a TileTensorDescriptor with fields set");
  newer.known.size = sizeof(size_t);
  expect_args(w, kernel, args, 2, TILE_INVALID_ARGUMENT,
              "'descriptor->size' of a TileTensorDescriptor is 0, or at");
  tile_program_destroy(program);
}

// The library does not read the struct that it fills.
static void test_info(void **state) {
  const World *w = *state;
  const TileArg args[] = {tile_buffer_arg(w->x, TILE_FP32),
                          tile_buffer_arg(w->y, TILE_FP32), tile_int_arg(16)};
  const TileLaunch launch = copy_launch(w, args);
  NEWER(TileKernelInfo) newer;
  memset(&newer, 0xff, sizeof newer);
  newer.known.size = sizeof newer;
  assert_int_equal(tile_kernel_info(w->device, &launch, &newer.known, NULL),
                   TILE_OK);
  assert_int_equal(newer.known.size, sizeof newer);
  assert_int_equal(newer.known.num_warps, 1);
  for (int i = 0; i < MORE; i++) assert_int_equal(newer.more[i], 0);
  memset(&newer, 0xff, sizeof newer);
  newer.known.size = 0;
  assert_int_equal(tile_kernel_info(w->device, &launch, &newer.known, NULL),
                   TILE_OK);
  assert_int_equal(newer.known.size, 0);
  assert_int_equal(newer.known.num_warps, 1);
  for (int i = 0; i < MORE; i++) assert_int_equal(newer.more[i], 0xff);
  newer.known.size = 16;
  assert_int_equal(tile_kernel_info(w->device, &launch, &newer.known, NULL),
                   TILE_INVALID_ARGUMENT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_options), TEST(test_source), TEST(test_launch),
      TEST(test_descriptor),          TEST(test_info),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
