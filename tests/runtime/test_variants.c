// test_variants.c -- variants of one context: launches that differ in one thing
// take turns, and each has its own result.
#include "tests/runtime/world.h"

#include <math.h>

static const char text[] = "@triton.jit\n"
                           "def number(out: *fp64, C: tl.constexpr):\n"
                           "    tl.store(out, tl.full((), C, tl.float64))\n"
                           "\n"
                           "@triton.jit\n"
                           "def item(out: *fp64, t):\n"
                           "    tl.store(out, tl.full((), t[1], tl.float64))\n"
                           "\n"
                           "@triton.jit\n"
                           "def told(out: *fp64, n, a: fp32, b: fp32):\n"
                           "    tl.device_assert(n != 13)\n"
                           "    tl.store(out, (a * a + b).to(tl.float64))\n";

typedef struct {
  TileContext *context;
  TileProgram *program;
  int num_compiled;
} Rig;

typedef struct {
  TileDevice *device;
  TileBuffer *out;
} Place;

static void count_line(void *ctx, const char *line) {
  if (strstr(line, "compiled")) ++*(int *)ctx;
}

static int open_rig(void **state) {
  Rig *r = calloc(1, sizeof *r);
  const TileContextOptions options = {.log = count_line,
                                      .log_ctx = &r->num_compiled};
  const TileSource source = {.text = text};
  *state = r;
  return tile_context_create(&options, &r->context) ||
         tile_program_create(r->context, &source, &r->program, NULL);
}

static int close_rig(void **state) {
  Rig *r = *state;
  tile_program_destroy(r->program);
  tile_context_destroy(r->context);
  free(r);
  return 0;
}

static Place open_place(const Rig *r, const char *name) {
  Place p;
  assert_int_equal(tile_device_open(r->context, name, &p.device, NULL),
                   TILE_OK);
  assert_int_equal(tile_buffer_create(p.device, sizeof(double), &p.out),
                   TILE_OK);
  return p;
}

static void close_place(const Place *p) {
  tile_buffer_destroy(p->out);
  tile_device_destroy(p->device);
}

// The number that the kernel stores.  `status` NULL: the launch must succeed.
static double stored(const Rig *r, const Place *p, const char *kernel,
                     TileLaunch launch, TileStatus *status) {
  double out = -1;
  TileStatus ended;
  launch.kernel = kernel_of(r->program, kernel);
  launch.grid[0] = 1;
  assert_int_equal(tile_buffer_write(p->out, 0, &out, sizeof out), TILE_OK);
  ended = tile_launch(p->device, &launch, NULL);
  if (!ended) ended = tile_device_sync(p->device, NULL);
  if (status) *status = ended;
  if (!status) assert_int_equal(ended, TILE_OK);
  if (!ended) ended = tile_buffer_read(p->out, 0, &out, sizeof out);
  return out;
}

static const double numbers[] = {0.5,      0.25,          0.0,    -0.0,
                                 0.1,      0.1 + 0x1p-56, 1e-320, 1.0,
                                 INFINITY, -INFINITY,     NAN};
enum { NUM_NUMBERS = sizeof numbers / sizeof *numbers };

static void expect_number(double found, double wanted) {
  if (isnan(wanted))
    assert_true(isnan(found));
  else
    assert_memory_equal(&found, &wanted, sizeof found);
}

static double by_constant(const Rig *r, const Place *p, double number) {
  const TileConstant constant = {"C", tile_float_arg(number)};
  const TileArg out = tile_buffer_arg(p->out, TILE_FP64);
  const TileLaunch launch = {
      .args = &out, .num_args = 1, .constants = &constant, .num_constants = 1};
  return stored(r, p, "number", launch, NULL);
}

static double by_item(const Rig *r, const Place *p, double number) {
  const TileArg constant = tile_float_arg(number);
  const TileArg items[] = {tile_int_arg(7), tile_constant_arg(&constant)};
  const TileArg args[] = {tile_buffer_arg(p->out, TILE_FP64),
                          tile_tuple_arg(items, 2)};
  const TileLaunch launch = {.args = args, .num_args = 2};
  return stored(r, p, "item", launch, NULL);
}

static void test_floats(void **state) {
  const Rig *r = *state;
  const Place p = open_place(r, "cpu");
  for (int round = 0; round < 3; round++) {
    for (int i = 0; i < NUM_NUMBERS; i++) {
      expect_number(by_constant(r, &p, numbers[i]), numbers[i]);
      expect_number(by_item(r, &p, numbers[i]), numbers[i]);
    }
    assert_int_equal(r->num_compiled, 2 * NUM_NUMBERS);
  }
  close_place(&p);
}

static double told(const Rig *r, const Place *p, TileLaunch launch, int n,
                   TileStatus *status) {
  const TileArg args[] = {tile_buffer_arg(p->out, TILE_FP64), tile_int_arg(n),
                          tile_float_arg(1 + 0x1p-12),
                          tile_float_arg(-(1 + 0x1p-11))};
  launch.args = args;
  launch.num_args = 4;
  return stored(r, p, "told", launch, status);
}

// With separate roundings, the difference to the square is 0.
static void expect_settings(const Rig *r, const Place *p, double fused) {
  static const TileLaunch ways[] = {{.num_warps = 0},
                                    {.num_warps = 8},
                                    {.num_warps = 2},
                                    {.num_stages = 5},
                                    {.num_stages = 1},
                                    {.debug = 1},
                                    {.num_warps = 8, .num_stages = 5},
                                    {.size = sizeof *ways, .persist = 1},
                                    {.size = sizeof *ways, .persist = -1},
                                    {.no_fp_fusion = true}};
  enum { NUM_WAYS = sizeof ways / sizeof *ways };
  const int before = r->num_compiled;
  for (int round = 0; round < 3; round++) {
    for (int i = 0; i < NUM_WAYS; i++) {
      TileStatus status;
      assert_true(told(r, p, ways[i], 5, NULL) ==
                  (ways[i].no_fp_fusion ? 0 : fused));
      assert_int_equal(r->num_compiled - before, round ? NUM_WAYS : i + 1);
      if (ways[i].debug) continue; // a failed assertion ends the device
      told(r, p, ways[i], 13, &status);
      assert_int_equal(status, TILE_OK);
    }
  }
}

static void test_settings(void **state) {
  const Rig *r = *state;
  const Place host = open_place(r, "cpu"), sim = open_place(r, "sim");
  expect_settings(r, &host, told(r, &host, (TileLaunch){.debug = -1}, 5, NULL));
  expect_settings(r, &sim, 0x1p-24);
  TileStatus status;
  told(r, &sim, (TileLaunch){.debug = 1}, 13, &status);
  assert_int_not_equal(status, TILE_OK);
  close_place(&sim);
  close_place(&host);
}

// Each device has its own code, also two of a kind.
static void test_devices(void **state) {
  const Rig *r = *state;
  const Place places[] = {open_place(r, "cpu"), open_place(r, "sim"),
                          open_place(r, "cpu")};
  for (int round = 0; round < 3; round++) {
    for (int i = 0; i < 3; i++) {
      expect_number(by_constant(r, &places[i], 3.5), 3.5);
      expect_number(by_constant(r, &places[i], round), round);
    }
    assert_int_equal(r->num_compiled, 3 * (round + 2));
  }
  for (int i = 0; i < 3; i++) close_place(&places[i]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_floats, open_rig, close_rig),
      cmocka_unit_test_setup_teardown(test_settings, open_rig, close_rig),
      cmocka_unit_test_setup_teardown(test_devices, open_rig, close_rig),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
