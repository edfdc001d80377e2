// test_specialize_math.c -- scalar functions of the language, by value.
#include "specialize_kit.h"

#include <math.h>

// With x = 1.75, y = -2.5 (fp32), i = 13, j = -5 (int32), u = 3000000000
// (uint32), h = x as fp16.
static const struct {
  const char *expr;
  double expected;
} cases[] = {
    {"tl.exp(x) + tl.math.exp2(x)", 5.754602676005731 + 3.363585661014858},
    {"tl.log(x) + tl.log2(x)", 0.5596157879354227 + 0.8073549220576041},
    {"tl.sin(x) + tl.cos(y)", 0.9839859468739369 + -0.8011436155469337},
    {"tl.sqrt(x) + tl.sqrt_rn(x) + tl.rsqrt(x)",
     2 * 1.3228756555322954 + 0.7559289460184544},
    {"tl.erf(x) + x.exp()", 0.9866716712191824 + 5.754602676005731},
    {"tl.floor(y) * 10 + tl.ceil(y)", -32},
    {"tl.abs(y) + abs(j) + abs(u) * 0 + tl.abs(x)", 9.25},
    {"tl.fma(x, y, 1.0)", -3.375},
    {"tl.fdiv(x, y) + tl.div_rn(x, y) + tl.fdiv(x, y, ieee_rounding=True)",
     -2.1},
    {"tl.div_rn(x, 2) + tl.div_rn(1, y)", 0.475},
    {"tl.umulhi(u, u).to(tl.float32)", 2095475792},
    {"tl.maximum(x, y) + tl.minimum(i, j) + tl.maximum(u, 7) * 0", -3.25},
    {"tl.clamp(y, -1.0, x) + tl.clamp(x, y, 9.0)", 0.75},
    {"tl.where(i > j, x, y) + tl.where(True, 1, 2.5)", 2.75},
    {"tl.add(i, j) + tl.sub(i, j) * 100 + tl.mul(i, j)", 1743},
    {"tl.cdiv(i, 4) + i.cdiv(3)", 9},
    {"tl.sigmoid(x)", 0.8519528019683106},
    {"(i > 0).logical_and(j > 0) + 2 * (i > 0).logical_or(j > 0)", 2},
    {"tl.libdevice.tanh(x) + tl.math.rint(y) + libdevice.trunc(y)",
     0.9413755384972873 - 4},
    {"libdevice.nearbyint(y) + libdevice.fast_expf(x)", 3.754602676005731},
    {"libdevice.isnan(x) + 10 * libdevice.isnan(tl.log(y))", 10},
    {"~libdevice.isnan(x) + 10 * (libdevice.isinf(x).dtype == tl.int1)", 11},
    {"libdevice.isinf(x) + 10 * libdevice.isinf(x / 0.0)", 10},
    {"libdevice.finitef(x) + 10 * libdevice.isfinited(x / 0.0)", 1},
    {"libdevice.clz(i) + 100 * libdevice.popc(i)", 328},
    {"libdevice.int_as_float(libdevice.float_as_int(x))", 1.75},
    {"libdevice.int_as_float(libdevice.float_as_uint(y))", -2.5},
    {"libdevice.float2uint_rn(x * 0 + 3e9)", 3e9 - 0x1p32},
    {"libdevice.fmod(y, x) + y % x", -1.5},
    {"libdevice.fast_dividef(x, y)", -0.7},
    {"libdevice.tan(x) + libdevice.rcp_rn(y)", -5.520379922509330 - 0.4},
    {"libdevice.llrint(y) + libdevice.round(y)", -5},
    {"tl.swizzle2d(1, 2, 4, 4, 2)[0] * 10 + tl.swizzle2d(1, 2, 4, 4, 2)[1]", 3},
    {"tl.float32(i) + tl.cast(j, tl.int64)", 8},
    {"x + h * h - h / 2", 1.75 + 3.0625 - 0.875},
    {"-y + ~i + +j + (not (i != 0))", 2.5 - 14 - 5},
    {"(i & 6) + (i | 2) * 10 + (i ^ j) * 100 + (i << 2) + (j >> 1)",
     4 + 150 - 1000 + 52 - 3},
    {"i // 4 + i % 4 + j // 2 * 10 + j % 2 * 100", 3 + 1 - 20 - 100},
    {"(u // 2).to(tl.float32) + (u > 5) + (j < 0) + (u % 7)",
     1500000000.0 + 1 + 1 + 3000000000.0 - 7 * 428571428.0},
    {"1 / x + 2 ** 3 - (1 - x) + 10 % i", 0.5714285714 + 8 + 0.75 + 10},
    {"tl.next_power_of_2(5) + tl.log(x) * 0", 8},
    {"min(i, j) + max(x, 2) + min(1, 2) + max(i, j, 20)", -5 + 2 + 1 + 20},
    {"sum((i, j, 1)) + len((i, j))", 11},
    {"(x if i > j else y) + (x if i < j else y)", -0.75},
    {"(i == 13) + (i != 13) * 10 + (i <= j) * 100 + (i >= j) * 1000", 1001},
    {"(x == 1.75) + (x < y) * 10 + (y <= x) * 100 + (x > float('nan')) * 1000",
     101},
    {"(p == p) + 10 * (p + 1 != p)", 11},
    {"tl.load(p + 1 - 1) + tl.load(1 + p - 1) + tl.load(p + (u - u))", 5.25},
};

static void check(const char *expr, double expected) {
  Kit *scratch = kit_create();
  const char *text = arena_printf(
      &scratch->arena,
      "@jit\ndef k(p: *fp32, i: i32, j: i32, u: u32):\n"
      "  x, y = tl.load(p), tl.load(p + 1)\n  h = x.to(tl.float16)\n"
      "  tl.store(p + 2, %s)\n",
      expr);
  Kit *kit = kit_specialize(text, NULL);
  float memory[4] = {1.75f, -2.5f, -77, 0};
  const int64_t rest[] = {13, -5, (int32_t)UINT32_C(3000000000)};
  if (!kit_interpret(kit, memory, sizeof memory, rest))
    fail_msg("%s\n%s", expr, kit_messages(kit));
  const double found = memory[2];
  if (fabs(found - expected) > 2e-6 * (1 + fabs(expected)))
    fail_msg("%s: wanted %.9g, found %.9g\n%s", expr, expected, found,
             kit_ir(kit));
  kit_free(kit);
  kit_free(scratch);
}

static void values(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    check(cases[i].expr, cases[i].expected);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(values)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
