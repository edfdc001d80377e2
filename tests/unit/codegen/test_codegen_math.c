// test_codegen_math.c -- the elementary functions of host code against MPFR.
//
// Computes every function for special values, values around the edges of its
// ranges and random encodings of all magnitudes; the errors must be within the
// bounds of codegen/scalar/math.def.
//
// Backs I4 of codegen/scalar.
#include "host_kit.h"

#ifdef TILE_HAVE_MPFR
#include <mpfr.h>

enum { TILE = 256, RANDOM = 1 << 12, MAX_SAMPLES = RANDOM * 3 + 4096 };

typedef struct {
  const char *name;
  int (*exact)(mpfr_t, const mpfr_t, mpfr_rnd_t);
  double bound_f32, bound_f64; // in ulp
} Exact;

static const Exact functions[] = {
#define MATH(name, f32, f64) {#name, mpfr_##name, f32, f64},
#include "codegen/scalar/math.def"
};

// -- Samples -----------------------------------------------------------------

typedef struct {
  double *items;
  size_t count;
} Samples;

static void add(Samples *s, double x) {
  s->items[s->count++] = x;
  s->items[s->count++] = -x;
}

static double round_to(double x, bool wide) {
  return wide ? x : (double)(float)x;
}

// Around these arguments the functions change their formulas.
static const double edges[] = {0,
                               1,
                               2,
                               0.5,
                               0.25,
                               0.75,
                               1.5,
                               3,
                               4,
                               6,
                               8,
                               10,
                               64,
                               80,
                               87,
                               88,
                               88.7,
                               88.8,
                               89,
                               103,
                               104,
                               126,
                               127,
                               128,
                               149,
                               150,
                               700,
                               709,
                               709.7,
                               709.8,
                               710,
                               744,
                               745,
                               746,
                               1022,
                               1023,
                               1024,
                               1074,
                               1075,
                               1076,
                               1e10,
                               1e22,
                               1e38,
                               1e300,
                               1e-10,
                               1e-7,
                               1e-30,
                               1.17e-38,
                               1.4e-45,
                               1e-40,
                               1e-300,
                               4.9e-324,
                               3.14159265358979,
                               1.57079632679489,
                               0.785398163397448,
                               0.70710678118654,
                               1.41421356237309,
                               2.71828182845904,
                               823549.6,
                               524287.9,
                               524288.5,
                               6381956970095103.0};

static void add_edges(Samples *s, bool wide) {
  for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) {
    const double x = round_to(edges[i], wide);
    add(s, x);
    add(s, wide ? nextafter(x, 1e308) : (double)nextafterf((float)x, 1e38f));
    add(s, wide ? nextafter(x, 0) : (double)nextafterf((float)x, 0));
  }
  for (int n = 1; n < 200; n++) add(s, round_to(n * 1.5707963267948966, wide));
  add(s, INFINITY);
  add(s, NAN);
}

static double any_encoding(uint64_t *state, bool wide) {
  const uint64_t high = (uint64_t)(host_random(state) * 4294967296.0);
  const uint64_t low = (uint64_t)(host_random(state) * 4294967296.0);
  return wide ? float_decode(high << 32 | low, ELEM_f64)
              : float_decode(high, ELEM_f32);
}

static Samples make_samples(bool wide) {
  Samples s = {malloc(sizeof(double) * MAX_SAMPLES), 0};
  uint64_t state = 7;
  add_edges(&s, wide);
  for (int i = 0; i < RANDOM; i++) {
    s.items[s.count++] = any_encoding(&state, wide);
    s.items[s.count++] = round_to(20 * host_random(&state) - 10, wide);
    s.items[s.count++] = round_to(1600 * host_random(&state) - 800, wide);
  }
  while (s.count % TILE) s.items[s.count++] = 0;
  return s;
}

// -- Running -----------------------------------------------------------------

static void run_function(const char *name, bool wide, const Samples *s,
                         double *out) {
  Arena arena;
  arena_init(&arena, &system_allocator);
  const Elem elem = wide ? ELEM_f64 : ELEM_f32;
  void *in = malloc(s->count * 8), *result = malloc(s->count * 8);
  for (size_t i = 0; i < s->count; i++) {
    if (wide) ((double *)in)[i] = s->items[i];
    if (!wide) ((float *)in)[i] = (float)s->items[i];
  }
  host_map(host_map_text(&arena, TILE, name, "", elem, elem), TILE, s->count,
           in, result);
  for (size_t i = 0; i < s->count; i++) {
    out[i] = wide ? ((double *)result)[i] : (double)((float *)result)[i];
  }
  free(in);
  free(result);
  arena_free(&arena);
}

// -- Checking ----------------------------------------------------------------

static double ulp_of(double x, bool wide) {
  const int digits = wide ? 53 : 24, least = wide ? -1074 : -149;
  int exponent;
  frexp(x, &exponent);
  if (x == 0 || exponent - digits < least) return ldexp(1, least);
  return ldexp(1, exponent - digits);
}

static double error_of(const Exact *f, double x, double got, bool wide) {
  static const int precision = 160;
  mpfr_t in, out;
  mpfr_init2(in, precision);
  mpfr_init2(out, precision);
  mpfr_set_d(in, x, MPFR_RNDN);
  f->exact(out, in, MPFR_RNDN);
  double want = mpfr_get_d(out, MPFR_RNDN);
  if (!wide) want = (double)(float)want;
  double error = 0;
  if (isnan(want) || isnan(got)) {
    error = isnan(want) && isnan(got) ? 0 : INFINITY;
  } else if (isinf(want) || isinf(got)) {
    error = want == got ? 0 : INFINITY;
  } else {
    mpfr_sub_d(out, out, got, MPFR_RNDN);
    const double ulp = wide ? ulp_of(want, true) : ulp_of(want, false);
    error = fabs(mpfr_get_d(out, MPFR_RNDN)) / ulp;
  }
  mpfr_clear(in);
  mpfr_clear(out);
  return error;
}

static void check_function(const Exact *f, bool wide) {
  const Samples s = make_samples(wide);
  double *out = malloc(sizeof(double) * s.count);
  run_function(f->name, wide, &s, out);
  const double bound = wide ? f->bound_f64 : f->bound_f32;
  double worst = 0, at = 0;
  for (size_t i = 0; i < s.count; i++) {
    const double error = error_of(f, s.items[i], out[i], wide);
    if (error > worst) worst = error, at = s.items[i];
  }
  print_message("%s %s: %.3f ulp at %.17g\n", f->name, wide ? "f64" : "f32",
                worst, at);
  if (worst > bound) {
    fail_msg("%s %s: %.3f ulp at %.17g, allowed %.3f", f->name,
             wide ? "f64" : "f32", worst, at, bound);
  }
  free(out);
  free(s.items);
}

static void keeps_bounds_f32(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    check_function(&functions[i], false);
  }
}

static void keeps_bounds_f64(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    check_function(&functions[i], true);
  }
}

#else
static void keeps_bounds_f32(void **state) {
  (void)state;
  print_message("SKIP: MPFR is not installed\n");
  skip();
}

static void keeps_bounds_f64(void **state) {
  keeps_bounds_f32(state);
}
#endif

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(keeps_bounds_f32),
      cmocka_unit_test(keeps_bounds_f64),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
