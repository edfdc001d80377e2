// constant.h -- Python's operators on compile-time constants.
//
// Integers are exact up to 127 bits.  A larger result is an error, and so is a
// division by zero.  Every function returns NULL after a diagnostic.
#ifndef TILE_FRONTEND_CONSTANT_H
#define TILE_FRONTEND_CONSTANT_H

#include "frontend/value/object.h"

typedef struct {
  Arena *arena;
  DiagList *diags;
  SrcLoc loc;
} ConstantContext;

const Object *constant_binary(const ConstantContext *c, Operator op,
                              const Object *a, const Object *b);
const Object *constant_unary(const ConstantContext *c, UnaryOperator op,
                             const Object *x);
const Object *constant_compare(const ConstantContext *c, CompareOperator op,
                               const Object *a, const Object *b);
// Is the text of repr(), or of str(), known?
bool constant_shows(const ConstantContext *c, const Object *x, bool repr);
// The text as a string; an error if it is too long.
const Object *constant_string(const ConstantContext *c, const Str *text);
// Python's bool(); of constants only.
bool constant_truth(const Object *x);
bool constant_set_has(const Object *set, const Object *x);
// The value of a BOOL or INT; 0 for other constants.
Integer constant_integer(const Object *x);
double constant_number(const Object *x);   // of BOOL, INT and FLOAT
bool constant_is_integer(const Object *x); // BOOL or INT

// -1, 0 or 1; for numbers 2 if one is a NaN.
int constant_order_numbers(const Object *a, const Object *b);
int constant_order_strings(const Object *a, const Object *b);

#endif
