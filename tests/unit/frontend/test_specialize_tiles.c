// test_specialize_tiles.c -- results of the functions of the language, by
// the interpreter, on tiles small enough to work out by hand.
#include "specialize_kit.h"

#include <math.h>
#include <stdio.h>

enum { SLOTS = 64 };

// Runs `body` with `out` a pointer to fp32, and compares the first slots.
static void check(const char *body, int count, const double *expected) {
  Kit *scratch = kit_create();
  const char *text = arena_printf(&scratch->arena,
                                  "@jit\ndef k(out: *fp32, n: i32):\n%s", body);
  Kit *kit = kit_specialize_named(text, "k", NULL);
  float out[SLOTS];
  for (int i = 0; i < SLOTS; i++) out[i] = -77;
  if (!kit_interpret(kit, out, sizeof out, (int64_t[]){5}))
    fail_msg("%s\n%s", text, kit_messages(kit));
  for (int i = 0; i < count; i++) {
    const double error = fabs(out[i] - expected[i]);
    const bool nan = isnan(out[i]) && isnan(expected[i]);
    if (nan || out[i] == expected[i] || error <= 1e-6 * fabs(expected[i]))
      continue;
    fail_msg("%s\nslot %d: wanted %g, found %g\n%s", text, i, expected[i],
             (double)out[i], kit_ir(kit));
  }
  kit_free(kit);
  kit_free(scratch);
}

#define CHECK(body, ...)                                                       \
  check(body, (int)(sizeof((double[]){__VA_ARGS__}) / sizeof(double)),         \
        (double[]){__VA_ARGS__})

#define STORE4 "  tl.store(out + tl.arange(0, 4), x)\n"
#define STORE8 "  tl.store(out + tl.arange(0, 8), tl.reshape(x, [8]))\n"

static void integers(void **state) {
  (void)state;
  CHECK("  i = tl.arange(0, 4) - 2\n  x = (i * 7) // 4\n" STORE4, -3, -1, 0, 1);
  CHECK("  i = tl.arange(0, 4) - 2\n  x = (i * 7) % 4\n" STORE4, -2, -3, 0, 3);
  CHECK("  x = tl.zeros([4], tl.int32) + (-7 // 4) * 10 + -7 % 4\n" STORE4, -19,
        -19, -19, -19);
  CHECK("  i = tl.arange(0, 4) - 2\n  x = i >> 1\n" STORE4, -1, -1, 0, 0);
  CHECK("  i = (tl.arange(0, 4) - 2).to(tl.uint32)\n  x = i >> 30\n" STORE4, 3,
        3, 0, 0);
  CHECK("  i = (tl.arange(0, 4) - 2).to(tl.uint32)\n  x = i < 2\n" STORE4, 0, 0,
        1, 1);
  CHECK("  i = tl.arange(0, 4)\n  x = (i << 2) | (i & 1) ^ 3\n" STORE4, 3, 6,
        11, 14);
  CHECK("  i = tl.arange(0, 4)\n  x = ~i + (-i)\n" STORE4, -1, -3, -5, -7);
  CHECK("  i = tl.arange(0, 4)\n  x = i / 2 + i * 0.25\n" STORE4, 0, 0.75, 1.5,
        2.25);
  CHECK("  i = tl.arange(0, 4)\n  x = tl.cdiv(i, 2) + tl.cdiv(7, 2)\n" STORE4,
        4, 5, 5, 6);
  CHECK("  i = tl.arange(0, 4) - 2\n  x = abs(i) + tl.abs(-1.5)\n" STORE4, 3.5,
        2.5, 1.5, 2.5);
}

static void comparisons(void **state) {
  (void)state;
  CHECK("  i = tl.arange(0, 4)\n  x = tl.where((i > 0) & (i != 2), i, "
        "-1.5)\n" STORE4,
        -1.5, 1, -1.5, 3);
  CHECK("  i = tl.arange(0, 4)\n  x = tl.maximum(i, 2) - tl.minimum(i, n - "
        "4)\n" STORE4,
        2, 1, 1, 2);
  CHECK("  i = tl.arange(0, 4) - 1.5\n  x = tl.clamp(i, -1.0, 1.0)\n" STORE4,
        -1, -0.5, 0.5, 1);
  CHECK(
      "  i = tl.arange(0, 4)\n  x = min(i, 2) + max(3, 4) + min(n, 7)\n" STORE4,
      9, 10, 11, 11);
  CHECK("  i = tl.zeros([4], tl.float32) + float('nan')\n"
        "  x = tl.maximum(i, 1.0)\n" STORE4,
        1, 1, 1, 1);
  CHECK("  i = tl.zeros([4], tl.float32) + float('nan')\n"
        "  x = tl.maximum(i, 1.0, propagate_nan=tl.PropagateNan.ALL)\n" STORE4,
        NAN, NAN, NAN, NAN);
}

static void conversions(void **state) {
  (void)state;
  CHECK("  i = tl.arange(0, 4) - 1.5\n  x = i.to(tl.int32)\n" STORE4, -1, 0, 0,
        1);
  CHECK("  i = tl.arange(0, 4) * 0.1 + 1\n  x = i.to(tl.float16)\n" STORE4, 1,
        1.099609375, 1.2001953125, 1.2998046875);
  CHECK("  i = tl.arange(0, 4) * 0.1 + 1\n"
        "  x = i.to(tl.float16, fp_downcast_rounding='rtz')\n" STORE4,
        1, 1.099609375, 1.19921875, 1.2998046875);
  CHECK("  i = tl.arange(0, 4) - 2\n  x = i.to(tl.int8).to(tl.uint8)\n" STORE4,
        254, 255, 0, 1);
  CHECK("  i = tl.arange(0, 4) - 2\n  x = i.to(tl.int1)\n" STORE4, 1, 1, 0, 1);
  CHECK("  i = tl.arange(0, 4) + 0.0\n"
        "  x = i.to(tl.int32, bitcast=True) >> 23\n" STORE4,
        0, 127, 128, 128);
  CHECK("  i = (tl.arange(0, 4) * 100).to(tl.float8e5)\n"
        "  x = i + i\n" STORE4,
        0, 192, 384, 640);
  CHECK("  x = tl.cast(2.7, tl.int32) + tl.full([4], n, tl.int64)\n" STORE4, 7,
        7, 7, 7);
}

// `:` keeps a dimension, and a scalar has none; the results of Triton 3.8 are
// in tests/golden/frontend/language/releases-take.py.
static void indices_of_one_value(void **state) {
  (void)state;
  CHECK("  a = n[None]\n  tl.static_assert(a.shape == (1,))\n"
        "  b = n[None,]\n  tl.static_assert(b.shape == (1,))\n"
        "  c = n[None, None]\n  tl.static_assert(c.shape == (1, 1))\n"
        "  i = tl.arange(0, 4)\n  x = (a * 100 + b) + i\n" STORE4,
        505, 506, 507, 508);
}

static void shapes(void **state) {
  (void)state;
  CHECK("  i = tl.arange(0, 2)[:, None] * 10 + tl.arange(0, 4)[None, :]\n"
        "  x = tl.trans(i)\n" STORE8,
        0, 10, 1, 11, 2, 12, 3, 13);
  CHECK(
      "  i = tl.arange(0, 8).reshape(2, 4)\n  x = i.T + i.trans(1, 0)\n" STORE8,
      0, 8, 2, 10, 4, 12, 6, 14);
  CHECK("  i = tl.arange(0, 8).reshape([2, 2, 2])\n"
        "  x = tl.permute(i, (2, 0, 1))\n" STORE8,
        0, 2, 4, 6, 1, 3, 5, 7);
  CHECK("  x = tl.join(tl.arange(0, 4), tl.arange(4, 8))\n" STORE8, 0, 4, 1, 5,
        2, 6, 3, 7);
  CHECK("  x = tl.interleave(tl.arange(0, 4), tl.arange(4, 8))\n" STORE8, 0, 4,
        1, 5, 2, 6, 3, 7);
  CHECK("  a, b = tl.split(tl.arange(0, 8).reshape(4, 2))\n  x = a * 10 + "
        "b\n" STORE4,
        1, 23, 45, 67);
  CHECK("  a, b = tl.split(tl.join(n, 3))\n  x = tl.full([4], a * b, "
        "tl.int32)\n" STORE4,
        15, 15, 15, 15);
  CHECK("  x = tl.cat(tl.arange(0, 4), tl.arange(8, 12), "
        "can_reorder=True)\n" STORE8,
        0, 1, 2, 3, 8, 9, 10, 11);
  CHECK("  x = tl.broadcast_to(tl.arange(0, 4)[None, :], 2, 4)\n" STORE8, 0, 1,
        2, 3, 0, 1, 2, 3);
  CHECK("  i = tl.expand_dims(tl.arange(0, 2), [0, -1])\n"
        "  x = tl.broadcast_to(i, [2, 2, 2])\n" STORE8,
        0, 0, 1, 1, 0, 0, 1, 1);
  CHECK("  i = (tl.arange(0, 4) * 64 + 7).to(tl.uint8)\n"
        "  x = tl.gather(tl.arange(0, 256) * 3, i, 0)\n" STORE4,
        21, 213, 405, 597);
  CHECK("  x = tl.gather(tl.arange(5, 7), tl.arange(0, 4) > 1, 0)\n" STORE4, 5,
        5, 6, 6);
  CHECK("  x = tl.gather(tl.arange(0, 4) * 3, 3 - tl.arange(0, 4), 0)\n" STORE4,
        9, 6, 3, 0);
  CHECK("  x = tl.ravel(tl.arange(0, 8).reshape(4, 2))\n"
        "  tl.static_assert(x.shape[0] == 8 and x.numel == 8)\n" STORE8,
        0, 1, 2, 3, 4, 5, 6, 7);
  CHECK("  if tl.zeros([1, 1], tl.int32) + 1 == 1:\n"
        "    x = tl.full([4], n, tl.int32)\n"
        "  else:\n    x = tl.full([4], 0, tl.int32)\n" STORE4,
        5, 5, 5, 5);
}

static void reductions(void **state) {
  (void)state;
  const char *tile = "  i = tl.arange(0, 8).reshape(2, 4)\n";
  Kit *kit = kit_create();
  const struct {
    const char *expr;
    double expected[4];
  } cases[] = {
      {"tl.sum(i, 0)", {4, 6, 8, 10}},
      {"i.sum(axis=-2)", {4, 6, 8, 10}},
      {"tl.sum(i) + tl.zeros([4], tl.int32)", {28, 28, 28, 28}},
      {"tl.sum(i, 1, keep_dims=True) - i", {6, 5, 4, 3}},
      {"tl.sum(i > 3, 0)", {1, 1, 1, 1}},
      {"tl.max(3 - i, 0)", {3, 2, 1, 0}},
      {"tl.min(i, axis=0) + max(i)", {7, 8, 9, 10}},
      {"tl.max((i % 3).to(tl.float16), 0)", {1, 2, 2, 1}},
      {"tl.argmax(i % 3, 0)", {1, 1, 0, 1}},
      {"tl.argmin(i // 4, 0) + 1", {1, 1, 1, 1}},
      {"tl.xor_sum(i, 0)", {4, 4, 4, 4}},
      {"tl.cumsum(i, 1)", {0, 1, 3, 6}},
      {"tl.cumsum(i, axis=1, reverse=True)", {6, 6, 5, 3}},
      {"tl.cumprod(i + 1, 1)", {1, 2, 6, 24}},
      {"tl.reduce(i, 0, mul)", {0, 5, 12, 21}},
      {"tl.reduce(5 - i, 0, larger)", {5, 4, 3, 2}},
      {"tl.associative_scan(i, 1, mul)", {0, 0, 0, 0}},
      {"tl.max(i, 0, return_indices=True)[1] + n", {6, 6, 6, 6}},
      {"tl.softmax(i[0:1] if False else tl.zeros([4], tl.float32))",
       {0.25, 0.25, 0.25, 0.25}},
      {"tl.sum(tl.reduce((i, i), 1, both)[1]) + tl.zeros([4], tl.int32)",
       {840, 840, 840, 840}},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    const char *text = arena_printf(
        &kit->arena,
        "@jit\ndef mul(a, b): return a * b\n"
        "@jit\ndef larger(a, b):\n  if a > b: return a\n"
        "  c = b if a > 0 else b * 1\n  return c\n"
        "@jit\ndef both(a, b, c, d): return a + c, b * d\n"
        "@jit\ndef k(out: *fp32, n: i32):\n%s  x = %s\n"
        "  tl.store(out + tl.arange(0, 4)[None, :] + "
        "tl.zeros([2, 1], tl.int32) * 4, tl.broadcast_to(x, [2, 4]) if "
        "len(x.shape) == 2 else x[None, :], mask=(tl.arange(0, 2) == 0)[:, "
        "None])\n",
        tile, cases[k].expr);
    Kit *run = kit_specialize_named(text, "k", NULL);
    float out[SLOTS] = {-77};
    if (!kit_interpret(run, out, sizeof out, (int64_t[]){5}))
      fail_msg("%s\n%s", cases[k].expr, kit_messages(run));
    for (int i = 0; i < 4; i++) {
      if (fabs(out[i] - cases[k].expected[i]) > 1e-6)
        fail_msg("%s: slot %d: wanted %g, found %g\n%s", cases[k].expr, i,
                 cases[k].expected[i], (double)out[i], kit_ir(run));
    }
    kit_free(run);
  }
  kit_free(kit);
}

static void products(void **state) {
  (void)state;
  CHECK("  a = tl.arange(0, 32).reshape(2, 16).to(tl.float16)\n"
        "  b = (tl.arange(0, 16)[:, None] == tl.arange(0, 4)[None, :])\n"
        "  x = tl.dot(a, b.to(tl.float16), tl.full([2, 4], 0.5, tl.float32))\n"
        "  tl.static_assert(x.dtype == tl.float32)\n" STORE8,
        0.5, 1.5, 2.5, 3.5, 16.5, 17.5, 18.5, 19.5);
  CHECK(
      "  a = tl.full([2, 32], 3, tl.int8)\n  b = tl.full([32, 4], 2, tl.int8)\n"
      "  x = tl.dot(a, b)\n  tl.static_assert(x.dtype == tl.int32)\n" STORE8,
      192, 192);
  CHECK("  a = tl.full([2, 16], 3, tl.float16)\n"
        "  x = tl.dot(a, a.T, out_dtype=tl.float16)\n"
        "  tl.static_assert(x.dtype == tl.float16)\n"
        "  x = tl.join(x, x)\n" STORE8,
        144, 144);
}

static void sorting(void **state) {
  (void)state;
#define TILE "  x = (tl.arange(0, 8) * 37 + 5) % 11\n"
  CHECK(TILE STORE8, 5, 9, 2, 6, 10, 3, 7, 0);
  CHECK(TILE "  x = tl.sort(x)\n" STORE8, 0, 2, 3, 5, 6, 7, 9, 10);
  CHECK(TILE "  x = tl.sort(x * 0.5, descending=True)\n" STORE8, 5, 4.5, 3.5, 3,
        2.5, 1.5, 1, 0);
  CHECK(TILE "  x = tl.sort(x.reshape(2, 4), dim=1)\n" STORE8, 2, 5, 6, 9, 0, 3,
        7, 10);
  CHECK(TILE "  x = tl.topk(x, 4)\n" STORE4, 10, 9, 7, 6);
  CHECK(TILE "  x = tl.flip(x)\n" STORE8, 0, 7, 3, 10, 6, 2, 9, 5);
  CHECK(TILE "  x = tl.flip(x.reshape(2, 4), 0)\n" STORE8, 10, 3, 7, 0, 5, 9, 2,
        6);
  CHECK(TILE "  x = tl.histogram(x % 4, 4)\n" STORE4, 1, 2, 3, 2);
  CHECK(TILE "  x = tl.histogram(x % 4, 4, mask=x < 9)\n" STORE4, 1, 1, 2, 2);
  // Too many bins to compare with all at once.
  CHECK(TILE "  x = tl.histogram(x % 4 * 4095 // 3, 4096)\n"
             "  x = x.gather(tl.arange(0, 4) * 1365, 0)\n" STORE4,
        1, 2, 3, 2);
  CHECK(TILE "  x = tl.histogram(x % 4, 4096, mask=x < 9)\n"
             "  x = x.gather(tl.arange(0, 4), 0)\n" STORE4,
        1, 1, 2, 2);
#undef TILE
}

static void memory(void **state) {
  (void)state;
  CHECK("  p = out + tl.arange(0, 4)\n  tl.store(p, tl.arange(0, 4))\n"
        "  x = tl.load(p + 2, mask=tl.arange(0, 4) < 2, other=9)\n"
        "  tl.store(p, x)\n",
        2, 3, 9, 9);
  CHECK("  tl.store(out, 3)\n  tl.store(out + 1, tl.load(out) + 1)\n", 3, 4);
  CHECK("  p = out.to(tl.pointer_type(tl.int1))\n"
        "  tl.store(p + tl.arange(0, 4), tl.arange(0, 4) > 1)\n"
        "  x = tl.load(p + tl.arange(0, 4))\n"
        "  tl.static_assert(x.dtype == tl.int1)\n" STORE4,
        0, 0, 1, 1);
  CHECK(
      "  p = tl.make_block_ptr(out, (3, 5), (5, 1), (1, 2), (2, 4), (1, 0))\n"
      "  tl.store(out + tl.arange(0, 16), tl.arange(0, 16))\n"
      "  q = tl.advance(p, (1, 0))\n"
      "  x = tl.load(q, boundary_check=(0, 1), padding_option='zero')\n" STORE8,
      12, 13, 14, 0, 0, 0, 0, 0);
  CHECK("  p = tl.make_block_ptr(out, (2, 4), (1, 2), (0, 0), (2, 4), (0, 1))\n"
        "  tl.store(p, tl.arange(0, 8).reshape(2, 4).to(tl.float32))\n",
        0, 4, 1, 5, 2, 6, 3, 7);
  CHECK("  tl.store(out, 1)\n  x = tl.atomic_add(out, 2.5)\n"
        "  y = tl.atomic_max(out, 3, sem='relaxed')\n"
        "  tl.store(out + 1, x + y * 10)\n",
        3.5, 36);
  CHECK("  p = out.to(tl.pointer_type(tl.int32)) + 4\n  tl.store(p, 12)\n"
        "  a = tl.atomic_and(p, 10)\n  b = tl.atomic_xchg(p, 3)\n"
        "  c = tl.atomic_cas(p, 3, 7)\n  d = tl.load(p)\n"
        "  tl.store(out, a * 1000 + b * 100 + c * 10 + d)\n",
        12837);
}

// The published answer for key 0 and counter 0, then one of key 5.
static void descriptors(void **state) {
  (void)state;
  CHECK("  tl.store(out + tl.arange(0, 32), tl.arange(0, 32))\n"
        "  d = tl.make_tensor_descriptor(out, shape=[3, 6], strides=[8, 1],\n"
        "                                block_shape=[2, 4])\n"
        "  tl.static_assert(d.dtype == tl.float32 and d.block_shape[1] == 4)\n"
        "  x = d.load([2, 4])\n  d.store([0, 4], x + d.shape[1])\n"
        "  y = tl.load_tensor_descriptor(d, [n - 5, 0])\n"
        "  tl.store(out + 8, tl.sum(y))\n",
        0, 1, 2, 3, 26, 27, 6, 7, 0 + 1 + 2 + 3 + 8 + 9 + 10 + 11, 9, 10, 11, 6,
        6, 14, 15);
}

// One function of (x, y) at many places, against the C library's.
static void check_function(const char *name, bool two,
                           double (*reference)(double, double)) {
  static const float places[] = {
      0,    1e-30f, -1e-30f, 1e-5f, -1e-5f,   0.1f,      -0.3f, 0.49999997f,
      0.5f, -0.5f,  1.5f,    -1.0f, 2.5f,     -2.5f,     3,     -3,
      10,   -10,    80,      -80,   1e8f,     -1e8f,     1e30f, -1e30f,
      1,    0.75f,  -0.25f,  1.25f, INFINITY, -INFINITY, -0.0f, NAN};
  enum { N = sizeof places / sizeof *places };
  Kit *scratch = kit_create();
  const char *text = arena_printf(
      &scratch->arena,
      "@jit\ndef k(p: *fp32):\n  i = tl.arange(0, 32)\n"
      "  x = tl.load(p + i)[:, None]\n  y = tl.load(p + i)[None, :]\n"
      "  r = tl.extra.cuda.libdevice.%s(x%s)\n"
      "  tl.store(p + i[:, None] * 32 + i[None, :], r)\n",
      name, two ? ", y" : "");
  Kit *kit = kit_specialize_named(text, "k", NULL);
  float out[N * N];
  for (int i = 0; i < N * N; i++) out[i] = places[i % N];
  if (!kit_interpret(kit, out, sizeof out, NULL))
    fail_msg("%s\n%s", text, kit_messages(kit));
  for (int i = 0; i < N * N; i++) {
    const double x = places[i / N], y = places[i % N];
    const float wanted = (float)reference(x, y);
    const bool nan = isnan(wanted) && isnan(out[i]);
    const double error = fabs((double)out[i] - (double)wanted);
    if (nan || out[i] == wanted || error <= 4e-7 * fabs((double)wanted) ||
        error < 0x1p-126)
      continue;
    fail_msg("%s(%g, %g): wanted %g, found %g", name, x, y, (double)wanted,
             (double)out[i]);
  }
  kit_free(kit);
  kit_free(scratch);
}

#define UNARY_REFERENCE(name)                                                  \
  static double name##_of(double x, double y) {                                \
    (void)y;                                                                   \
    return name(x);                                                            \
  }
UNARY_REFERENCE(log1p)
UNARY_REFERENCE(expm1)
UNARY_REFERENCE(log10)
UNARY_REFERENCE(round)

static void libdevice(void **state) {
  (void)state;
  check_function("pow", true, pow);
  check_function("copysign", true, copysign);
  check_function("log1p", false, log1p_of);
  check_function("expm1", false, expm1_of);
  check_function("log10", false, log10_of);
  check_function("round", false, round_of);
}

static void random_numbers(void **state) {
  (void)state;
  CHECK("  r = tl.randint4x(0, tl.arange(0, 4))\n"
        "  x = (r[0] == 0x6627e8d5) & (r[1] == 0xe169c58d)\n"
        "  x = x & (r[2] == 0xbc57ac4c) & (r[3] == 0x9b00dbd8)\n" STORE4,
        1, 0, 0, 0);
  CHECK("  r = tl.philox(n, tl.arange(0, 4), 0, 0, 0)[0]\n"
        "  x = (r == 0xab8a161e) + 2 * (tl.randint(n, 3) == r)\n" STORE4,
        0, 0, 0, 3);
  CHECK("  u = tl.rand(n, tl.arange(0, 4))\n"
        "  x = (u - 0.4680357) * (u >= 0) * (u < 1) < 1e-6\n" STORE4,
        1);
  CHECK("  x = tl.sum(tl.randn(n, tl.arange(0, 1024))) / 1024\n"
        "  x = (tl.zeros([4], tl.float32) + abs(x)) < 0.1\n" STORE4,
        1);
}

static void hints(void **state) {
  (void)state;
  Kit *kit = kit_specialize(
      "@jit\ndef k(p: *fp32, n: i32):\n"
      "  i = tl.max_contiguous(tl.multiple_of(n + tl.arange(0, 8), 8), [8])\n"
      "  tl.assume(n > 0)\n  tl.debug_barrier()\n"
      "  x = tl.load(p + i, eviction_policy='evict_last', "
      "cache_modifier='.cg')\n"
      "  tl.store(p + i, x, eviction_policy='evict_first')\n"
      "  for j in tl.range(0, n, 1, num_stages=4, loop_unroll_factor=2, "
      "flatten=True): tl.store(p + j, 0)\n"
      "  tl.device_print('x', x)\n",
      NULL);
  const char *ir = kit_ir(kit);
  check_contains(ir, "{divisibility = [8]}");
  check_contains(ir, "{contiguity = [8]}");
  check_contains(ir, "assume %");
  check_contains(ir, "barrier\n");
  check_contains(ir, "{cache = cg, eviction = evict_last}");
  check_contains(ir, "{eviction = evict_first}");
  check_contains(ir, "{flatten = true, loop_stages = 4, unroll = 2}");
  check_contains(ir, "device_print");
  kit_free(kit);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(integers),    cmocka_unit_test(comparisons),
      cmocka_unit_test(conversions), cmocka_unit_test(indices_of_one_value),
      cmocka_unit_test(shapes),      cmocka_unit_test(reductions),
      cmocka_unit_test(products),    cmocka_unit_test(memory),
      cmocka_unit_test(sorting),     cmocka_unit_test(random_numbers),
      cmocka_unit_test(libdevice),   cmocka_unit_test(descriptors),
      cmocka_unit_test(hints),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
