// fold_eval.h -- scalar arithmetic on constants; for the folder only.
//
// Each function computes one element as ops.def says, or returns false where
// devices may differ in their bits or the result would be a NaN.
#ifndef TILE_IR_FOLD_EVAL_H
#define TILE_IR_FOLD_EVAL_H

#include "ir/number.h"

typedef union {
  int64_t i; // as int_wrap leaves it
  double f;  // a value of the element type
} Number;

bool eval_int(OpKind kind, Elem elem, const Number *x, Number *out);
bool eval_float(OpKind kind, Elem elem, const Number *x, Number *out);
bool eval_compare(Predicate predicate, Elem elem, const Number *x, Number *out);
// One operand of element `from` to `to`, both integers: extsi, extui, trunci.
bool eval_resize(OpKind kind, Elem from, Elem to, const Number *x, Number *out);
// The same for these and floats; `rounding` is used by truncf.
bool eval_convert(OpKind kind, Elem from, Elem to, Rounding rounding,
                  const Number *x, Number *out);

#endif
