// tensor_ops.c -- operators on run-time values, with Triton's typing.
#include "frontend/core/tensor.h"
#include "frontend/core/walk.h"
#include "frontend/errors.h"

#include "frontend/core/builtins.h"

#include <assert.h>

// -- Arithmetic --------------------------------------------------------------

static const Object *op_in_fp32(Walk *w, OpKind kind, Dtype dtype, int count,
                                const Object *const *operands) {
  const Object *wide[3];
  const Dtype fp32 = dtype_of(DTYPE_FP32);
  for (int i = 0; i < count; i++)
    wide[i] = tensor_cast(w, w->b.loc, operands[i], fp32);
  const Object *result = tensor_op(w, kind, fp32, count, wide);
  return tensor_cast(w, w->b.loc, result, dtype);
}

const Object *tensor_op(Walk *w, OpKind kind, Dtype dtype, int count,
                        const Object *const *operands) {
  if (dtype_is_fp8(dtype)) return op_in_fp32(w, kind, dtype, count, operands);
  Value *values[3];
  assert(0 < count && count <= 3); // I4
  for (int i = 0; i < count; i++) {
    assert(object_type(operands[i]) == object_type(operands[0])); // I4
    values[i] = operands[i]->as.tensor.value;
  }
  Value *result = build_value(&w->b, kind, count, values, values[0]->type);
  return object_tensor(w->arena, result, dtype);
}

typedef struct {
  OpKind floats, signeds, unsigneds; // OP_COUNT: not defined for these
} OpChoice;

static const OpChoice choices[OPERATOR_COUNT] = {
    [OPERATOR_ADD] = {OP_addf, OP_addi, OP_addi},
    [OPERATOR_SUB] = {OP_subf, OP_subi, OP_subi},
    [OPERATOR_MUL] = {OP_mulf, OP_muli, OP_muli},
    [OPERATOR_MATMUL] = {OP_COUNT, OP_COUNT, OP_COUNT},
    [OPERATOR_DIV] = {OP_divf, OP_COUNT, OP_COUNT},
    [OPERATOR_FLOORDIV] = {OP_COUNT, OP_divsi, OP_divui},
    [OPERATOR_MOD] = {OP_remf, OP_remsi, OP_remui},
    [OPERATOR_POW] = {OP_COUNT, OP_COUNT, OP_COUNT},
    [OPERATOR_SHL] = {OP_COUNT, OP_shli, OP_shli},
    [OPERATOR_SHR] = {OP_COUNT, OP_shrsi, OP_shrui},
    [OPERATOR_AND] = {OP_COUNT, OP_andi, OP_andi},
    [OPERATOR_XOR] = {OP_COUNT, OP_xori, OP_xori},
    [OPERATOR_OR] = {OP_COUNT, OP_ori, OP_ori},
};

static OpKind choose(OpChoice choice, Dtype dtype) {
  assert((dtype_is_float(dtype) || dtype_is_int(dtype)) &&
         "no op computes with pointers or void"); // I4
  if (dtype_is_float(dtype)) return choice.floats;
  return dtype_is_signed(dtype) ? choice.signeds : choice.unsigneds;
}

// `>>` is arithmetic if the left operand is signed, for any type of the
// computation.
static OpKind choose_for(Operator op, const Object *left, Dtype dtype) {
  const bool shift = op == OPERATOR_SHR && object_is_tensor(left);
  const bool sign =
      shift && dtype_is_int(dtype) && dtype_is_signed(left->as.tensor.dtype);
  return sign ? OP_shrsi : choose(choices[op], dtype);
}

static const Object *zero_like(Walk *w, const Object *x) {
  return object_tensor(w->arena, build_int(&w->b, object_type(x), 0),
                       x->as.tensor.dtype);
}

static const Object *negate_offset(Walk *w, const Object *x) {
  return tensor_op(w, OP_subi, x->as.tensor.dtype, 2,
                   (const Object *[]){zero_like(w, x), x});
}

// Pointer offsets count elements and are signed, so an unsigned one is widened
// first.
static const Object *add_pointer(Walk *w, SrcLoc loc, Operator op,
                                 const Object *x, const Object *y) {
  if (!object_is_pointer(x) && op == OPERATOR_ADD) {
    const Object *t = x;
    x = y, y = t;
  }
  if (object_is_pointer(y) || !object_is_pointer(x))
    return tensor_mismatch(w, loc, operator_text[op], x, y);
  const Dtype offset = y->as.tensor.dtype;
  if (!dtype_is_signed(offset) && dtype_bits(offset) < 64)
    y = tensor_cast(w, loc, y, dtype_of(DTYPE_INT64));
  if (y && op == OPERATOR_SUB) y = negate_offset(w, y);
  if (!y) return NULL;
  assert(object_type(x)->rank == object_type(y)->rank); // I4
  Value *sum = build_addptr(&w->b, object_type(x), x->as.tensor.value,
                            y->as.tensor.value);
  return object_tensor(w->arena, sum, x->as.tensor.dtype);
}

// Is `x op y` an integer division by a literal 0?
static bool divides_by_zero(Operator op, const Object *x, const Object *y) {
  if (op != OPERATOR_FLOORDIV && op != OPERATOR_MOD) return false;
  if (!constant_is_integer(y) || constant_integer(y) != 0) return false;
  return object_is_tensor(x) && dtype_is_int(x->as.tensor.dtype);
}

// `x ** n` with a constant integer `n`, by squaring.
static const Object *constant_power(Walk *w, SrcLoc loc, const Object *x,
                                    int64_t n) {
  const Object *number = object_int(w->arena, 1), *result = NULL;
  const Object *one = tensor_constant(w, x->as.tensor.dtype, number);
  for (int64_t rest = n < 0 ? -n : n; rest; rest /= 2) {
    if (rest % 2)
      result = result ? tensor_binary(w, loc, OPERATOR_MUL, result, x) : x;
    if (rest > 1) x = tensor_binary(w, loc, OPERATOR_MUL, x, x);
    if (!x) return NULL;
  }
  if (!result && !tensor_broadcast(w, loc, "**", &one, &x)) return NULL;
  if (!result) return one;
  return n < 0 ? tensor_binary(w, loc, OPERATOR_DIV, one, result) : result;
}

static const Object *power(Walk *w, SrcLoc loc, const Object *x,
                           const Object *y) {
  enum { MAX_CONSTANT = 64 };
  int64_t n;
  const bool is_float =
      object_is_tensor(x) && dtype_is_float(x->as.tensor.dtype);
  const bool fits = object_is_tensor(x) && !object_is_pointer(x) &&
                    !object_is_window(x) && !object_is_tensor(y) &&
                    object_constant_int(y, &n) && n <= MAX_CONSTANT;
  if (fits && n >= (is_float ? -MAX_CONSTANT : 0))
    return constant_power(w, loc, x, n);
  const Typing typing = {.weak_literals = true};
  if (!tensor_unify(w, loc, "**", typing, &x, &y)) return NULL;
  const bool ints = dtype_is_int(x->as.tensor.dtype);
  return w->language->library_two(
      w, loc, ints ? "_integer_power" : "_float_power", x, y);
}

const Object *tensor_binary(Walk *w, SrcLoc loc, Operator op, const Object *x,
                            const Object *y) {
  if (op == OPERATOR_POW) return power(w, loc, x, y);
  if (divides_by_zero(op, x, y) && !w->trial)
    diag_warning(w->diags, loc, WARNING_divides_by_zero, operator_text[op]);
  const Object *x0 = x, *y0 = y;
  const bool sum = op == OPERATOR_ADD || op == OPERATOR_SUB;
  const Typing typing = {.weak_literals = true,
                         .pointers = sum,
                         .is_division = op == OPERATOR_DIV ||
                                        op == OPERATOR_FLOORDIV ||
                                        op == OPERATOR_MOD};
  if (!tensor_unify(w, loc, operator_text[op], typing, &x, &y)) return NULL;
  if (object_is_pointer(x) || object_is_pointer(y))
    return add_pointer(w, loc, op, x, y);
  if (op == OPERATOR_DIV && dtype_is_int(x->as.tensor.dtype)) {
    x = tensor_cast(w, loc, x, dtype_of(DTYPE_FP32));
    y = tensor_cast(w, loc, y, dtype_of(DTYPE_FP32));
  }
  const Dtype dtype = x->as.tensor.dtype;
  const OpKind kind = choose_for(op, x0, dtype);
  if (kind == OP_COUNT && op == OPERATOR_FLOORDIV && dtype_is_float(dtype))
    return walk_error(w, loc, ERROR_floor_of_floats, text_of(w, x0),
                      text_of(w, y0));
  if (kind == OP_COUNT)
    return tensor_mismatch(w, loc, operator_text[op], x0, y0);
  if (!check_overflow(w, loc, op, x, y)) return NULL;
  return tensor_op(w, kind, dtype, 2, (const Object *[]){x, y});
}

const Object *tensor_unary(Walk *w, SrcLoc loc, UnaryOperator op,
                           const Object *x) {
  const Dtype dtype = x->as.tensor.dtype;
  if (op == UNARY_NOT) {
    const Object *truth = tensor_logical(w, loc, unary_text[op], x);
    return truth ? tensor_unary(w, loc, UNARY_INVERT, truth) : NULL;
  }
  const bool fits = !dtype.is_pointer && !object_is_window(x) &&
                    (op != UNARY_INVERT || dtype_is_int(dtype));
  const bool number = !dtype.is_pointer && !object_is_window(x);
  if (!fits)
    return walk_error(w, loc,
                      number ? ERROR_operand_no_integer : ERROR_does_not_apply,
                      unary_text[op], text_of(w, x));
  if (op == UNARY_POS) return x;
  if (op == UNARY_NEG && dtype_is_float(dtype))
    return tensor_op(w, OP_negf, dtype, 1, &x);
  if (op == UNARY_NEG && w->checks_overflow &&
      !check_overflow(w, loc, OPERATOR_SUB, zero_like(w, x), x))
    return NULL;
  if (op == UNARY_NEG) return negate_offset(w, x);
  const Object *ones =
      object_tensor(w->arena, build_int(&w->b, object_type(x), -1), dtype);
  return tensor_op(w, OP_xori, dtype, 2, (const Object *[]){x, ones});
}

// -- Comparisons -------------------------------------------------------------

static Predicate predicate_of(CompareOperator op, bool is_unsigned) {
  assert(op != COMPARE_IS && op != COMPARE_IS_NOT && op != COMPARE_IN &&
         op != COMPARE_NOT_IN); // I4
  switch (op) {
  case COMPARE_LT: return is_unsigned ? PREDICATE_ult : PREDICATE_lt;
  case COMPARE_LE: return is_unsigned ? PREDICATE_ule : PREDICATE_le;
  case COMPARE_GT: return is_unsigned ? PREDICATE_ugt : PREDICATE_gt;
  case COMPARE_GE: return is_unsigned ? PREDICATE_uge : PREDICATE_ge;
  case COMPARE_NE: return PREDICATE_ne;
  default: return PREDICATE_eq;
  }
}

const Object *tensor_comparison(Walk *w, SrcLoc loc, CompareOperator op,
                                const Object *x, const Object *y) {
  if (op == COMPARE_IS || op == COMPARE_IS_NOT)
    return tensor_identity(w, loc, op, x, y);
  if (op == COMPARE_IN || op == COMPARE_NOT_IN)
    return walk_error(w, loc, ERROR_in_run_time, compare_text[op],
                      text_of(w, x), text_of(w, y));
  const bool equality = op == COMPARE_EQ || op == COMPARE_NE;
  if (equality && (x->kind == OBJECT_NONE || y->kind == OBJECT_NONE))
    return walk_error(w, loc, ERROR_compares_none, compare_text[op],
                      text_of(w, x->kind == OBJECT_NONE ? y : x),
                      op == COMPARE_EQ ? "is" : "is not");
  Typing typing = typing_of_functions(w);
  typing.pointers = equality && object_is_pointer(x) && object_is_pointer(y);
  if (!tensor_unify(w, loc, compare_text[op], typing, &x, &y)) return NULL;
  if (dtype_is_fp8(x->as.tensor.dtype)) {
    x = tensor_cast(w, loc, x, dtype_of(DTYPE_FP32));
    y = tensor_cast(w, loc, y, dtype_of(DTYPE_FP32));
  }
  const Dtype dtype = x->as.tensor.dtype;
  const bool is_float = dtype_is_float(dtype);
  assert(object_type(x) == object_type(y)); // I4
  const Predicate p = predicate_of(op, !is_float && !dtype_is_signed(dtype));
  Value *result = build_cmp(&w->b, is_float ? OP_cmpf : OP_cmpi, p,
                            x->as.tensor.value, y->as.tensor.value);
  return object_tensor(w->arena, result, dtype_of(DTYPE_INT1));
}

// -- Operands of any kind ----------------------------------------------------

const Object *binary_at(Walk *w, SrcLoc whole, SrcLoc loc, Operator op,
                        const Object *x, const Object *y) {
  w->b.loc = whole;
  if (x->kind == OBJECT_TUPLE && x->as.tuple.class) {
    bool has;
    const Object *result = w->language->operate(w, loc, op, x, y, &has);
    if (has) return result;
  }
  if (object_is_tensor(x) || object_is_tensor(y))
    return tensor_binary(w, loc, op, x, y);
  if (x->enum_kind == ENUM_PURE || y->enum_kind == ENUM_PURE)
    return walk_error(w, loc, ERROR_enum_member);
  const ConstantContext c = constant_context(w, loc);
  return constant_binary(&c, op, x, y);
}

const Object *binary(Walk *w, SrcLoc loc, Operator op, const Object *x,
                     const Object *y) {
  return binary_at(w, loc, loc, op, x, y);
}

const Object *unary(Walk *w, SrcLoc loc, UnaryOperator op, const Object *x) {
  if (!walk_decides(w, loc, x)) return NULL;
  w->b.loc = loc;
  if (object_is_tensor(x)) return tensor_unary(w, loc, op, x);
  const ConstantContext c = constant_context(w, loc);
  return constant_unary(&c, op, x);
}

const Object *compare_at(Walk *w, SrcLoc whole, SrcLoc loc, CompareOperator op,
                         const Object *x, const Object *y) {
  if (!walk_compares(w, loc, x, y)) return NULL;
  w->b.loc = whole;
  const bool tuples = x->kind == OBJECT_TUPLE && y->kind == OBJECT_TUPLE;
  const bool equality = op == COMPARE_EQ || op == COMPARE_NE;
  const bool looks = op == COMPARE_IN || op == COMPARE_NOT_IN;
  const bool constant = object_is_constant(x) && object_is_constant(y);
  if (tuples && equality && !constant) return tensor_tuples(w, loc, op, x, y);
  if (object_is_tensor(x) || object_is_tensor(y) || (looks && !constant))
    return tensor_comparison(w, loc, op, x, y);
  const ConstantContext c = constant_context(w, loc);
  return constant_compare(&c, op, x, y);
}

const Object *compare(Walk *w, SrcLoc loc, CompareOperator op, const Object *x,
                      const Object *y) {
  return compare_at(w, loc, loc, op, x, y);
}

// -- Selection ---------------------------------------------------------------

const Object *widen_bf16(Walk *w, SrcLoc loc, const Object *x) {
  const bool is_bf16 =
      object_is_tensor(x) && dtype_is(x->as.tensor.dtype, DTYPE_BF16);
  if (!is_bf16 || rule_holds(w->program, RULE_bf16_is_kept)) return x;
  return tensor_cast(w, loc, x, dtype_of(DTYPE_FP32));
}

const Object *tensor_extreme(Walk *w, SrcLoc loc, const char *what,
                             Extreme which, bool propagate_nan, const Object *x,
                             const Object *y) {
  static const OpChoice ops[2][2] = {
      {{OP_maxf, OP_maxsi, OP_maxui}, {OP_maximumf, OP_maxsi, OP_maxui}},
      {{OP_minf, OP_minsi, OP_minui}, {OP_minimumf, OP_minsi, OP_minui}}};
  if (!(x = widen_bf16(w, loc, x)) || !(y = widen_bf16(w, loc, y)) ||
      !tensor_unify(w, loc, what, typing_of_functions(w), &x, &y))
    return NULL;
  const Dtype dtype = x->as.tensor.dtype;
  const OpKind kind = choose(ops[which][propagate_nan], dtype);
  return tensor_op(w, kind, dtype, 2, (const Object *[]){x, y});
}

const Object *tensor_select(Walk *w, SrcLoc loc, const Object *condition,
                            const Object *x, const Object *y) {
  const Typing typing = {.weak_literals = true, .pointers = true};
  if (object_is_pointer(x) != object_is_pointer(y))
    return tensor_mismatch(w, loc, "where", x, y);
  if (!tensor_unify(w, loc, "where", typing, &x, &y)) return NULL;
  if (object_is_tile(condition)) {
    if (!tensor_broadcast(w, loc, "where", &condition, &x) ||
        !tensor_broadcast(w, loc, "where", &x, &y))
      return NULL;
  } else if (object_is_tile(x)) {
    const Type *type = object_type(x);
    condition = tensor_broadcast_to(w, loc, condition, type->rank, type->shape);
  }
  assert(object_type(x) == object_type(y));                     // I4
  assert(object_type(condition)->rank == object_type(x)->rank); // I4
  assert(dtype_is(condition->as.tensor.dtype, DTYPE_INT1));     // I4
  Value *result =
      build_select(&w->b, object_type(x), condition->as.tensor.value,
                   x->as.tensor.value, y->as.tensor.value);
  return object_tensor(w->arena, result, x->as.tensor.dtype);
}
