// test_tensor_maps.c -- launches of a kernel that has tensor maps: they are
// made once for each tensor, and without maps the results are the same.
#include "tests/runtime/fake_cuda.h"
#include "tile/tile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char source_text[] =
    "@jit\n"
    "def twice(x: *fp32, y: *fp32, m: i32, n: i32, stride: i32):\n"
    "    a = tl.make_tensor_descriptor(x, [m, n], [stride, 1], [8, 16])\n"
    "    b = tl.make_tensor_descriptor(y, [m, n], [stride, 1], [8, 16])\n"
    "    i = tl.program_id(0) * 8\n"
    "    j = tl.program_id(1) * 16\n"
    "    b.store([i, j], a.load([i, j]) * 2)\n"
    // One variant for any address of `x`, which has no hint in the text.
    "@jit(do_not_specialize_on_alignment=['x'])\n"
    "def loose(x: *fp32, y: *fp32):\n"
    "    a = tl.make_tensor_descriptor(x, [8, 16], [16, 1], [8, 16])\n"
    "    i = tl.arange(0, 8)[:, None] * 16 + tl.arange(0, 16)[None, :]\n"
    "    tl.store(y + i, a.load([0, 0]) * 2)\n";

enum { ROWS = 30, STRIDE = 64, SIZE = ROWS * STRIDE, SLACK = 16 };

typedef struct {
  TileContext *context;
  TileDevice *device;
  TileProgram *program;
  TileKernel *kernel;
  TileBuffer *x, *y;
  int compiled, without;
  _Atomic long num_blocks; // blocks that the library has
} World;

static void *alloc_block(void *ctx, size_t size) {
  World *w = ctx;
  void *block = malloc(size);
  w->num_blocks += block != NULL;
  return block;
}

static void free_block(void *ctx, void *block) {
  World *w = ctx;
  w->num_blocks--;
  free(block);
}

static void count(void *ctx, const char *line) {
  World *w = ctx;
  w->compiled += strstr(line, "compiled twice") != NULL;
  w->without += strstr(line, "without tensor maps") != NULL;
}

static TileStatus world_open(World *w, const char *device) {
  *w = (World){.context = NULL};
  const TileContextOptions options = {
      .allocator = {alloc_block, free_block, w}, .log = count, .log_ctx = w};
  const TileSource source = {.file = "k.tile", .text = source_text};
  assert_int_equal(tile_context_create(&options, &w->context), TILE_OK);
  assert_int_equal(tile_program_create(w->context, &source, &w->program, NULL),
                   TILE_OK);
  assert_int_equal(tile_program_kernel(w->program, "twice", &w->kernel, NULL),
                   TILE_OK);
  TileStatus status = tile_device_open(w->context, device, &w->device, NULL);
  const size_t bytes = sizeof(float) * (SIZE + SLACK);
  if (!status) status = tile_buffer_create(w->device, bytes, &w->x);
  if (!status) status = tile_buffer_create(w->device, bytes, &w->y);
  return status;
}

static void world_close(World *w) {
  tile_buffer_destroy(w->x);
  tile_buffer_destroy(w->y);
  tile_device_destroy(w->device);
  tile_program_destroy(w->program);
  tile_context_destroy(w->context);
  assert_int_equal(w->num_blocks, 0);
}

typedef struct {
  int first, rows, columns, stride; // the first element's place
} Tensor;

static TileStatus launch_or_bind(const World *w, Tensor t, bool binds) {
  TileBinding *binding = NULL;
  const TileArg args[] = {
      tile_pointer_arg((float *)tile_buffer_address(w->x) + t.first, TILE_FP32),
      tile_pointer_arg((float *)tile_buffer_address(w->y) + t.first, TILE_FP32),
      tile_int_arg(t.rows), tile_int_arg(t.columns), tile_int_arg(t.stride)};
  const TileLaunch launch = {.kernel = w->kernel,
                             .grid = {(ROWS + 7) / 8, STRIDE / 16},
                             .args = args,
                             .num_args = 5};
  if (!binds) return tile_launch(w->device, &launch, NULL);
  TileStatus status = tile_launch_bind(w->device, &launch, &binding, NULL);
  if (!status) status = tile_binding_start(binding, NULL, 0, NULL, NULL);
  tile_binding_destroy(binding);
  return status;
}

static TileStatus launch(const World *w, Tensor t) {
  return launch_or_bind(w, t, false);
}

// -- In the simulator --------------------------------------------------------

static bool is_inside(Tensor t, int place) {
  place -= t.first;
  if (place < 0) return false;
  return place / t.stride < t.rows && place % t.stride < t.columns;
}

static void expect_by(const World *w, Tensor t, bool binds) {
  float x[SIZE + SLACK], y[SIZE + SLACK];
  for (int i = 0; i < SIZE + SLACK; i++) x[i] = (float)i + 1, y[i] = -1;
  assert_int_equal(tile_buffer_write(w->x, 0, x, sizeof x), TILE_OK);
  assert_int_equal(tile_buffer_write(w->y, 0, y, sizeof y), TILE_OK);
  assert_int_equal(launch_or_bind(w, t, binds), TILE_OK);
  assert_int_equal(tile_buffer_read(w->y, 0, y, sizeof y), TILE_OK);
  for (int i = 0; i < SIZE + SLACK; i++) {
    const float wanted = is_inside(t, i) ? 2 * x[i] : -1;
    if (y[i] != wanted) fail_msg("%d: %g, not %g", i, y[i], wanted);
  }
}

static void expect_twice(const World *w, Tensor t) {
  expect_by(w, t, false);
  expect_by(w, t, true);
}

// One variant for all tensors that the hardware accepts, and one for all
// others, for each set of hints.
static void every_tensor_is_read(void **state) {
  (void)state;
  World w;
  assert_int_equal(world_open(&w, "sim"), TILE_OK);
  expect_twice(&w, (Tensor){0, 29, 63, STRIDE});
  expect_twice(&w, (Tensor){4 * 4, 17, 41, STRIDE});
  expect_twice(&w, (Tensor){0, 3, 5, STRIDE});
  assert_int_equal(w.compiled, 1);
  expect_twice(&w, (Tensor){0, 29, 43, 44});
  assert_int_equal(w.compiled, 2);
  assert_int_equal(w.without, 0);
  expect_twice(&w, (Tensor){0, 29, 43, 45});
  expect_twice(&w, (Tensor){0, 27, 41, 43});
  expect_twice(&w, (Tensor){0, -5, 41, 44});
  expect_twice(&w, (Tensor){0, 28, 41, 44});
  assert_int_equal(w.without, 1);
  expect_twice(&w, (Tensor){0, 0, 41, 44});
  expect_twice(&w, (Tensor){0, 16, 41, 44});
  assert_int_equal(w.without, 2);
  expect_twice(&w, (Tensor){1, 29, 63, STRIDE});
  expect_twice(&w, (Tensor){3, 21, 63, STRIDE});
  assert_int_equal(w.without, 3);
  world_close(&w);
}

// A tensor map needs an address with enough alignment.  If a binding's variant
// takes any address, the binding also has the variant without maps, for other
// addresses.
static void a_binding_takes_any_address(void **state) {
  (void)state;
  World w;
  float x[SIZE], y[8 * 16];
  TileKernel *kernel;
  TileBinding *binding = NULL;
  assert_int_equal(world_open(&w, "sim"), TILE_OK);
  assert_int_equal(tile_program_kernel(w.program, "loose", &kernel, NULL),
                   TILE_OK);
  float *from = tile_buffer_address(w.x), *to = tile_buffer_address(w.y);
  const TileArg args[] = {tile_pointer_arg(from, TILE_FP32),
                          tile_pointer_arg(to, TILE_FP32)};
  const TileLaunch launch = {
      .kernel = kernel, .grid = {1}, .args = args, .num_args = 2};
  for (int i = 0; i < SIZE; i++) x[i] = (float)i;
  assert_int_equal(tile_buffer_write(w.x, 0, x, sizeof x), TILE_OK);
  assert_int_equal(tile_launch_bind(w.device, &launch, &binding, NULL),
                   TILE_OK);
  assert_int_equal(w.without, 1);
  for (int first = 0; first < 9; first++) {
    const void *addresses[] = {from + first, to};
    assert_int_equal(tile_binding_start(binding, addresses, 2, NULL, NULL),
                     TILE_OK);
    assert_int_equal(tile_buffer_read(w.y, 0, y, sizeof y), TILE_OK);
    for (int i = 0; i < 8 * 16; i++)
      assert_true(y[i] == 2 * (float)(first + i));
  }
  tile_binding_destroy(binding);
  world_close(&w);
}

// -- With a driver that fails ------------------------------------------------

static FakeCuda *fake;

static void reset(int fail_at) {
  *fake = (FakeCuda){.fail_at = fail_at, .chip = 90, .local_bytes = 8};
}

static const Tensor tensor = {0, 29, 63, STRIDE};

static void maps_are_made_once(void **state) {
  (void)state;
  World w;
  reset(-1);
  assert_int_equal(world_open(&w, "cuda"), TILE_OK);
  for (int i = 0; i < 3; i++) {
    assert_int_equal(launch(&w, tensor), TILE_OK);
    assert_int_equal(fake->maps, 2);
  }
  assert_int_equal(launch(&w, (Tensor){0, 29, 59, STRIDE}), TILE_OK);
  assert_int_equal(fake->maps, 4);
  assert_int_equal(launch(&w, tensor), TILE_OK);
  assert_int_equal(fake->maps, 4);
  assert_int_equal(w.without, 0);
  world_close(&w);
  assert_int_equal(fake->live, 0);
}

// Each call of the driver fails once: a launch returns an error, or runs
// without the maps that could not be made, and the next one works.
static void fail_each_call(bool binds) {
  int without = 0, calls = 1000;
  for (int i = 0; i < calls; i++) {
    World w;
    reset(i);
    TileStatus status = world_open(&w, "cuda");
    if (!status) status = launch_or_bind(&w, tensor, binds);
    if (status) assert_int_equal(status, TILE_DEVICE_ERROR);
    if (!status) calls = fake->calls;
    fake->fail_at = -1;
    if (w.x && w.y)
      assert_int_equal(launch_or_bind(&w, tensor, binds), TILE_OK);
    without += w.without;
    world_close(&w);
    assert_int_equal(fake->live, 0);
  }
  // Three calls a map, to enter, to make and to leave, of two maps.
  assert_int_equal(without, 6);
}

static void every_call_of_a_launch_fails_once(void **state) {
  (void)state;
  fail_each_call(false);
}

static void every_call_of_a_binding_fails_once(void **state) {
  (void)state;
  fail_each_call(true);
}

static void an_old_driver_knows_no_maps(void **state) {
  (void)state;
  World w;
  FakeCuda *old = fake_cuda_load(OLD_CUDA);
  assert_non_null(old);
  old->chip = 90;
  assert_int_equal(world_open(&w, "cuda"), TILE_OK);
  assert_int_equal(launch(&w, tensor), TILE_OK);
  assert_int_equal(w.compiled, 1);
  assert_int_equal(old->launches, 1);
  world_close(&w);
  assert_int_equal(old->live, 0);
  setenv("TILE_LIBCUDA", FAKE_CUDA, 1);
}

int main(void) {
  setenv("TILE_SIM_CHIP", "sm_90", 1);
  fake = fake_cuda_load(FAKE_CUDA);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_tensor_is_read),
      cmocka_unit_test(a_binding_takes_any_address),
      cmocka_unit_test(maps_are_made_once),
      cmocka_unit_test(every_call_of_a_launch_fails_once),
      cmocka_unit_test(every_call_of_a_binding_fails_once),
      cmocka_unit_test(an_old_driver_knows_no_maps),
  };
  return fake ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
}
