// number.c -- encodings of floats.
//
// A float is rounded in double, to a multiple of one unit in the last place of
// the format; every step but that one is exact.
#include "ir/number.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static int bias(Elem elem) {
  return (1 << (elem_info[elem].exponent_bits - 1)) - 1;
}

static bool has_infinity(Elem elem) {
  return elem != ELEM_f8e4nv;
}

static double largest(Elem elem) {
  if (elem == ELEM_f8e4nv) return 448;
  const int mantissa = elem_info[elem].mantissa_bits;
  return ldexp(2 - ldexp(1, -mantissa), bias(elem));
}

static bool saturates(Elem elem) {
  return elem == ELEM_f8e4nv || elem == ELEM_f8e5;
}

bool float_saturates_infinity(Elem elem) {
  return saturates(elem) && has_infinity(elem);
}

// Adding 3 * 2^51 units and subtracting them again leaves whole units: the sum
// has no smaller bits, and the hardware rounds it to nearest even.
static double round_even(double value, int log2_unit) {
  const uint64_t bits = (uint64_t)(log2_unit + 52 + 1023) << 52 | UINT64_C(1)
                                                                      << 51;
  const double units = double_of_bits(bits);
  return value + units - units;
}

static int exponent_of(double value) {
  return (int)(double_bits(value) >> 52 & 0x7ff) - 1023;
}

static double round_finite(double value, Elem elem, Rounding rounding) {
  const int exponent = exponent_of(value), smallest = 1 - bias(elem);
  if (exponent > bias(elem) + 1) return value; // above the largest value
  const int top = exponent > smallest ? exponent : smallest;
  const int ulp = top - elem_info[elem].mantissa_bits;
  const double whole = rounding == ROUNDING_rtz
                           ? ldexp(trunc(ldexp(value, -ulp)), ulp)
                           : round_even(value, ulp);
  return copysign(whole, value);
}

double float_round_to(double value, Elem elem, Rounding rounding) {
  if (elem == ELEM_f64 || isnan(value) || value == 0) return value;
  if (isinf(value)) {
    return saturates(elem) ? copysign(largest(elem), value) : value;
  }
  const double rounded = round_finite(value, elem, rounding);
  if (fabs(rounded) <= largest(elem)) return rounded;
  const bool clamp = saturates(elem) || rounding == ROUNDING_rtz;
  return copysign(clamp ? largest(elem) : INFINITY, value);
}

double float_round(double value, Elem elem) {
  return float_round_to(value, elem, ROUNDING_rtne);
}

static uint64_t nan_bits(Elem elem) {
  const ElemInfo *info = &elem_info[elem];
  if (info->bits == 8) return 0x7f; // as GPUs convert, also to f8e5
  const uint64_t exponent = (UINT64_C(1) << info->exponent_bits) - 1;
  return (exponent << info->mantissa_bits) |
         (UINT64_C(1) << (info->mantissa_bits - 1));
}

static uint64_t finite_bits(double magnitude, Elem elem) {
  const int mantissa = elem_info[elem].mantissa_bits;
  int exponent;
  frexp(magnitude, &exponent);
  const int smallest = 1 - bias(elem);
  const bool denormal = exponent - 1 < smallest;
  const int top = denormal ? smallest : exponent - 1;
  const uint64_t units = (uint64_t)ldexp(magnitude, mantissa - top);
  const uint64_t biased = denormal ? 0 : (uint64_t)(top + bias(elem));
  const uint64_t low = units & ((UINT64_C(1) << mantissa) - 1);
  assert(!(((biased << mantissa) + low) >> (elem_info[elem].bits - 1)) &&
         "the magnitude reaches into the sign"); // I10
  return (biased << mantissa) + low;
}

uint64_t float_encode_to(double value, Elem elem, Rounding rounding) {
  if (isnan(value)) return nan_bits(elem);
  assert(elem_info[elem].is_float && "no float format"); // I10
  if (elem == ELEM_f64) return double_bits(value);
  // An infinity of f8e5 is a value of the format; only conversions saturate.
  const bool keep = isinf(value) && has_infinity(elem);
  const double rounded = keep ? value : float_round_to(value, elem, rounding);
  const ElemInfo *info = &elem_info[elem];
  uint64_t bits = 0;
  if (isinf(rounded)) {
    bits = ((UINT64_C(1) << info->exponent_bits) - 1) << info->mantissa_bits;
  } else if (rounded != 0) {
    bits = finite_bits(fabs(rounded), elem);
  }
  return bits | (uint64_t)(signbit(rounded) != 0) << (info->bits - 1);
}

uint64_t float_encode(double value, Elem elem) {
  return float_encode_to(value, elem, ROUNDING_rtne);
}

static double decode_magnitude(uint64_t bits, Elem elem) {
  const ElemInfo *info = &elem_info[elem];
  const uint64_t mask = (UINT64_C(1) << info->mantissa_bits) - 1;
  const uint64_t fraction = bits & mask;
  const uint64_t exponent = bits >> info->mantissa_bits;
  const uint64_t top = (UINT64_C(1) << info->exponent_bits) - 1;
  if (elem == ELEM_f8e4nv && bits == 0x7f) return NAN;
  if (exponent == top && has_infinity(elem)) return fraction ? NAN : INFINITY;
  const int ulp =
      (exponent ? (int)exponent : 1) - bias(elem) - info->mantissa_bits;
  return ldexp((double)(fraction + (exponent ? mask + 1 : 0)), ulp);
}

double float_decode(uint64_t bits, Elem elem) {
  if (elem == ELEM_f64) return double_of_bits(bits);
  const uint64_t sign = UINT64_C(1) << (elem_info[elem].bits - 1);
  const double magnitude = decode_magnitude(bits & (sign - 1), elem);
  return bits & sign ? -magnitude : magnitude;
}
