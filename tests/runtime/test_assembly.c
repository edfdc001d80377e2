// test_assembly -- instructions of PTX that the CPU knows, against C in double;
// the clock; and the number of the thread.
#include "tile/tile.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

enum { COUNT = 1024 };

typedef struct {
  TileContext *context;
  TileDevice *device;
  TileProgram *program;
  TileKernel *kernel;
  TileBuffer *x, *y;
} Rig;

static void open_rig(Rig *r, const char *text) {
  const TileSource source = {.text = text};
  TileDiagnostics *why = NULL;
  *r = (Rig){.context = NULL};
  assert_int_equal(tile_context_create(NULL, &r->context), TILE_OK);
  assert_int_equal(tile_device_open(r->context, "cpu", &r->device, NULL),
                   TILE_OK);
  assert_int_equal(tile_program_create(r->context, &source, &r->program, NULL),
                   TILE_OK);
  assert_int_equal(tile_program_kernel(r->program, NULL, &r->kernel, &why),
                   TILE_OK);
  assert_int_equal(tile_buffer_create(r->device, 8 * COUNT, &r->x), TILE_OK);
  assert_int_equal(tile_buffer_create(r->device, 8 * COUNT, &r->y), TILE_OK);
}

static void close_rig(const Rig *r) {
  tile_buffer_destroy(r->x);
  tile_buffer_destroy(r->y);
  tile_program_destroy(r->program);
  tile_device_destroy(r->device);
  tile_context_destroy(r->context);
}

static TileStatus launch(const Rig *r, TileDtype x, TileDtype y, uint32_t grid,
                         TileDiagnostics **why) {
  const TileArg args[] = {tile_buffer_arg(r->x, x), tile_buffer_arg(r->y, y)};
  const TileLaunch launch = {
      .kernel = r->kernel, .grid = {grid}, .args = args, .num_args = 2};
  return tile_launch(r->device, &launch, why);
}

// -- One number --------------------------------------------------------------

static const char *unary_text(const char *assembly) {
  static char text[1024];
  snprintf(text, sizeof text,
           "@jit\n"
           "def f(x, y):\n"
           "    i = tl.arange(0, 1024)\n"
           "    r = tl.inline_asm_elementwise('''%s''', '=f,f',\n"
           "        [tl.load(x + i)], tl.float32, True, 1)\n"
           "    tl.store(y + i, r)\n",
           assembly);
  return text;
}

static double reciprocal(double x) {
  return 1 / x;
}

static double reciprocal_root(double x) {
  return 1 / sqrt(x);
}

static double as_tf32(double x) {
  return ldexp(round(ldexp(frexp(x, &(int){0}), 11)), ilogb(x) + 1 - 11);
}

// `ulps` as docs/host.md has it, from x = -limit or, with `positive`, 0 on.
static void check(const char *assembly, double of(double x), bool positive,
                  double limit, double ulps) {
  Rig r;
  float x[COUNT], y[COUNT];
  for (int i = 0; i < COUNT; i++) {
    const double at = (i + 0.5) / COUNT; // 0 to 1
    x[i] = (float)(limit * (positive ? at : 2 * at - 1));
  }
  open_rig(&r, unary_text(assembly));
  assert_int_equal(tile_buffer_write(r.x, 0, x, sizeof x), TILE_OK);
  assert_int_equal(launch(&r, TILE_FP32, TILE_FP32, 1, NULL), TILE_OK);
  assert_int_equal(tile_buffer_read(r.y, 0, y, sizeof y), TILE_OK);
  for (int i = 0; i < COUNT; i++) {
    const double wanted = of((double)x[i]);
    const double unit = ldexp(1, ilogb(wanted) - 23);
    if (!(fabs((double)y[i] - wanted) <= ulps * unit))
      fail_msg("%s of %a is %a, not %a", assembly, (double)x[i], (double)y[i],
               wanted);
  }
  close_rig(&r);
}

static void test_numbers(void **state) {
  (void)state;
  check("tanh.approx.f32 $0, $1;", tanh, false, 8, 3);
  check("ex2.approx.f32 $0, $1;", exp2, false, 100, 1.5);
  check("ex2.approx.ftz.f32 $0, $1;", exp2, false, 100, 1.5);
  check("lg2.approx.f32 $0, $1;", log2, true, 1000, 2);
  check("lg2.approx.ftz.f32 $0, $1;", log2, true, 1, 2);
  check("sin.approx.f32 $0, $1;", sin, false, 30, 2);
  check("cos.approx.ftz.f32 $0, $1;", cos, false, 30, 2);
  check("rsqrt.approx.f32 $0, $1;", reciprocal_root, true, 1000, 1.5);
  check("rsqrt.approx.ftz.f32 $0, $1;", reciprocal_root, true, 1, 1.5);
  check("sqrt.approx.f32 $0, $1;", sqrt, true, 1000, 0.5);
  check("sqrt.rn.f32 $0, $1;", sqrt, true, 1, 0.5);
  check("rcp.approx.ftz.f32 $0, $1;", reciprocal, false, 1000, 0.5);
  check("cvt.rna.tf32.f32 $0, $1;", as_tf32, false, 1000, 0);
}

static void test_spacing(void **state) {
  (void)state;
  check("\n  tanh.approx.f32\t$0 ,$1 ;\n", tanh, false, 8, 3);
  check("rcp.approx.f32 $0, $1", reciprocal, true, 1, 0.5);
}

static void test_not_numbers(void **state) {
  (void)state;
  Rig r;
  const float x[COUNT] = {NAN, INFINITY, -INFINITY};
  float y[COUNT];
  open_rig(&r, unary_text("cvt.rna.tf32.f32 $0, $1;"));
  assert_int_equal(tile_buffer_write(r.x, 0, x, sizeof x), TILE_OK);
  assert_int_equal(launch(&r, TILE_FP32, TILE_FP32, 1, NULL), TILE_OK);
  assert_int_equal(tile_buffer_read(r.y, 0, y, sizeof y), TILE_OK);
  assert_true(isnan(y[0]) && y[1] == INFINITY && y[2] == -INFINITY);
  assert_true(y[3] == 0 && !signbit(y[3]));
  close_rig(&r);
}

static void expect_unknown(const char *text, const char *assembly) {
  Rig r;
  TileDiagnostics *why = NULL;
  char message[256];
  snprintf(message, sizeof message,
           "is assembly of a GPU, and cpu does not know '%s'", assembly);
  open_rig(&r, text);
  assert_int_equal(launch(&r, TILE_FP32, TILE_FP32, 1, &why),
                   TILE_COMPILE_ERROR);
  if (!strstr(tile_diagnostics_text(why), message))
    fail_msg("%s", tile_diagnostics_text(why));
  tile_diagnostics_destroy(why);
  close_rig(&r);
}

static void test_unknown(void **state) {
  (void)state;
  static const char *const rows[] = {
      "tanh.approx.f16 $0, $1;",    "tanh.approx.f32 $0, $1; neg.f32 $0, $0;",
      "tanh.approx.f32 $1, $0;",    "tanh.approx.f32$0, $1;",
      "fma.rn.f32 $0, $1, $1, $1;", "",
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    expect_unknown(unary_text(rows[i]), rows[i]);
  // An instruction for two elements at once is not known.
  expect_unknown(
      "@jit\n"
      "def f(x, y):\n"
      "    i = tl.arange(0, 64)\n"
      "    r = tl.inline_asm_elementwise('tanh.approx.f32 $0, $1;',\n"
      "        '=f,=f,f,f', [tl.load(x + i)], tl.float32, True, 2)\n"
      "    tl.store(y + i, r)\n",
      "tanh.approx.f32 $0, $1;");
}

// -- Registers ---------------------------------------------------------------

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void check_registers(const char *text) {
  Rig r;
  int64_t clocks[2 * 32];
  int32_t workers[32];
  open_rig(&r, text);
  const int64_t before = now();
  assert_int_equal(launch(&r, TILE_INT64, TILE_INT32, 32, NULL), TILE_OK);
  const int64_t after = now();
  assert_int_equal(tile_buffer_read(r.x, 0, clocks, sizeof clocks), TILE_OK);
  assert_int_equal(tile_buffer_read(r.y, 0, workers, sizeof workers), TILE_OK);
  for (int i = 0; i < 32; i++) {
    assert_true(before <= clocks[2 * i]);
    assert_true(clocks[2 * i] <= clocks[2 * i + 1]);
    assert_true(clocks[2 * i + 1] <= after);
    assert_in_range(workers[i], 0,
                    (unsigned)tile_device_num_processors(r.device) - 1);
  }
  close_rig(&r);
}

static void test_registers(void **state) {
  (void)state;
  setenv("TILE_NUM_THREADS", "3", 1);
  check_registers("@jit\n"
                  "def f(x, y):\n"
                  "    p = tl.program_id(0)\n"
                  "    tl.store(x + 2 * p, tl.extra.cuda.globaltimer())\n"
                  "    tl.store(y + p, tl.extra.cuda.smid())\n"
                  "    tl.store(x + 2 * p + 1, tl.extra.cuda.globaltimer())\n");
  check_registers(
      "@jit\n"
      "def f(x, y):\n"
      "    p = tl.program_id(0)\n"
      "    t = tl.inline_asm_elementwise('mov.u64 $0, %globaltimer;', '=l',\n"
      "        [], tl.int64, False, 1)\n"
      "    s = tl.inline_asm_elementwise('mov.u32 $0, %smid;', '=r', [],\n"
      "        tl.int32, True, 1)\n"
      "    tl.store(x + 2 * p + tl.arange(0, 2), t)\n"
      "    tl.store(y + p, s)\n");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_numbers),     cmocka_unit_test(test_spacing),
      cmocka_unit_test(test_not_numbers), cmocka_unit_test(test_unknown),
      cmocka_unit_test(test_registers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
