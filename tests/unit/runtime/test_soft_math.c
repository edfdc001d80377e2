// test_soft_math -- fused products and roundings, beside those of libm.
#include "runtime/base/base.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { TRIALS = 300000 };

static uint64_t next(uint64_t *seed) {
  *seed ^= *seed << 13;
  *seed ^= *seed >> 7;
  *seed ^= *seed << 17;
  return *seed;
}

// Any bits, or small exponents, few bits of a fraction, values at the edges.
static double any_double(uint64_t *seed) {
  static const double edges[] = {
      0,        -0.0, 1,         0.5,       -0.5,
      1.5,      2.5,  0x1p-1074, 0x1p-1022, 0x1.fffffffffffffp1023,
      INFINITY, NAN,  0x1p52,    0x1.8p51,  0x1.fffffffffffffp-2};
  const uint64_t bits = next(seed), way = next(seed) % 8;
  double x;
  memcpy(&x, &bits, sizeof x);
  if (way == 0) return edges[bits % (sizeof edges / sizeof *edges)];
  if (way < 4) return ldexp((double)(int64_t)bits, (int)(bits % 90) - 100);
  if (way == 4) return ldexp((double)(bits & 7), (int)(bits >> 32 & 63) - 30);
  return x;
}

static float any_float(uint64_t *seed) {
  const uint32_t bits = (uint32_t)next(seed);
  float x;
  memcpy(&x, &bits, sizeof x);
  return next(seed) % 3 ? (float)any_double(seed) : x;
}

static bool same(double a, double b) {
  return (isnan(a) && isnan(b)) || (a == b && !signbit(a) == !signbit(b));
}

static void fused_products(void **state) {
  uint64_t seed = 88172645463325252u;
  (void)state;
  for (int i = 0; i < TRIALS; i++) {
    const double a = any_double(&seed), b = any_double(&seed);
    // Values near the one that cancels the product, too.
    const double c = i % 3 ? any_double(&seed) : -nextafter(a * b, a);
    assert_true(same(soft_fma(a, b, c), fma(a, b, c)));
    const float x = any_float(&seed), y = any_float(&seed);
    const float z = i % 3 ? any_float(&seed) : -nextafterf(x * y, x);
    assert_true(same(soft_fmaf(x, y, z), fmaf(x, y, z)));
  }
}

static void roundings(void **state) {
  uint64_t seed = 2463534242u;
  (void)state;
  for (int i = 0; i < TRIALS; i++) {
    const double x = any_double(&seed);
    const float y = any_float(&seed);
    assert_true(same(soft_floor(x), floor(x)));
    assert_true(same(soft_ceil(x), ceil(x)));
    assert_true(same(soft_trunc(x), trunc(x)));
    assert_true(same(soft_rint(x), rint(x)));
    assert_true(same(soft_floorf(y), floorf(y)));
    assert_true(same(soft_ceilf(y), ceilf(y)));
    assert_true(same(soft_truncf(y), truncf(y)));
    assert_true(same(soft_rintf(y), rintf(y)));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fused_products),
      cmocka_unit_test(roundings),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
