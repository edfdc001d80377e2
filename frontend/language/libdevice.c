// libdevice.c -- libdevice functions built from others.
//
// A function is a short formula on fp32 or fp64 tiles.  Edge cases use selects,
// since a tile has no branches.  `pow` of fp32 is computed in fp64, where the
// error of a logarithm times an exponent is small enough.
#include "frontend/core/builtins.h"
#include "frontend/errors.h"
#include "frontend/language/language.h"

#include <math.h>

// All operands are tensors of one float type, so no operation here can fail.
typedef struct {
  Walk *w;
  SrcLoc loc;
  Dtype dtype;
} Formula;

static const Object *number(const Formula *f, double value) {
  return tensor_constant(f->w, f->dtype, object_float(f->w->arena, value));
}

static const Object *apply(const Formula *f, OpKind kind, const Object *x) {
  return tensor_op(f->w, kind, f->dtype, 1, &x);
}

static const Object *calc(const Formula *f, const Object *x, Operator op,
                          const Object *y) {
  return tensor_binary(f->w, f->loc, op, x, y);
}

static const Object *is(const Formula *f, const Object *x, CompareOperator op,
                        const Object *y) {
  return tensor_comparison(f->w, f->loc, op, x, y);
}

static const Object *pick(const Formula *f, const Object *condition,
                          const Object *x, const Object *y) {
  return tensor_select(f->w, f->loc, condition, x, y);
}

// Argument `n` as fp32 or fp64; a literal gets the type of the formula so far.
static const Object *argument(Formula *f, const BuiltinCall *c, int n) {
  const Object *x = argument_tensor(f->w, c, n);
  if (!x) return NULL;
  f->dtype = x->as.tensor.dtype;
  if (dtype_is(f->dtype, DTYPE_FP32) || dtype_is(f->dtype, DTYPE_FP64))
    return x;
  return walk_error(f->w, c->locs[n], ERROR_wants_fp32_or_fp64, c->info->name,
                    text_of(f->w, x));
}

static Formula formula(Walk *w, const BuiltinCall *c) {
  return (Formula){w, c->loc, dtype_of(DTYPE_FP32)};
}

// -- Powers ------------------------------------------------------------------

static const Object *both(const Formula *f, const Object *x, const Object *y) {
  return calc(f, x, OPERATOR_AND, y);
}

static const Object *is_negative(const Formula *f, const Object *x) {
  const bool wide = dtype_bits(f->dtype) == 64;
  const Dtype bits = dtype_of(wide ? DTYPE_INT64 : DTYPE_INT32);
  x = tensor_bitcast(f->w, f->loc, x, bits);
  return is(f, x, COMPARE_LT, tensor_int(f->w, bits, 0));
}

// x| to the power y, negative for a negative x and an odd y; NaN for a negative
//  finite x and a non-integer y.
static const Object *power(const Formula *f, const Object *x, const Object *y) {
  const Object *zero = number(f, 0), *one = number(f, 1);
  const Object *size = apply(f, OP_absf, x);
  const Object *log = apply(f, OP_log2, size);
  const Object *r = apply(f, OP_exp2, calc(f, y, OPERATOR_MUL, log));
  r = pick(f, is(f, size, COMPARE_EQ, one), one, r);
  const Object *whole = is(f, apply(f, OP_trunc, y), COMPARE_EQ, y);
  const Object *half = calc(f, y, OPERATOR_MUL, number(f, 0.5));
  const Object *odd = is(f, apply(f, OP_trunc, half), COMPARE_NE, half);
  const Object *flips = both(f, both(f, whole, odd), is_negative(f, x));
  r = pick(f, flips, apply(f, OP_negf, r), r);
  const Object *finite = is(f, size, COMPARE_LT, number(f, INFINITY));
  const Object *valid = tensor_unary(
      f->w, f->loc, UNARY_NOT, both(f, finite, is(f, x, COMPARE_LT, zero)));
  valid = calc(f, valid, OPERATOR_OR, whole);
  r = pick(f, valid, r, number(f, NAN));
  return pick(f, is(f, y, COMPARE_EQ, zero), one, r);
}

const Object *builtin_pow(Walk *w, const BuiltinCall *c) {
  const Dtype fp32 = dtype_of(DTYPE_FP32), fp64 = dtype_of(DTYPE_FP64);
  Formula f = formula(w, c);
  const Object *x = argument(&f, c, 0), *y = argument_tensor(w, c, 1);
  if (!x || !y) return NULL;
  if (dtype_is(x->as.tensor.dtype, DTYPE_FP64) ||
      dtype_is(y->as.tensor.dtype, DTYPE_FP64))
    return tensor_broadcast(w, c->loc, c->info->name, &x, &y)
               ? library_call(w, c, "pow")
               : NULL;
  if (!dtype_is(y->as.tensor.dtype, DTYPE_FP32) &&
      !dtype_is_int(y->as.tensor.dtype))
    return walk_error(w, c->locs[1], ERROR_pow_wants_fp32_or_integer,
                      c->info->name, text_of(w, y));
  x = tensor_cast(w, c->loc, x, fp64);
  y = tensor_cast(w, c->loc, y, fp64);
  if (!tensor_broadcast(w, c->loc, c->info->name, &x, &y)) return NULL;
  f.dtype = fp64;
  return tensor_cast(w, c->loc, power(&f, x, y), fp32);
}

// -- Rounding and signs ------------------------------------------------------

static const Object *copy_sign(const Formula *f, const Object *x,
                               const Object *y) {
  const Object *size = apply(f, OP_absf, x);
  return pick(f, is_negative(f, y), apply(f, OP_negf, size), size);
}

const Object *builtin_copysign(Walk *w, const BuiltinCall *c) {
  Formula f = formula(w, c);
  const Object *x = argument(&f, c, 0), *y = x ? argument(&f, c, 1) : NULL;
  if (!y || !tensor_unify(w, c->loc, "copysign", (Typing){0}, &x, &y))
    return NULL;
  f.dtype = x->as.tensor.dtype;
  return copy_sign(&f, x, y);
}

// Rounds to the nearest integer, halves away from zero.
const Object *builtin_round(Walk *w, const BuiltinCall *c) {
  Formula f = formula(w, c);
  const Object *x = argument(&f, c, 0);
  if (!x) return NULL;
  const Object *whole = apply(&f, OP_trunc, x);
  const Object *rest = apply(&f, OP_absf, calc(&f, x, OPERATOR_SUB, whole));
  const Object *up = copy_sign(&f, number(&f, 1), x);
  const Object *away = calc(&f, whole, OPERATOR_ADD, up);
  const Object *half = number(&f, 0.5);
  return pick(&f, is(&f, rest, COMPARE_GE, half), away, whole);
}

const Object *builtin_llrint(Walk *w, const BuiltinCall *c) {
  Formula f = formula(w, c);
  const Object *x = argument(&f, c, 0);
  if (!x) return NULL;
  return tensor_cast(w, c->loc, apply(&f, OP_rint, x), dtype_of(DTYPE_INT64));
}

const Object *builtin_tan(Walk *w, const BuiltinCall *c) {
  Formula f = formula(w, c);
  const Object *x = argument(&f, c, 0);
  if (!x) return NULL;
  return calc(&f, apply(&f, OP_sin, x), OPERATOR_DIV, apply(&f, OP_cos, x));
}

const Object *builtin_rcp(Walk *w, const BuiltinCall *c) {
  Formula f = formula(w, c);
  const Object *x = argument(&f, c, 0);
  if (!x) return NULL;
  const Object *one = number(&f, 1);
  if (!tensor_broadcast(w, c->loc, "rcp_rn", &one, &x)) return NULL;
  return tensor_op(w, OP_divf_rn, f.dtype, 2, (const Object *[]){one, x});
}

// `int2double_rn(x)` and other conversions without a choice of rounding.
const Object *builtin_convert_to(Walk *w, const BuiltinCall *c) {
  const Object *x = argument_tensor(w, c, 0);
  if (!x) return NULL;
  return tensor_cast(w, c->locs[0], x, dtype_of((DtypeId)c->info->data));
}
