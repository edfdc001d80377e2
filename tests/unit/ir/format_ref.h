// format_ref.h -- number formats by the book, for tests: MPFR does the
// rounding.
//
// Shares nothing with ir/op/number.c: encodings are taken apart and put
// together here from the format's field widths alone.
#ifndef TILE_TESTS_FORMAT_REF_H
#define TILE_TESTS_FORMAT_REF_H

#include "ir/type.h"

#include <math.h>
#include <string.h>

#ifdef TILE_HAVE_MPFR
#include <mpfr.h>
#endif

static inline int ref_bias(Elem elem) {
  return (1 << (elem_info[elem].exponent_bits - 1)) - 1;
}

static inline uint64_t ref_exponent_mask(Elem elem) {
  const ElemInfo *info = &elem_info[elem];
  return ((UINT64_C(1) << info->exponent_bits) - 1) << info->mantissa_bits;
}

static inline uint64_t ref_sign(Elem elem) {
  return UINT64_C(1) << (elem_info[elem].bits - 1);
}

static inline bool ref_is_nan(uint64_t bits, Elem elem) {
  const uint64_t magnitude = bits & (ref_sign(elem) - 1);
  if (elem == ELEM_f8e4nv) return magnitude == 0x7f;
  return magnitude > ref_exponent_mask(elem);
}

// The value of an encoding; every format fits a double.
static inline double ref_decode(uint64_t bits, Elem elem) {
  const int mantissa = elem_info[elem].mantissa_bits;
  const uint64_t magnitude = bits & (ref_sign(elem) - 1);
  const uint64_t fraction = magnitude & ((UINT64_C(1) << mantissa) - 1);
  const int exponent = (int)(magnitude >> mantissa);
  double value = ldexp((double)fraction, 1 - ref_bias(elem) - mantissa);
  if (exponent) {
    value = ldexp((double)fraction + ldexp(1, mantissa),
                  exponent - ref_bias(elem) - mantissa);
  }
  if (elem != ELEM_f8e4nv && magnitude == ref_exponent_mask(elem)) {
    value = INFINITY;
  }
  if (ref_is_nan(bits, elem)) value = NAN;
  return bits & ref_sign(elem) ? -value : value;
}

// The encoding of a value that the format has.
static inline uint64_t ref_encode(double value, Elem elem) {
  const int mantissa = elem_info[elem].mantissa_bits;
  const uint64_t sign = signbit(value) ? ref_sign(elem) : 0;
  int exponent;
  const double part = frexp(fabs(value), &exponent); // in [0.5, 1)
  if (value == 0) return sign;
  if (isnan(value)) return ref_sign(elem) - 1;
  if (isinf(value)) return sign | ref_exponent_mask(elem);
  exponent += ref_bias(elem) - 1;
  if (exponent <= 0) return sign | (uint64_t)ldexp(part, mantissa + exponent);
  const double fraction = ldexp(part * 2 - 1, mantissa);
  return sign | (uint64_t)exponent << mantissa | (uint64_t)fraction;
}

#ifdef TILE_HAVE_MPFR
// Rounds to the format, to nearest even; `ternary` tells how the value, which
// has the format's precision already, was rounded before.
static inline double ref_finish(mpfr_t x, int ternary, Elem elem) {
  const int mantissa = elem_info[elem].mantissa_bits;
  mpfr_set_emin(2 - ref_bias(elem) - mantissa);
  mpfr_set_emax(ref_bias(elem) + (elem == ELEM_f8e4nv ? 2 : 1));
  ternary = mpfr_check_range(x, ternary, MPFR_RNDN);
  mpfr_subnormalize(x, ternary, MPFR_RNDN);
  mpfr_set_emin(mpfr_get_emin_min());
  mpfr_set_emax(mpfr_get_emax_max());
  return mpfr_get_d(x, MPFR_RNDN);
}
#endif

#endif
