// fold_eval.h -- scalar arithmetic on constants; for the folder only.
//
// Each function computes one element as in ops.def.  The result is false if
// devices may give different bits, or the result would be a NaN.
#ifndef TILE_IR_FOLD_EVAL_H
#define TILE_IR_FOLD_EVAL_H

#include "ir/number.h"

typedef union {
  int64_t i; // wrapped by int_wrap
  double f;  // a value of the element type
} Number;

bool eval_int(OpKind kind, Elem elem, const Number *x, Number *out);
bool eval_float(OpKind kind, Elem elem, const Number *x, Number *out);
bool eval_compare(Predicate predicate, Elem elem, const Number *x, Number *out);
// Evaluates extsi, extui or trunci, from element type `from` to `to`.
bool eval_resize(OpKind kind, Elem from, Elem to, const Number *x, Number *out);
// The same, and conversions of floats; `rounding` is used by truncf.
bool eval_convert(OpKind kind, Elem from, Elem to, Rounding rounding,
                  const Number *x, Number *out);

#endif
