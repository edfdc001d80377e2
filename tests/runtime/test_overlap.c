// test_overlap.c -- launches whose arguments are the same memory, or share a
// part of it: the results are those of the program's order.
#include "tile/tile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// Each tile of y is one of x times w: behind each other, in a loop.
static const char source_text[] =
    "@jit\n"
    "def products(x, w, y, m, stride, roles: tl.constexpr):\n"
    "    a = tl.make_tensor_descriptor(x, [m, 64], [stride, 1], [64, 32])\n"
    "    b = tl.make_tensor_descriptor(w, [64, 64], [64, 1], [32, 64])\n"
    "    c = tl.make_tensor_descriptor(y, [m, 64], [stride, 1], [64, 64])\n"
    "    for i in tl.range(0, m, 64):\n"
    "        acc = tl.zeros((64, 64), tl.float32)\n"
    "        for k in tl.range(0, 64, 32, warp_specialize=roles):\n"
    "            acc = tl.dot(a.load([i, k]), b.load([k, 0]), acc)\n"
    "        c.store([i, 0], acc.to(tl.float16))\n"
    "@jit\n"
    "def stored(x, w, y, m, stride, roles: tl.constexpr):\n"
    "    a = tl.make_tensor_descriptor(x, [m, 64], [stride, 1], [64, 32])\n"
    "    b = tl.make_tensor_descriptor(w, [64, 64], [64, 1], [32, 64])\n"
    "    r = tl.arange(0, 64)\n"
    "    for i in tl.range(0, m, 64):\n"
    "        acc = tl.zeros((64, 64), tl.float32)\n"
    "        for k in tl.range(0, 64, 32, warp_specialize=roles):\n"
    "            acc = tl.dot(a.load([i, k]), b.load([k, 0]), acc)\n"
    "        at = (i + r)[:, None] * stride + r[None, :]\n"
    "        tl.store(y + at, acc.to(tl.float16))\n"
    "@jit\n"
    "def once(x, w, y, m, stride, roles: tl.constexpr):\n"
    "    a = tl.make_tensor_descriptor(x, [m, 64], [stride, 1], [64, 32])\n"
    "    b = tl.make_tensor_descriptor(w, [64, 64], [64, 1], [32, 64])\n"
    "    c = tl.make_tensor_descriptor(y, [m, 64], [stride, 1], [64, 64])\n"
    "    i = tl.program_id(0) * 64\n"
    "    acc = tl.zeros((64, 64), tl.float32)\n"
    "    for k in tl.range(0, 64, 32, warp_specialize=roles):\n"
    "        acc = tl.dot(a.load([i, k]), b.load([k, 0]), acc)\n"
    "    c.store([i, 0], acc.to(tl.float16))\n";

enum {
  SIDE = 64,
  ROWS = 4 * SIDE,
  STRIDE = 2 * SIDE,
  SIZE = 2 * ROWS * STRIDE
};

typedef struct {
  TileContext *context;
  TileDevice *device;
  TileProgram *program;
  TileBuffer *data, *w;
  int overlap; // variants for such launches
} World;

static void count(void *ctx, const char *line) {
  World *w = ctx;
  w->overlap += strstr(line, "for tensors that share memory") != NULL;
}

// w moves columns to the left, so that a row's numbers are the same.
static void fill_w(const World *w) {
  float numbers[SIDE * SIDE] = {0};
  for (int j = 0; j < SIDE; j++) numbers[(j + 1) % SIDE * SIDE + j] = 1;
  assert_int_equal(
      tile_buffer_write_floats(w->w, 0, TILE_FP16, numbers, SIDE * SIDE),
      TILE_OK);
}

static int set_up(void **state) {
  World *w = calloc(1, sizeof *w);
  const TileContextOptions options = {.log = count, .log_ctx = w};
  const TileSource source = {.file = "k.tile", .text = source_text};
  TileStatus status = tile_context_create(&options, &w->context);
  if (!status) status = tile_device_open(w->context, "sim", &w->device, NULL);
  if (!status)
    status = tile_program_create(w->context, &source, &w->program, NULL);
  if (!status) status = tile_buffer_create(w->device, 2 * SIZE, &w->data);
  if (!status) status = tile_buffer_create(w->device, 2 * SIDE * SIDE, &w->w);
  *state = w;
  if (!status) fill_w(w);
  return (int)status;
}

static int tear_down(void **state) {
  World *w = *state;
  tile_buffer_destroy(w->data);
  tile_buffer_destroy(w->w);
  tile_device_destroy(w->device);
  tile_program_destroy(w->program);
  tile_context_destroy(w->context);
  free(w);
  return 0;
}

typedef struct {
  const char *kernel;
  bool in_loop; // one program has all tiles
  int x, y;     // where they begin
} Case;

static void want(const Case *c, float *data) {
  for (int row = 0; row < ROWS; row++) {
    float made[SIDE];
    for (int j = 0; j < SIDE; j++)
      made[j] = data[c->x + row * STRIDE + (j + 1) % SIDE];
    memcpy(data + c->y + row * STRIDE, made, sizeof made);
  }
}

static TileStatus launch(const World *w, const Case *c, bool roles) {
  TileKernel *kernel = NULL;
  uint16_t *data = tile_buffer_address(w->data);
  assert_int_equal(tile_program_kernel(w->program, c->kernel, &kernel, NULL),
                   TILE_OK);
  const TileArg args[] = {tile_pointer_arg(data + c->x, TILE_FP16),
                          tile_buffer_arg(w->w, TILE_FP16),
                          tile_pointer_arg(data + c->y, TILE_FP16),
                          tile_int_arg(ROWS),
                          tile_int_arg(STRIDE),
                          tile_bool_arg(roles)};
  const TileLaunch launch = {.kernel = kernel,
                             .grid = {c->in_loop ? 1 : ROWS / SIDE},
                             .num_warps = 4,
                             .num_stages = 3,
                             .args = args,
                             .num_args = 6};
  return tile_launch(w->device, &launch, NULL);
}

static void expect(const World *w, const Case *c, bool roles) {
  static float data[SIZE], got[SIZE];
  for (int i = 0; i < SIZE; i++) data[i] = (float)(i % 1021);
  assert_int_equal(tile_buffer_write_floats(w->data, 0, TILE_FP16, data, SIZE),
                   TILE_OK);
  want(c, data);
  assert_int_equal(launch(w, c, roles), TILE_OK);
  assert_int_equal(tile_buffer_read_floats(w->data, 0, TILE_FP16, got, SIZE),
                   TILE_OK);
  for (int i = 0; i < SIZE; i++)
    if (got[i] != data[i])
      fail_msg("%s, x %d, y %d: %d is %g, not %g", c->kernel, c->x, c->y, i,
               got[i], data[i]);
}

static const Case overlapping[] = {
    {"products", true, 0, SIDE *STRIDE},
    {"products", true, 0, 0},
    {"products", true, SIDE *STRIDE, 0},
    {"stored", true, 0, SIDE *STRIDE},
    {"stored", true, 0, 0},
};

static void the_order_of_the_program_counts(void **state) {
  const World *w = *state;
  for (size_t i = 0; i < sizeof overlapping / sizeof *overlapping; i++) {
    expect(w, &overlapping[i], false);
    expect(w, &overlapping[i], true);
  }
  assert_int_equal(w->overlap, 4);
}

// Other rows, or the other columns of the same rows, are other memory; a
// program that loads all of its tile first may store to the same place.
static const Case apart[] = {
    {"products", true, 0, ROWS *STRIDE}, {"products", true, 0, SIDE},
    {"products", true, SIDE, 0},         {"stored", true, 0, SIDE},
    {"stored", true, ROWS *STRIDE, 0},   {"once", false, 0, SIDE},
};

static void other_memory_has_maps(void **state) {
  const World *w = *state;
  for (size_t i = 0; i < sizeof apart / sizeof *apart; i++) {
    expect(w, &apart[i], false);
    expect(w, &apart[i], true);
  }
  assert_int_equal(w->overlap, 0);
}

// Each launch is looked at: none is a hint for the next one.
static void each_launch_is_checked(void **state) {
  const World *w = *state;
  for (int i = 0; i < 3; i++) {
    expect(w, &apart[0], true);
    expect(w, &overlapping[0], true);
  }
  assert_int_equal(w->overlap, 1);
}

// A binding has one of the two variants.
static void a_binding_says_so(void **state) {
  const World *w = *state;
  TileKernel *kernel = NULL;
  TileBinding *binding = NULL;
  TileDiagnostics *why = NULL;
  uint16_t *data = tile_buffer_address(w->data);
  void *weights = tile_buffer_address(w->w);
  assert_int_equal(tile_program_kernel(w->program, "products", &kernel, NULL),
                   TILE_OK);
  for (int overlaps = 0; overlaps < 2; overlaps++) {
    uint16_t *y = data + (overlaps ? SIDE : ROWS) * STRIDE;
    const TileArg args[] = {tile_pointer_arg(data, TILE_FP16),
                            tile_pointer_arg(weights, TILE_FP16),
                            tile_pointer_arg(y, TILE_FP16),
                            tile_int_arg(ROWS),
                            tile_int_arg(STRIDE),
                            tile_bool_arg(true)};
    const TileLaunch launch = {
        .kernel = kernel, .grid = {1}, .args = args, .num_args = 6};
    const void *others[] = {data, weights, data};
    assert_int_equal(tile_launch_bind(w->device, &launch, &binding, NULL),
                     TILE_OK);
    assert_int_equal(tile_binding_start(binding, NULL, 0, NULL, NULL), TILE_OK);
    const TileStatus status =
        tile_binding_start(binding, others, 3, NULL, &why);
    assert_int_equal(status, overlaps ? TILE_OK : TILE_UNSUPPORTED);
    if (!overlaps)
      assert_non_null(strstr(tile_diagnostics_text(why), "share no memory"));
    tile_diagnostics_destroy(why);
    tile_binding_destroy(binding);
    why = NULL;
  }
}

int main(void) {
  setenv("TILE_SIM_CHIP", "sm_90", 1);
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      TEST(the_order_of_the_program_counts),
      TEST(other_memory_has_maps),
      TEST(each_launch_is_checked),
      TEST(a_binding_says_so),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
