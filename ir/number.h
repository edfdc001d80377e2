// number.h -- exact arithmetic on encodings: wrapping integers, every float.
//
// Floats of all formats are exact in double, so double is the common form.
// Rounding is to nearest even unless told.  f8e4nv has no infinity: values
// past 448 and infinities saturate to 448, NaN stays NaN.  f8e5 past its
// largest finite value (57344) saturates too, as Triton's conversions do; an
// infinity of the source stays one.  Denormals are kept.
#ifndef TILE_IR_NUMBER_H
#define TILE_IR_NUMBER_H

#include "ir/op.h"

// The low bits of the element's width, sign-extended (i1: 0 or 1).
int64_t int_wrap(int64_t value, Elem elem);
// The same bits, zero-extended.
uint64_t int_unsigned(int64_t value, Elem elem);

// The nearest value of the format.
double float_round(double value, Elem elem);
double float_round_to(double value, Elem elem, Rounding rounding);
// Encoding of a value, rounded to nearest even, and back.  A NaN encodes as the
// format's canonical quiet NaN.
uint64_t float_encode(double value, Elem elem);
uint64_t float_encode_to(double value, Elem elem, Rounding rounding);
double float_decode(uint64_t bits, Elem elem);

#endif
