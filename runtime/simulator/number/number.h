// number.h -- floating-point formats and exact rounding.
//
// Every format narrower than double is computed in double.  A result that a
// double cannot hold is rounded to odd: its last bit is set if bits were cut
// off, and a second rounding to at most 51 bits is still correct.
#ifndef TILE_SIMULATOR_NUMBER_H
#define TILE_SIMULATOR_NUMBER_H

#include "runtime/simulator/code/code.h"

typedef struct {
  uint8_t exponent_bits, mantissa_bits;
  int bias;
  uint32_t largest, infinity, nan; // as bits; e4m3 has no infinity
} Format;

// NULL for types that are not floats of at most 32 bits.
const Format *format_of(TypeId type);

double format_decode(const Format *format, uint32_t bits);
// Rounds as the word says: WORD_RN, RZ, RM, RP or RNA.
uint32_t format_encode(const Format *format, double value, WordId round,
                       bool saturate_finite);

double odd_add(double a, double b); // a + b, rounded to odd
double odd_integer(uint64_t magnitude, bool negative);

uint16_t float_to_half(float value);
float flush_float(float value); // subnormal to a zero of its sign

static inline float float_from_bits(uint32_t bits) {
  union {
    uint32_t bits;
    float value;
  } both = {bits};
  return both.value;
}

static inline uint32_t bits_from_float(float value) {
  union {
    float value;
    uint32_t bits;
  } both = {value};
  return both.bits;
}

static inline float bfloat_to_float(uint16_t bits) {
  return float_from_bits((uint32_t)bits << 16);
}

// Without branches, so that the compiler vectorizes conversions of arrays.
// Scaling by a power of two also makes subnormals normal.
static inline float half_to_float(uint16_t bits) {
  const uint32_t sign = (uint32_t)(bits & 0x8000) << 16;
  const uint32_t rest = (uint32_t)(bits & 0x7fff) << 13;
  const float scale = float_from_bits(0x77800000); // 2^112
  const uint32_t finite = bits_from_float(float_from_bits(rest) * scale);
  const uint32_t is_special = 0 - (uint32_t)(rest >= 0x0f800000);
  return float_from_bits(sign | (finite & ~is_special) |
                         ((0x70000000 | rest) & is_special));
}

static inline double double_from_bits(uint64_t bits) {
  union {
    uint64_t bits;
    double value;
  } both = {bits};
  return both.value;
}

static inline uint64_t bits_from_double(double value) {
  union {
    double value;
    uint64_t bits;
  } both = {value};
  return both.bits;
}

// Rounds to an integer, with RNI, RZI, RMI, RPI.
double round_integral(double value, WordId round);

// The argument of fesetround() for WORD_RN, RZ, RM or RP.
int host_round(WordId round);
// a * b + c in the host's rounding mode; a function that is not inlined, so
// that the compiler does not move the operation in front of fesetround().
double fma_in_mode(double a, double b, double c);

#define CANONICAL_NAN 0x7fffffffu
#define QUIET_DOUBLE  UINT64_C(0x7ff8000000000000) // bits of each quiet NaN

#endif
