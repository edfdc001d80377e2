// number.h -- exact arithmetic on encodings: wrapping integers, floats of all
// formats.
//
// Values of all formats are exact in double, which is the common form.
// Rounding is to nearest even unless stated.  Conversions to f8 saturate, also
// from infinities, to the largest finite value (448, 57344), like the
// hardware's cvt.satfinite; NaN stays NaN. f8e4nv has no infinity; f8e5 has
// one, which a load may read and a store keeps. Denormals are kept.
#ifndef TILE_IR_NUMBER_H
#define TILE_IR_NUMBER_H

#include "ir/op.h"

#include <string.h>

// The low bits of the element's width, sign-extended (i1: 0 or 1).
int64_t int_wrap(int64_t value, Elem elem);
// The same bits, zero-extended.
uint64_t int_unsigned(int64_t value, Elem elem);

// Has the format an infinity that conversions to it never give?
bool float_saturates_infinity(Elem elem);
// The nearest value of the format.
double float_round(double value, Elem elem);
double float_round_to(double value, Elem elem, Rounding rounding);
// Encoding of a value, rounded to nearest even, and back.  A NaN encodes as the
// format's canonical quiet NaN.
uint64_t float_encode(double value, Elem elem);
uint64_t float_encode_to(double value, Elem elem, Rounding rounding);
double float_decode(uint64_t bits, Elem elem);

// The bits of a float of C, and the float of such bits.
static inline uint64_t double_bits(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}
static inline double double_of_bits(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}
static inline uint32_t float_bits(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}
static inline float float_of_bits(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

// Decimal text, independent of the locale.  A float is printed as the shortest
// text that reads back as the same value of the format, and always with a '.',
// an 'e', or as inf, -inf, nan.
void float_print(double value, Elem elem, Str *out);
// Prints an f64 as Python's repr() does: the shortest text, with an exponent if
// that is below -4 or above 15.
void float_print_repr(double value, Str *out);
void int_print(int64_t value, Elem elem, Str *out); // i1: true, false
// Appends a float that printf() has written, with a '.' instead of the locale's
// decimal point.
void float_add_printed(const char *text, Str *out);
// Parses the whole of `text`; false if it is no number or does not fit the
// integer type.
bool float_parse(const char *text, size_t length, Elem elem, double *out);
// Reads a string as Python's float() does: blanks around it, a sign, "5.",
// ".5", "inf", "Infinity" and "nan" in any case.
bool float_parse_python(const char *text, double *out);
bool int_parse(const char *text, size_t length, Elem elem, int64_t *out);

#endif
