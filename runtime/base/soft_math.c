// soft_math.c -- fused products and roundings by integers.
#include "runtime/base/soft_math.h"

#include "ir/number.h"

#include <stdbool.h>

__extension__ typedef unsigned __int128 Wide;

enum {
  FRACTION = 52,      // bits
  BIAS = 1023,        // of the exponent
  LEAST = -1074,      // the exponent of the smallest number
  TOP = 0x7FF,        // the exponent of infinity and NaN
  PRODUCT_SHIFT = 20, // to bit 124 or 125 of 128
  ADDEND_SHIFT = 72,  // to bit 124
};
#define IMPLICIT ((uint64_t)1 << FRACTION)
#define INFINITE ((uint64_t)TOP << FRACTION)
#define SIGN     ((uint64_t)1 << 63)

static bool is_finite(double x) {
  return (double_bits(x) & INFINITE) != INFINITE;
}

// -- Fused products ----------------------------------------------------------

// mantissa * 2^exponent, with bit 52 set.
typedef struct {
  uint64_t mantissa;
  int exponent;
  bool negative;
} FloatParts;

// `x` is finite and not 0.
static FloatParts parts_of(double x) {
  const uint64_t bits = double_bits(x);
  const int exponent = (int)(bits >> FRACTION & TOP);
  FloatParts p = {bits & (IMPLICIT - 1),
                  (exponent ? exponent : 1) - BIAS - FRACTION, bits >> 63};
  if (exponent) p.mantissa |= IMPLICIT;
  while (!(p.mantissa & IMPLICIT)) {
    p.mantissa <<= 1;
    p.exponent--;
  }
  return p;
}

// Lost bits are ORed into the last bit (sticky), so that a tie differs from a
// larger rest.
static Wide shift_right(Wide x, int count) {
  if (count <= 0) return x;
  if (count >= 128) return x != 0;
  return x >> count | ((x & (((Wide)1 << count) - 1)) != 0);
}

static int width_of(Wide x) {
  const uint64_t high = (uint64_t)(x >> 64), low = (uint64_t)x;
  return high ? 128 - __builtin_clzll(high) : 64 - __builtin_clzll(low);
}

// `sum` is not 0, and smaller than 2^127.
static double round_wide(Wide sum, int exponent, bool negative) {
  int shift = width_of(sum) - (FRACTION + 1);
  if (shift < LEAST - exponent) shift = LEAST - exponent;
  uint64_t kept =
      shift > 127 ? 0 : (uint64_t)(shift < 0 ? sum << -shift : sum >> shift);
  if (shift > 0 && shift <= 127) {
    const Wide half = (Wide)1 << (shift - 1);
    const Wide rest = sum & (((Wide)1 << shift) - 1);
    kept += rest > half || (rest == half && (kept & 1));
  }
  const int biased = exponent + shift + FRACTION + BIAS;
  uint64_t bits = INFINITE;
  // The implicit bit adds 1 to the exponent, if there is one.
  if (biased < TOP) bits = ((uint64_t)(biased - 1) << FRACTION) + kept;
  if (bits > INFINITE) bits = INFINITE;
  return double_of_bits(bits | (negative ? SIGN : 0));
}

static double add_wide(Wide product, int product_exponent, bool product_sign,
                       Wide addend, int addend_exponent, bool addend_sign) {
  const int exponent =
      product_exponent > addend_exponent ? product_exponent : addend_exponent;
  product = shift_right(product, exponent - product_exponent);
  addend = shift_right(addend, exponent - addend_exponent);
  if (product_sign == addend_sign)
    return round_wide(product + addend, exponent, product_sign);
  if (product == addend) return 0;
  return product > addend ? round_wide(product - addend, exponent, product_sign)
                          : round_wide(addend - product, exponent, addend_sign);
}

double soft_fma(double a, double b, double c) {
  if (!is_finite(a) || !is_finite(b)) return a * b + c;
  if (!is_finite(c)) return c + c;
  if (a == 0 || b == 0) return a * b + c;
  if (c == 0) return a * b;
  const FloatParts x = parts_of(a), y = parts_of(b), z = parts_of(c);
  return add_wide((Wide)x.mantissa * y.mantissa << PRODUCT_SHIFT,
                  x.exponent + y.exponent - PRODUCT_SHIFT,
                  x.negative != y.negative, (Wide)z.mantissa << ADDEND_SHIFT,
                  z.exponent - ADDEND_SHIFT, z.negative);
}

// A product of floats is exact in double.  The sum is rounded to odd in double,
// so that rounding it again to float gives the correctly rounded result.
float soft_fmaf(float a, float b, float c) {
  const double product = (double)a * b, sum = product + c;
  const double part = sum - product;
  const double lost = (product - (sum - part)) + (c - part);
  uint64_t bits = double_bits(sum);
  if (!is_finite(sum) || lost == 0 || (bits & 1)) return (float)sum;
  bits += (lost > 0) == (sum > 0) ? 1 : (uint64_t)-1;
  return (float)double_of_bits(bits);
}

// -- Roundings ---------------------------------------------------------------

typedef enum { DOWN, UP, TO_ZERO, TO_EVEN } Direction;

// Whether the fraction `rest` / `unit` behind a whole number is rounded away
// from 0.
static bool rounds_away(Direction to, bool negative, uint64_t rest,
                        uint64_t unit, bool is_odd) {
  switch (to) {
  case DOWN: return negative;
  case UP: return !negative;
  case TO_ZERO: return false;
  case TO_EVEN: break;
  }
  return rest > unit / 2 || (rest == unit / 2 && is_odd);
}

static double round_to(double x, Direction to) {
  const uint64_t bits = double_bits(x), size = bits & ~SIGN;
  const int exponent = (int)(size >> FRACTION) - BIAS;
  const bool negative = bits >> 63;
  if (exponent >= FRACTION || !size) return is_finite(x) ? x : x + x;
  if (exponent < 0) {
    // Half of 1 is the one tie, and 0 is even.
    const bool is_large = to == TO_EVEN ? size > double_bits(0.5) : true;
    const bool away = is_large && to != TO_ZERO &&
                      (to == TO_EVEN || (to == DOWN) == negative);
    return double_of_bits((bits & SIGN) | (away ? double_bits(1) : 0));
  }
  const uint64_t unit = IMPLICIT >> exponent, rest = bits & (unit - 1);
  const uint64_t whole = bits - rest;
  // The last bit of 1 is the implicit one.
  const bool is_odd = exponent ? (whole & unit) != 0 : true;
  if (!rest || !rounds_away(to, negative, rest, unit, is_odd))
    return double_of_bits(whole);
  return double_of_bits(whole + unit);
}

double soft_floor(double x) {
  return round_to(x, DOWN);
}

double soft_ceil(double x) {
  return round_to(x, UP);
}

double soft_trunc(double x) {
  return round_to(x, TO_ZERO);
}

double soft_rint(double x) {
  return round_to(x, TO_EVEN);
}

float soft_floorf(float x) {
  return (float)round_to(x, DOWN);
}

float soft_ceilf(float x) {
  return (float)round_to(x, UP);
}

float soft_truncf(float x) {
  return (float)round_to(x, TO_ZERO);
}

float soft_rintf(float x) {
  return (float)round_to(x, TO_EVEN);
}
