// test_libdevice.c -- functions of libdevice against MPFR.
//
// Each function is interpreted on numbers spread over its domain.  Bounds are
// in units of the last place of the exact result, with the absolute term that
// gradual underflow brings.
//
// Backs I5 of frontend/language.
#include "specialize_kit.h"

#include <math.h>

#ifdef TILE_HAVE_MPFR
#include <mpfr.h>

// The arguments, then the results.
enum { COUNT = 256, BITS = 100, MAX_ARGS = 4 };
enum { NUM_CELLS = (MAX_ARGS + 1) * COUNT };

// The arguments lie side by side: `x + 2` is the third.
typedef void Reference(mpfr_t out, mpfr_t x, mpfr_t y);

typedef struct {
  const char *name;
  int arity;
  double from, to;  // of the first argument; see the comment on `cases`
  bool logarithmic; // spread over magnitudes
  double ulp64, ulp32;
  Reference *reference;
} Case;

// -- References --------------------------------------------------------------

#define PLAIN(name, function)                                                  \
  static void ref_##name(mpfr_t out, mpfr_t x, mpfr_t y) {                     \
    (void)y;                                                                   \
    function(out, x, MPFR_RNDN);                                               \
  }
PLAIN(asin, mpfr_asin)
PLAIN(acos, mpfr_acos)
PLAIN(atan, mpfr_atan)
PLAIN(sinh, mpfr_sinh)
PLAIN(cosh, mpfr_cosh)
PLAIN(asinh, mpfr_asinh)
PLAIN(acosh, mpfr_acosh)
PLAIN(atanh, mpfr_atanh)
PLAIN(log1p, mpfr_log1p)
PLAIN(expm1, mpfr_expm1)
PLAIN(exp10, mpfr_exp10)
PLAIN(log10, mpfr_log10)
PLAIN(cbrt, mpfr_cbrt)
PLAIN(erfc, mpfr_erfc)
PLAIN(tgamma, mpfr_gamma)
PLAIN(j0, mpfr_j0)
PLAIN(j1, mpfr_j1)
PLAIN(y0, mpfr_y0)
PLAIN(y1, mpfr_y1)

static void ref_lgamma(mpfr_t out, mpfr_t x, mpfr_t y) {
  (void)y;
  int sign;
  mpfr_lgamma(out, &sign, x, MPFR_RNDN);
}

static void ref_atan2(mpfr_t out, mpfr_t x, mpfr_t y) {
  mpfr_atan2(out, x, y, MPFR_RNDN);
}

static void ref_hypot(mpfr_t out, mpfr_t x, mpfr_t y) {
  mpfr_hypot(out, x, y, MPFR_RNDN);
}

static void ref_rhypot(mpfr_t out, mpfr_t x, mpfr_t y) {
  mpfr_hypot(out, x, y, MPFR_RNDN);
  mpfr_ui_div(out, 1, out, MPFR_RNDN);
}

static void ref_norm3d(mpfr_t out, mpfr_t x, mpfr_t y) {
  mpfr_hypot(out, x, y, MPFR_RNDN);
  mpfr_hypot(out, out, x + 2, MPFR_RNDN);
}

static void ref_rnorm3d(mpfr_t out, mpfr_t x, mpfr_t y) {
  ref_norm3d(out, x, y);
  mpfr_ui_div(out, 1, out, MPFR_RNDN);
}

static void ref_norm4d(mpfr_t out, mpfr_t x, mpfr_t y) {
  ref_norm3d(out, x, y);
  mpfr_hypot(out, out, x + 3, MPFR_RNDN);
}

static void ref_rnorm4d(mpfr_t out, mpfr_t x, mpfr_t y) {
  ref_norm4d(out, x, y);
  mpfr_ui_div(out, 1, out, MPFR_RNDN);
}

static void ref_pow(mpfr_t out, mpfr_t x, mpfr_t y) {
  mpfr_pow(out, x, y, MPFR_RNDN);
}

static void ref_remainder(mpfr_t out, mpfr_t x, mpfr_t y) {
  mpfr_remainder(out, x, y, MPFR_RNDN);
}

static void ref_rcbrt(mpfr_t out, mpfr_t x, mpfr_t y) {
  ref_cbrt(out, x, y);
  mpfr_ui_div(out, 1, out, MPFR_RNDN);
}

static void times_pi(mpfr_t out, mpfr_t x) {
  mpfr_const_pi(out, MPFR_RNDN);
  mpfr_mul(out, out, x, MPFR_RNDN);
}

static void ref_sinpi(mpfr_t out, mpfr_t x, mpfr_t y) {
  (void)y;
  if (mpfr_integer_p(x)) {
    mpfr_set_zero(out, 1);
    return;
  }
  times_pi(out, x);
  mpfr_sin(out, out, MPFR_RNDN);
}

static void ref_cospi(mpfr_t out, mpfr_t x, mpfr_t y) {
  (void)y;
  times_pi(out, x);
  mpfr_cos(out, out, MPFR_RNDN);
}

static void ref_erfcx(mpfr_t out, mpfr_t x, mpfr_t y) {
  mpfr_t square;
  mpfr_init2(square, 3 * BITS);
  mpfr_sqr(square, x, MPFR_RNDN);
  mpfr_exp(square, square, MPFR_RNDN);
  ref_erfc(out, x, y);
  mpfr_mul(out, out, square, MPFR_RNDN);
  mpfr_clear(square);
}

static void ref_normcdf(mpfr_t out, mpfr_t x, mpfr_t y) {
  mpfr_sqrt_ui(out, 2, MPFR_RNDN);
  mpfr_div(out, x, out, MPFR_RNDN);
  mpfr_neg(out, out, MPFR_RNDN);
  ref_erfc(out, out, y);
  mpfr_div_ui(out, out, 2, MPFR_RNDN);
}

// The root of erfc(out) = q, by Newton's method from 0 on: erfc is convex
// there.
static void erfc_root(mpfr_t out, mpfr_t q) {
  mpfr_t f, d;
  mpfr_inits2(2 * BITS, f, d, (mpfr_ptr)0);
  const double start = -log(mpfr_get_d(q, MPFR_RNDN)) - 4;
  mpfr_set_d(out, start > 0 ? sqrt(start) : 0, MPFR_RNDN);
  for (int i = 0; i < 100; i++) {
    mpfr_erfc(f, out, MPFR_RNDN);
    mpfr_sub(f, f, q, MPFR_RNDN);
    mpfr_sqr(d, out, MPFR_RNDN);
    mpfr_exp(d, d, MPFR_RNDN);
    mpfr_mul(f, f, d, MPFR_RNDN);
    mpfr_const_pi(d, MPFR_RNDN);
    mpfr_sqrt(d, d, MPFR_RNDN);
    mpfr_mul(f, f, d, MPFR_RNDN);
    mpfr_div_ui(f, f, 2, MPFR_RNDN);
    mpfr_add(out, out, f, MPFR_RNDN);
    if (mpfr_zero_p(f) || mpfr_get_exp(f) < -90) break;
  }
  mpfr_clears(f, d, (mpfr_ptr)0);
}

static void ref_erfcinv(mpfr_t out, mpfr_t x, mpfr_t y) {
  (void)y;
  mpfr_t q;
  mpfr_init2(q, 2 * BITS);
  const bool upper = mpfr_cmp_ui(x, 1) > 0;
  mpfr_set(q, x, MPFR_RNDN);
  if (upper) mpfr_ui_sub(q, 2, q, MPFR_RNDN);
  erfc_root(out, q);
  if (upper) mpfr_neg(out, out, MPFR_RNDN);
  mpfr_clear(q);
}

static void ref_erfinv(mpfr_t out, mpfr_t x, mpfr_t y) {
  mpfr_t q;
  mpfr_init2(q, 2 * BITS);
  mpfr_ui_sub(q, 1, x, MPFR_RNDN);
  ref_erfcinv(out, q, y);
  mpfr_clear(q);
}

static void ref_normcdfinv(mpfr_t out, mpfr_t x, mpfr_t y) {
  mpfr_t q;
  mpfr_init2(q, 2 * BITS);
  mpfr_mul_ui(q, x, 2, MPFR_RNDN);
  ref_erfcinv(out, q, y);
  mpfr_sqrt_ui(q, 2, MPFR_RNDN);
  mpfr_mul(out, out, q, MPFR_RNDN);
  mpfr_neg(out, out, MPFR_RNDN);
  mpfr_clear(q);
}

// (x / 2)^order and the sum of (x^2 / 4)^k / (k! (k + order)!), of which no
// term is negative.
static void modified_bessel(mpfr_t out, mpfr_t x, unsigned order) {
  mpfr_t term, square;
  mpfr_inits2(3 * BITS, term, square, (mpfr_ptr)0);
  mpfr_sqr(square, x, MPFR_RNDN);
  mpfr_div_ui(square, square, 4, MPFR_RNDN);
  mpfr_div_ui(term, x, 2, MPFR_RNDN);
  mpfr_pow_ui(term, term, order, MPFR_RNDN);
  mpfr_set(out, term, MPFR_RNDN);
  for (unsigned k = 1; k < 2000; k++) {
    mpfr_mul(term, term, square, MPFR_RNDN);
    mpfr_div_ui(term, term, k * (k + order), MPFR_RNDN);
    mpfr_add(out, out, term, MPFR_RNDN);
  }
  mpfr_clears(term, square, (mpfr_ptr)0);
}

static void ref_cyl_bessel_i0(mpfr_t out, mpfr_t x, mpfr_t y) {
  (void)y;
  modified_bessel(out, x, 0);
}

static void ref_cyl_bessel_i1(mpfr_t out, mpfr_t x, mpfr_t y) {
  (void)y;
  modified_bessel(out, x, 1);
}

// -- Cases -------------------------------------------------------------------

// A negative `from` with `logarithmic`: both signs.
static const Case cases[] = {
    {"asin", 1, -1, 1, false, 2, 0.51, ref_asin},
    {"asin", 1, -1, 1e-12, true, 2, 0.51, ref_asin},
    {"acos", 1, -1, 1, false, 2, 0.51, ref_acos},
    {"atan", 1, -1e9, 1e-9, true, 2, 0.51, ref_atan},
    {"atan2", 2, -1e9, 1e-9, true, 2, 0.51, ref_atan2},
    {"sinh", 1, -700, 1e-6, true, 4, 0.51, ref_sinh},
    {"cosh", 1, -700, 1e-6, true, 4, 0.51, ref_cosh},
    {"asinh", 1, -1e12, 1e-6, true, 4, 0.51, ref_asinh},
    {"acosh", 1, 1, 1e12, true, 4, 0.51, ref_acosh},
    {"acosh", 1, 1, 1.01, false, 4, 0.51, ref_acosh},
    {"atanh", 1, -1, 1e-6, true, 4, 0.51, ref_atanh},
    {"log1p", 1, -1, 1e-300, true, 1, 1, ref_log1p},
    {"log1p", 1, -1, 2, false, 1, 1, ref_log1p},
    {"log1p", 1, 1e-3, 1e300, true, 1, 1, ref_log1p},
    {"expm1", 1, -0.5, 1e-300, true, 2, 1.5, ref_expm1},
    {"expm1", 1, 0.34, 0.36, false, 2, 1.5, ref_expm1},
    {"expm1", 1, -40, 89, false, 2, 1.5, ref_expm1},
    {"expm1", 1, -700, 1e-3, true, 2, 1.5, ref_expm1},
    {"exp10", 1, -300, 1e-6, true, 2, 0.51, ref_exp10},
    {"log10", 1, 1e-300, 1e300, true, 1, 0.51, ref_log10},
    {"log10", 1, 0.9, 1.1, false, 1, 0.51, ref_log10},
    {"cbrt", 1, -1e300, 1e-300, true, 1, 0.51, ref_cbrt},
    {"rcbrt", 1, -1e300, 1e-300, true, 2, 0.51, ref_rcbrt},
    {"hypot", 2, -1e300, 1e-300, true, 2, 0.51, ref_hypot},
    {"hypot", 2, -10, 0.1, true, 2, 0.51, ref_hypot},
    // Each of n squares is added with one rounding; the root halves their error
    // and rounds once more: n / 2 + 1 / 2 units.  A division adds as much
    // again, and its own rounding, up to one unit.
    {"rhypot", 2, -1e300, 1e-300, true, 3, 0.51, ref_rhypot},
    {"rhypot", 2, -10, 0.1, true, 3, 0.51, ref_rhypot},
    {"norm3d", 3, -1e300, 1e-300, true, 2, 0.51, ref_norm3d},
    {"norm3d", 3, -10, 0.1, true, 2, 0.51, ref_norm3d},
    {"rnorm3d", 3, -1e300, 1e-300, true, 3, 0.51, ref_rnorm3d},
    {"rnorm3d", 3, -10, 0.1, true, 3, 0.51, ref_rnorm3d},
    {"norm4d", 4, -1e300, 1e-300, true, 3, 0.51, ref_norm4d},
    {"norm4d", 4, -10, 0.1, true, 3, 0.51, ref_norm4d},
    {"rnorm4d", 4, -1e300, 1e-300, true, 4, 0.51, ref_rnorm4d},
    {"rnorm4d", 4, -10, 0.1, true, 4, 0.51, ref_rnorm4d},
    {"sinpi", 1, -100, 1e-9, true, 2, 0.51, ref_sinpi},
    {"cospi", 1, -100, 1e-9, true, 2, 0.51, ref_cospi},
    {"erfc", 1, -27, 1e-3, true, 5, 0.51, ref_erfc},
    {"erfcx", 1, 1e-3, 1e9, true, 4, 0.51, ref_erfcx},
    {"erfcx", 1, -26, 26, false, 8, 0.51, ref_erfcx},
    {"normcdf", 1, -38, 8, false, 6, 0.51, ref_normcdf},
    {"erfinv", 1, -1, 1e-9, true, 5, 0.51, ref_erfinv},
    {"erfinv", 1, -1, 1, false, 5, 0.51, ref_erfinv},
    {"erfcinv", 1, 1e-290, 1, true, 8, 0.51, ref_erfcinv},
    {"erfcinv", 1, 0, 2, false, 8, 0.51, ref_erfcinv},
    {"normcdfinv", 1, 1e-290, 0.4, true, 8, 0.51, ref_normcdfinv},
    {"lgamma", 1, 1e-9, 1e12, true, 4, 0.51, ref_lgamma},
    {"lgamma", 1, 0.4, 12, false, 4, 0.51, ref_lgamma},
    // A difference of logarithms, whose error is that of the larger one.
    {"lgamma", 1, -50, 12, false, 1e6, 0.51, ref_lgamma},
    {"tgamma", 1, 1e-9, 170, true, 8, 0.51, ref_tgamma},
    {"tgamma", 1, -30, 12, false, 8, 0.51, ref_tgamma},
    {"j0", 1, -8, 8, false, 6, 0.51, ref_j0},
    {"j0", 1, 1e-9, 8, true, 6, 0.51, ref_j0},
    {"j1", 1, -8, 8, false, 6, 0.51, ref_j1},
    {"j1", 1, -8, 1e-9, true, 6, 0.51, ref_j1},
    {"y0", 1, 0, 8, false, 6, 0.51, ref_y0},
    {"y0", 1, 1e-300, 8, true, 6, 0.51, ref_y0},
    {"y1", 1, 0, 8, false, 6, 0.51, ref_y1},
    {"y1", 1, 1e-300, 8, true, 6, 0.51, ref_y1},
    // Near zeros the error is that of the size between zeros, which fp32 does
    // not notice.
    {"j0", 1, -1e4, 8, true, 1e6, 0.51, ref_j0},
    {"j1", 1, -1e4, 8, true, 1e6, 0.51, ref_j1},
    {"y0", 1, 8, 1e4, true, 1e6, 0.51, ref_y0},
    {"y1", 1, 8, 1e4, true, 1e6, 0.51, ref_y1},
    {"cyl_bessel_i0", 1, -20, 20, false, 6, 0.51, ref_cyl_bessel_i0},
    {"cyl_bessel_i0", 1, 1e-9, 700, true, 6, 0.51, ref_cyl_bessel_i0},
    {"cyl_bessel_i1", 1, -20, 20, false, 6, 0.51, ref_cyl_bessel_i1},
    {"cyl_bessel_i1", 1, -700, 1e-9, true, 6, 0.51, ref_cyl_bessel_i1},
    {"pow", 2, 0, 20, false, 2, 0.51, ref_pow},
    {"pow", 2, 1e-3, 1e3, true, 2, 0.51, ref_pow},
    {"remainder", 2, -1e9, 1e-9, true, 0, 0, ref_remainder},
};

static double uniform(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (double)(*state >> 11) * 0x1p-53;
}

static double sample(const Case *c, uint64_t *state) {
  const double u = uniform(state);
  if (!c->logarithmic) return c->from + (c->to - c->from) * u;
  const double size = exp(log(fabs(c->from)) * u + log(c->to) * (1 - u));
  return c->from < 0 && uniform(state) < 0.5 ? -size : size;
}

static const char *kernel_text(Arena *arena, const Case *c) {
  static const char *const arguments[] = {"a", "a, b", "a, b, c", "a, b, c, d"};
  return arena_printf(
      arena,
      "@jit\ndef k(p):\n  p += tl.arange(0, %d)\n  N: tl.constexpr = %d\n"
      "  a, b = tl.load(p), tl.load(p + N)\n"
      "  c, d = tl.load(p + 2 * N), tl.load(p + 3 * N)\n"
      "  tl.store(p + 4 * N, libdevice.%s(%s))\n",
      COUNT, COUNT, c->name, arguments[c->arity - 1]);
}

static void interpret(const Case *c, const char *type, void *data,
                      size_t size) {
  Kit *scratch = kit_create();
  const char *text = kernel_text(&scratch->arena, c);
  Kit *kit = kit_specialize(text, type);
  if (!kit_interpret(kit, data, NUM_CELLS * size, NULL))
    fail_msg("%s: %s", c->name, kit_messages(kit));
  kit_free(kit);
  kit_free(scratch);
}

// |found - exact| in units of the last place of `exact` with `digits` bits.
static double error_of(const Case *c, const double *x, double found, int digits,
                       int least) {
  __mpfr_struct args[MAX_ARGS];
  mpfr_t exact;
  mpfr_init2(exact, 3 * BITS);
  for (int i = 0; i < MAX_ARGS; i++) {
    mpfr_init2(&args[i], 3 * BITS);
    mpfr_set_d(&args[i], x[i], MPFR_RNDN);
  }
  c->reference(exact, &args[0], &args[1]);
  const double nearest = mpfr_get_d(exact, MPFR_RNDN);
  double error = 0;
  const bool same = isnan(nearest) ? isnan(found) : nearest == found;
  const double largest = digits == 53 ? 0x1.fffffffffffffp1023 : 0x1.fffffep127;
  const bool passed = fabs(nearest) > largest && isinf(found);
  if (!same && !passed) {
    long e = least;
    if (mpfr_regular_p(exact)) e = (long)mpfr_get_exp(exact) - digits;
    if (e < least) e = least;
    mpfr_sub_d(exact, exact, found, MPFR_RNDN);
    mpfr_mul_2si(exact, exact, -e, MPFR_RNDN);
    error = isfinite(found) ? fabs(mpfr_get_d(exact, MPFR_RNDN)) : INFINITY;
  }
  for (int i = 0; i < MAX_ARGS; i++) mpfr_clear(&args[i]);
  mpfr_clear(exact);
  return error;
}

static void check64(const Case *c) {
  static double data[NUM_CELLS];
  uint64_t state = 7;
  for (int i = 0; i < MAX_ARGS * COUNT; i++) data[i] = sample(c, &state);
  interpret(c, "*fp64", data, sizeof *data);
  double worst = 0, at = 0, found = 0;
  for (int i = 0; i < COUNT; i += 1) {
    const double *x = &data[i], result = x[MAX_ARGS * COUNT];
    const double args[] = {x[0], x[COUNT], x[2 * COUNT], x[3 * COUNT]};
    const double error = error_of(c, args, result, 53, -1074);
    if (error > worst) worst = error, at = x[0], found = result;
  }
  print_message("%-12s fp64 %.3f\n", c->name, worst);
  if (worst > c->ulp64)
    fail_msg("%s(%a) = %a: %g ulp, more than %g", c->name, at, found, worst,
             c->ulp64);
}

static void check32(const Case *c) {
  static float data[NUM_CELLS];
  uint64_t state = 9;
  for (int i = 0; i < MAX_ARGS * COUNT; i++) {
    data[i] = (float)sample(c, &state);
    if (fabsf(data[i]) < 0x1p-120f) data[i] = copysignf(0x1p-120f, data[i]);
    if (isinf(data[i])) data[i] = copysignf(0x1p120f, data[i]);
  }
  interpret(c, "*fp32", data, sizeof *data);
  double worst = 0, at = 0, found = 0;
  for (int i = 0; i < COUNT; i++) {
    const float *x = &data[i];
    const double result = (double)x[MAX_ARGS * COUNT];
    const double args[] = {(double)x[0], (double)x[COUNT], (double)x[2 * COUNT],
                           (double)x[3 * COUNT]};
    const double error = error_of(c, args, result, 24, -149);
    if (error > worst) worst = error, at = (double)x[0], found = result;
  }
  print_message("%-12s fp32 %.3f\n", c->name, worst);
  if (worst > c->ulp32)
    fail_msg("%s(%a) = %a: %g ulp, more than %g", c->name, at, found, worst,
             c->ulp32);
}

static void functions(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    check64(&cases[i]);
    check32(&cases[i]);
  }
}
#endif

int main(void) {
#ifdef TILE_HAVE_MPFR
  const struct CMUnitTest tests[] = {cmocka_unit_test(functions)};
  return cmocka_run_group_tests(tests, NULL, NULL);
#else
  return 0;
#endif
}
