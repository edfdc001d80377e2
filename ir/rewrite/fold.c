// fold.c -- constants and identities.
//
// A tile constant has one value in all elements, so one scalar computation
// folds it.  A splat of a constant counts as one.
#include "ir/rewrite.h"

#include "ir/rewrite/fold_eval.h"

#include <assert.h>

// -- Constants ---------------------------------------------------------------

static bool find_number(const Value *value, Number *out) {
  const Attr *attr;
  const Op *splat = value_def(value, OP_splat);
  if (splat) value = op_operand(splat, 0);
  if (!value_is_constant(value, &attr)) return false;
  if (type_is_float(value->type)) {
    out->f = attr->as.f;
  } else {
    out->i = attr->as.i;
  }
  return true;
}

static Value *build_number(Builder *b, const Type *type, Number number) {
  return type_is_float(type) ? build_float(b, type, number.f)
                             : build_int(b, type, number.i);
}

static bool is_int(const Value *value, int64_t wanted) {
  Number n;
  return type_is_int(value->type) && find_number(value, &n) &&
         n.i == int_wrap(wanted, value->type->elem);
}

static bool is_float(const Value *value, double wanted) {
  Number n;
  return type_is_float(value->type) && find_number(value, &n) &&
         float_encode(n.f, ELEM_f64) == float_encode(wanted, ELEM_f64);
}

static bool same_constant(const Value *x, const Value *y) {
  Number a, b;
  if (x->type != y->type || !find_number(x, &a) || !find_number(y, &b)) {
    return false;
  }
  return a.i == b.i; // all bits: -0 is not +0
}

static bool evaluate(const Op *op, const Number *x, Number *out) {
  const Elem from = op_operand(op, 0)->type->elem;
  const Elem to = op_result(op)->type->elem;
  switch (op_info[op->kind].rule) {
  case RULE_INTS: return eval_int(op->kind, from, x, out);
  case RULE_FLOATS: return eval_float(op->kind, from, x, out);
  case RULE_COMPARE:
    return eval_compare((Predicate)op_int(op, ATTR_predicate), from, x, out);
  case RULE_WIDEN_INT:
  case RULE_NARROW_INT:
  case RULE_CONVERT_FLOAT:
  case RULE_INT_TO_FLOAT:
  case RULE_FLOAT_TO_INT:
  case RULE_BITCAST:
    return eval_convert(op->kind, from, to, (Rounding)op_int(op, ATTR_rounding),
                        x, out);
  default: return false;
  }
}

static Value *fold_constants(Builder *b, const Op *op) {
  Number x[3] = {{0}, {0}, {0}}, result = {0};
  if (!op->num_operands || op->num_operands > 3) return NULL;
  for (int i = 0; i < op->num_operands; i++) {
    if (!find_number(op_operand(op, i), &x[i])) return NULL;
  }
  if (!evaluate(op, x, &result)) return NULL;
  assert(type_is_float(op_result(op)->type) ||
         int_wrap(result.i, op_result(op)->type->elem) == result.i); // I4
  return build_number(b, op_result(op)->type, result);
}

// -- Identities --------------------------------------------------------------

static Value *zero_of(Builder *b, const Op *op) {
  return build_int(b, op_result(op)->type, 0);
}

// The operand x of x op y, if y is the constant `wanted`: on the right, or on
// either side if the op commutes.
static Value *other_than(const Op *op, int64_t wanted) {
  Value *x = op_operand(op, 0), *y = op_operand(op, 1);
  if (is_int(y, wanted)) return x;
  return op_has(op, TRAIT_COMMUTE) && is_int(x, wanted) ? y : NULL;
}

static bool has_zero(const Op *op) {
  return is_int(op_operand(op, 0), 0) || is_int(op_operand(op, 1), 0);
}

static Value *fold_int_pair(Builder *b, const Op *op) {
  Value *x = op_operand(op, 0), *y = op_operand(op, 1);
  const bool same = x == y;
  switch (op->kind) {
  case OP_addi: return other_than(op, 0);
  case OP_subi: return same ? zero_of(b, op) : other_than(op, 0);
  case OP_muli: return has_zero(op) ? zero_of(b, op) : other_than(op, 1);
  case OP_divui: return other_than(op, 1);
  case OP_divsi: return type_is_bool(x->type) ? NULL : other_than(op, 1);
  case OP_remui: return is_int(y, 1) ? zero_of(b, op) : NULL;
  case OP_remsi: return is_int(y, 1) || is_int(y, -1) ? zero_of(b, op) : NULL;
  case OP_andi:
    if (has_zero(op)) return zero_of(b, op);
    return same ? x : other_than(op, -1);
  case OP_ori:
    if (is_int(x, -1)) return x;
    return same || is_int(y, -1) ? y : other_than(op, 0);
  case OP_xori: return same ? zero_of(b, op) : other_than(op, 0);
  case OP_shli:
  case OP_shrui:
  case OP_shrsi: return is_int(x, 0) ? x : other_than(op, 0);
  case OP_maxui: return same ? x : other_than(op, 0);
  case OP_minui:
    if (has_zero(op)) return zero_of(b, op);
    return same ? x : other_than(op, -1);
  case OP_maxsi:
  case OP_minsi: return same ? x : NULL;
  default: return NULL;
  }
}

static Value *fold_float_pair(const Op *op) {
  Value *x = op_operand(op, 0), *y = op_operand(op, 1);
  switch (op->kind) {
  case OP_addf:
    if (is_float(x, -0.0)) return y;
    return is_float(y, -0.0) ? x : NULL;
  case OP_subf: return is_float(y, 0.0) ? x : NULL;
  case OP_mulf:
    if (is_float(x, 1)) return y;
    return is_float(y, 1) ? x : NULL;
  case OP_divf:
  case OP_divf_rn: return is_float(y, 1) ? x : NULL;
  case OP_maxf:
  case OP_minf:
  case OP_maximumf:
  case OP_minimumf: return x == y ? x : NULL;
  default: return NULL;
  }
}

// Folds a comparison of x, an integer or a pointer, with itself.
static Value *fold_compare(Builder *b, const Op *op) {
  if (op->kind != OP_cmpi || op_operand(op, 0) != op_operand(op, 1)) {
    return NULL;
  }
  Number result, zeros[2] = {{0}, {0}};
  eval_compare((Predicate)op_int(op, ATTR_predicate), ELEM_i64, zeros, &result);
  return build_number(b, op_result(op)->type, result);
}

static Value *fold_select(const Op *op) {
  Value *condition = op_operand(op, 0);
  Value *x = op_operand(op, 1), *y = op_operand(op, 2);
  if (x == y || same_constant(x, y)) return x;
  if (is_int(condition, 1)) return x;
  if (is_int(condition, 0)) return y;
  const bool itself =
      condition->type == x->type && is_int(x, 1) && is_int(y, 0);
  return itself ? condition : NULL;
}

// The value that the op `kind` got, if `op` is its inverse.
static Value *undone(const Op *op, OpKind kind) {
  const Op *inner = value_def(op_operand(op, 0), kind);
  if (!inner) return NULL;
  Value *x = op_operand(inner, 0);
  return x->type == op_result(op)->type ? x : NULL;
}

// Truncation of an extended float: a wider format has all its values, but an
// infinity may not convert back.
static Value *fold_truncf(const Op *op) {
  const bool may_differ = float_saturates_infinity(op_result(op)->type->elem);
  return may_differ ? NULL : undone(op, OP_extf);
}

static Value *fold_unary(const Op *op) {
  switch (op->kind) {
  case OP_trunci: {
    Value *x = undone(op, OP_extsi);
    return x ? x : undone(op, OP_extui);
  }
  case OP_truncf: return fold_truncf(op);
  case OP_bitcast:
    if (op_operand(op, 0)->type == op_result(op)->type) {
      return op_operand(op, 0);
    }
    return undone(op, OP_bitcast);
  case OP_ptrtoint: return undone(op, OP_inttoptr);
  case OP_inttoptr: return undone(op, OP_ptrtoint);
  case OP_negf: return undone(op, OP_negf);
  case OP_absf:
    return value_def(op_operand(op, 0), OP_absf) ? op_operand(op, 0) : NULL;
  default: return NULL;
  }
}

// -- Shapes ------------------------------------------------------------------

// If all elements of the operand are equal, those of the result are equal, too.
static Value *fold_uniform(Builder *b, const Op *op) {
  Number number;
  Value *x = op_operand(op, 0);
  const Type *type = op_result(op)->type;
  if (find_number(x, &number)) return build_number(b, type, number);
  const Op *splat = value_def(x, OP_splat);
  return splat ? build_splat(b, type, op_operand(splat, 0)) : NULL;
}

static bool is_identity(const Op *op) {
  if (op_operand(op, 0)->type != op_result(op)->type) return false;
  const int64_t *order = op_attr(op, ATTR_order)->as.ints.items;
  for (int i = 0; i < op_result(op)->type->rank; i++) {
    if (order[i] != i) return false;
  }
  return true;
}

static Value *fold_pair_shape(Builder *b, const Op *op) {
  Number number;
  const Value *x = op_operand(op, 0), *y = op_operand(op, 1);
  const bool alike = x == y || same_constant(x, y);
  if (!alike || !find_number(x, &number)) return NULL;
  return build_number(b, op_result(op)->type, number);
}

static Value *fold_shape(Builder *b, const Op *op) {
  switch (op->kind) {
  case OP_reshape:
  case OP_broadcast:
  case OP_convert_layout:
    if (op_operand(op, 0)->type == op_result(op)->type) {
      return op_operand(op, 0);
    }
    return fold_uniform(b, op);
  case OP_trans:
    return is_identity(op) ? op_operand(op, 0) : fold_uniform(b, op);
  case OP_expand_dims: return fold_uniform(b, op);
  case OP_splat: {
    Number number;
    if (!find_number(op_operand(op, 0), &number)) return NULL;
    return build_number(b, op_result(op)->type, number);
  }
  case OP_join:
  case OP_cat: return fold_pair_shape(b, op);
  case OP_arange: {
    const int64_t start = op_int(op, ATTR_start);
    if (op_int(op, ATTR_end) != start + 1) return NULL;
    return build_int(b, op_result(op)->type, start);
  }
  default: return NULL;
  }
}

static Value *fold_identity(Builder *b, const Op *op) {
  switch (op_info[op->kind].rule) {
  case RULE_INTS: return op->num_operands == 2 ? fold_int_pair(b, op) : NULL;
  case RULE_FLOATS:
    return op->num_operands == 2 ? fold_float_pair(op) : fold_unary(op);
  case RULE_COMPARE: return fold_compare(b, op);
  case RULE_SELECT: return fold_select(op);
  case RULE_ADDPTR:
    return is_int(op_operand(op, 1), 0) ? op_operand(op, 0) : NULL;
  default:
    return op_has(op, TRAIT_ELEMENTWISE) ? fold_unary(op) : fold_shape(b, op);
  }
}

Value *op_fold(Builder *b, const Op *op) {
  if (op->num_results != 1 || op->num_regions ||
      op_has(op, TRAIT_CONSTANT | TRAIT_KEEP)) {
    return NULL;
  }
  Value *value = fold_identity(b, op);
  assert((!value || value->type == op_result(op)->type) &&
         "an identity of another type"); // I1
  if (value || !op_has(op, TRAIT_ELEMENTWISE)) return value;
  return fold_constants(b, op);
}
