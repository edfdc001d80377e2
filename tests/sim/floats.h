// floats.h -- floats and their bits, as the host has them, for the tests of the
// simulator.
#ifndef TILE_TESTS_SIM_FLOATS_H
#define TILE_TESTS_SIM_FLOATS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

// The f32 of the low 32 bits.
static inline float single_of(uint64_t bits) {
  const uint32_t low = (uint32_t)bits;
  float x;
  memcpy(&x, &low, sizeof x);
  return x;
}

static inline double double_of(uint64_t bits) {
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

// The bits of an f32; all NaNs become the one that arithmetic of f32 makes.
static inline uint32_t single_bits(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return isnan(x) ? 0x7fffffff : bits;
}

// The bits of an f64, NaNs as they are.
static inline uint64_t double_bits(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

// The bits of an f16 for zero, and for a normal number of that type.
static inline uint32_t half_bits(float x) {
  const uint32_t bits = single_bits(x);
  const uint32_t exponent = (bits >> 23 & 255) - 112;
  return x == 0 ? bits >> 16
                : (bits >> 16 & 0x8000) | exponent << 10 | (bits >> 13 & 0x3ff);
}

// Subnormal numbers become zeros.
static inline float flushed_single(float x) {
  return fpclassify(x) == FP_SUBNORMAL ? copysignf(0, x) : x;
}

// The result of `min`, if `is_least`, or `max`; -0 counts as less than +0.  If
// one operand is a NaN the result is the number, or, with `.NaN`, a NaN.
static inline double extreme_of(double a, double b, bool is_least,
                                bool keeps_nan) {
  if (isnan(a) || isnan(b))
    return keeps_nan || (isnan(a) && isnan(b)) ? (double)NAN : isnan(a) ? b : a;
  const bool is_less = a < b || (a == b && signbit(a));
  return is_less == is_least ? a : b;
}

#endif
