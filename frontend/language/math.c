// math.c -- arithmetic beyond the operators.
#include "frontend/core/builtins.h"
#include "frontend/core/walk.h"
#include "frontend/errors.h"
#include "frontend/language/language.h"

#include <math.h>

// Only fp32 and fp64 are allowed, as in Triton.
static bool check_wide_float(Walk *w, const BuiltinCall *c, int n,
                             const Object *x) {
  const Dtype d = x->as.tensor.dtype;
  if (dtype_is(d, DTYPE_FP32) || dtype_is(d, DTYPE_FP64)) return true;
  if (d.is_pointer) return argument_is_number(w, c, n);
  return diag_error(w->diags, c->locs[n], ERROR_wants_fp32_or_fp64,
                    c->info->name, text_of(w, x));
}

// In earlier releases methods also accepted 16 bits, as Triton did not check
// them: `x.exp()`, but not `tl.exp(x)`.  No GPU has sqrt_rn for halves.
static bool takes_half(const Walk *w, const BuiltinCall *c, Dtype d) {
  return c->is_method && c->info->data != OP_sqrt_rn &&
         (dtype_is(d, DTYPE_FP16) || dtype_is(d, DTYPE_BF16)) &&
         !rule_holds(w->program, RULE_methods_check_types);
}

const Object *builtin_float_op(Walk *w, const BuiltinCall *c) {
  const Object *x = argument_tensor(w, c, 0);
  if (!x) return NULL;
  const OpKind op = (OpKind)c->info->data;
  const Dtype dtype = x->as.tensor.dtype;
  if (takes_half(w, c, dtype)) {
    x = tensor_cast(w, c->loc, x, dtype_of(DTYPE_FP32));
    x = tensor_op(w, op, x->as.tensor.dtype, 1, &x);
    return tensor_cast(w, c->loc, x, dtype);
  }
  return check_wide_float(w, c, 0, x) ? tensor_op(w, op, dtype, 1, &x) : NULL;
}

static bool check_int(Walk *w, const BuiltinCall *c, int n, const Object *x) {
  const Dtype d = x->as.tensor.dtype;
  if (dtype_is_int(d) && dtype_bits(d) >= 32) return true;
  return diag_error(w->diags, c->locs[n], ERROR_wants_wide_integers,
                    c->info->name, text_of(w, x));
}

const Object *builtin_int_op(Walk *w, const BuiltinCall *c) {
  const Object *x = argument_tensor(w, c, 0);
  if (!x || !check_int(w, c, 0, x)) return NULL;
  x = tensor_op(w, (OpKind)c->info->data, x->as.tensor.dtype, 1, &x);
  return tensor_cast(w, c->loc, x, dtype_of(DTYPE_INT32));
}

const Object *builtin_reinterpret(Walk *w, const BuiltinCall *c) {
  const Object *x = argument_tensor(w, c, 0);
  if (!x) return NULL;
  return tensor_bitcast(w, c->locs[0], x, dtype_of((DtypeId)c->info->data));
}

static const Object *constant_abs(Walk *w, SrcLoc loc, const Object *x) {
  if (x->kind == OBJECT_FLOAT)
    return object_float(w->arena, fabs(x->as.number));
  const ConstantContext c = constant_context(w, loc);
  return constant_unary(&c, constant_integer(x) < 0 ? UNARY_NEG : UNARY_POS, x);
}

// Done on the bits, since a conversion to fp32 would change some NaNs.
static const Object *clear_sign(Walk *w, SrcLoc loc, const Object *x) {
  const Dtype byte = dtype_of(DTYPE_UINT8);
  const Object *bits = tensor_bitcast(w, loc, x, byte);
  const Object *mask =
      object_tensor(w->arena, build_int(&w->b, object_type(bits), 127), byte);
  bits = tensor_op(w, OP_andi, byte, 2, (const Object *[]){bits, mask});
  return tensor_bitcast(w, loc, bits, x->as.tensor.dtype);
}

const Object *builtin_abs(Walk *w, const BuiltinCall *c) {
  if (object_is_number(c->args[0]) && c->info->space == SPACE_PYTHON)
    return constant_abs(w, c->loc, c->args[0]);
  const Object *x = argument_tensor(w, c, 0);
  if (!x) return NULL;
  const Dtype d = x->as.tensor.dtype;
  if (dtype_is_fp8(d)) return clear_sign(w, c->locs[0], x);
  if (dtype_is_float(d)) return tensor_op(w, OP_absf, d, 1, &x);
  if (!dtype_is_int(d))
    return walk_error(w, c->locs[0], ERROR_wants_numbers, c->info->name,
                      text_of(w, x));
  return dtype_is_signed(d) ? tensor_op(w, OP_absi, d, 1, &x) : x;
}

// Functions of libdevice give each literal a type of its own.
static Typing typing_of(const Walk *w, const BuiltinCall *c) {
  return c->info->space == SPACE_LIBDEVICE ? (Typing){0}
                                           : typing_of_functions(w);
}

const Object *builtin_fma(Walk *w, const BuiltinCall *c) {
  const Object *x = c->args[0], *y = c->args[1], *z = c->args[2];
  for (int i = 0; i < 3; i++) {
    if (!argument_tensor(w, c, i) || !argument_is_number(w, c, i)) return NULL;
  }
  const char *name = c->info->name;
  if (!tensor_unify_three(w, c->loc, name, typing_of(w, c), &x, &y, &z))
    return NULL;
  const Dtype d = x->as.tensor.dtype;
  if (dtype_is_float(d))
    return tensor_op(w, OP_fma, d, 3, (const Object *[]){x, y, z});
  return walk_error(w, c->loc, ERROR_wants_floats, name, text_of(w, x));
}

// A constant gets the type of the other operand.
static bool check_divided(Walk *w, const BuiltinCall *c, int n,
                          const Object *x) {
  if (c->info->data == OP_divf_rn)
    return !object_is_tensor(c->args[n]) || check_wide_float(w, c, n, x);
  if (dtype_is_float(x->as.tensor.dtype)) return true;
  return diag_error(w->diags, c->locs[n], ERROR_wants_floats, c->info->name,
                    text_of(w, x));
}

// Converts the operands of a quotient to one type.
static bool divided(Walk *w, const BuiltinCall *c, const Object **x,
                    const Object **y) {
  const bool exact = c->info->data == OP_divf_rn;
  Typing typing = typing_of(w, c);
  if (!exact && c->info->space != SPACE_LIBDEVICE &&
      rule_holds(w->program, RULE_fdiv_promotes))
    typing.is_division = true;
  else if (!check_divided(w, c, 0, *x) || !check_divided(w, c, 1, *y))
    return false;
  if (typing.weak_literals) *x = c->args[0], *y = c->args[1];
  if (!tensor_unify(w, c->loc, c->info->name, typing, x, y)) return false;
  return exact ? check_wide_float(w, c, 0, *x) : check_divided(w, c, 0, *x);
}

static const Object *divide(Walk *w, const BuiltinCall *c, OpKind kind,
                            const Object *x, const Object *y) {
  if (!divided(w, c, &x, &y)) return NULL;
  return tensor_op(w, kind, x->as.tensor.dtype, 2, (const Object *[]){x, y});
}

const Object *builtin_fdiv(Walk *w, const BuiltinCall *c) {
  const Object *x = argument_tensor(w, c, 0), *y = argument_tensor(w, c, 1);
  bool exact, approximate;
  if (!x || !y || !argument_bool(w, c, 2, false, &exact) ||
      !argument_bool(w, c, 3, false, &approximate))
    return NULL;
  if (approximate && exact)
    return walk_error(w, c->locs[3], ERROR_fdiv_two_ways);
  return divide(w, c, exact ? OP_divf_rn : (OpKind)c->info->data, x, y);
}

const Object *builtin_umulhi(Walk *w, const BuiltinCall *c) {
  for (int i = 0; i < 2; i++) {
    const Object *operand = argument_tensor(w, c, i);
    const bool checked = object_is_tensor(c->args[i]); // literals are not
                                                       // checked
    if (!operand || (checked && !check_int(w, c, i, operand))) return NULL;
  }
  const Object *x = c->args[0], *y = c->args[1];
  if (!tensor_unify(w, c->loc, "umulhi", typing_of(w, c), &x, &y) ||
      !check_int(w, c, 0, x))
    return NULL;
  return tensor_op(w, OP_mulhui, x->as.tensor.dtype, 2,
                   (const Object *[]){x, y});
}

bool argument_propagates(const BuiltinCall *c, int n) {
  const Object *x = c->args[n];
  if (!x || x->kind != OBJECT_BUILTIN) return false;
  return x->as.builtin.info->data == 1;
}

const Object *builtin_extreme_of(Walk *w, const BuiltinCall *c) {
  for (int i = 0; i < 2; i++) {
    if (c->args[i]->kind != OBJECT_TENSOR && !object_is_number(c->args[i]) &&
        !argument_tensor(w, c, i))
      return NULL;
  }
  return tensor_extreme(w, c->loc, c->info->name, (Extreme)c->info->data,
                        argument_propagates(c, 2), c->args[0], c->args[1]);
}

const Object *builtin_clamp(Walk *w, const BuiltinCall *c) {
  for (int i = 0; i < 3; i++) {
    const Object *x = c->args[i];
    const bool is_value = object_is_tensor(x) || object_is_number(x);
    if (!is_value && !argument_tensor(w, c, i)) return NULL;
  }
  const bool nan = argument_propagates(c, 3);
  const Object *all[3]; // the limits come first
  for (int i = 0; i < 3; i++) {
    all[i] = widen_bf16(w, c->loc, c->args[(i + 1) % 3]);
    if (!all[i]) return NULL;
  }
  if (!tensor_unify_three(w, c->loc, "clamp", typing_of(w, c), &all[0], &all[1],
                          &all[2]))
    return NULL;
  const Object *low = all[0], *high = all[1], *x = all[2];
  if (!dtype_is_float(x->as.tensor.dtype) &&
      !rule_holds(w->program, RULE_clamp_of_integers))
    return walk_error(w, c->locs[0], ERROR_clamp_wants_floats, text_of(w, x));
  x = tensor_extreme(w, c->loc, "clamp", EXTREME_MAX, nan, x, low);
  if (x) x = tensor_extreme(w, c->loc, "clamp", EXTREME_MIN, nan, x, high);
  return x;
}

const Object *builtin_where(Walk *w, const BuiltinCall *c) {
  const Object *condition = argument_tensor(w, c, 0);
  if (condition && !w->trial && object_is_tensor(c->args[0]) &&
      !dtype_is(condition->as.tensor.dtype, DTYPE_INT1))
    diag_warning(w->diags, c->locs[0], WARNING_where_wants_int1,
                 text_of(w, condition));
  if (condition) condition = tensor_truth(w, c->locs[0], condition);
  if (!condition) return NULL;
  return tensor_select(w, c->loc, condition, c->args[1], c->args[2]);
}

static bool is_float(const Object *x) {
  return x->kind == OBJECT_FLOAT ||
         (object_is_tensor(x) && dtype_is_float(x->as.tensor.dtype));
}

// Does the operator add an integer to a pointer?
static bool moves_pointer(Operator op, const Object *x, const Object *y) {
  if (object_is_pointer(x)) return !object_is_pointer(y) && !is_float(y);
  return !object_is_pointer(y) || (op == OPERATOR_ADD && !is_float(x));
}

static bool is_fp8(const Object *x) {
  return object_is_tensor(x) && dtype_is_fp8(x->as.tensor.dtype);
}

static bool is_int(const Object *x) {
  return object_is_tensor(x) && dtype_is_int(x->as.tensor.dtype);
}

// A function has the errors of its operator for wrong operand types.
static bool check_operands(Walk *w, const BuiltinCall *c, Operator op) {
  const Object *x = c->args[0], *y = c->args[1];
  const char *name = c->info->name;
  if (!moves_pointer(op, x, y))
    return diag_error(w->diags, c->loc, ERROR_pointer_operand, name,
                      text_of(w, x), text_of(w, y));
  if ((is_fp8(x) && is_int(y)) || (is_fp8(y) && is_int(x)))
    return diag_error(w->diags, c->loc, ERROR_cannot_combine, name,
                      text_of(w, x), text_of(w, y));
  return true;
}

const Object *builtin_operator(Walk *w, const BuiltinCall *c) {
  const Operator op = (Operator)c->info->data;
  const bool moves = op == OPERATOR_ADD || op == OPERATOR_SUB; // a pointer
  for (int i = 0; i < 2; i++) {
    if (!argument_is_operand(w, c, i)) return NULL;
    if (!moves && !argument_is_number(w, c, i)) return NULL;
  }
  if (!arguments_broadcast(w, c, 2) || !check_operands(w, c, op)) return NULL;
  const bool outer = w->checks_overflow;
  bool checks;
  if (!argument_bool(w, c, 2, true, &checks)) return NULL;
  w->checks_overflow = outer && checks;
  const Object *result = binary(w, c->loc, op, c->args[0], c->args[1]);
  w->checks_overflow = outer;
  return result;
}

const Object *builtin_logical(Walk *w, const BuiltinCall *c) {
  const Object *x = argument_tensor(w, c, 0), *y = argument_tensor(w, c, 1);
  if (x) x = tensor_logical(w, c->locs[0], c->info->name, x);
  if (y) y = tensor_logical(w, c->locs[1], c->info->name, y);
  if (x && y && !arguments_broadcast(w, c, 2)) return NULL;
  return x && y ? binary(w, c->loc, (Operator)c->info->data, x, y) : NULL;
}

// Integers of different signedness cannot be divided.  The dividend has the
// common type of both, as library.tile adds them first.
static bool check_signs(Walk *w, const BuiltinCall *c, int i, int j) {
  const Object *x = c->args[i], *y = c->args[j];
  if (!object_is_tensor(x) || !object_is_tensor(y)) return true;
  const Dtype divisor = y->as.tensor.dtype;
  Dtype sum, quotient;
  if (!dtype_compute(x->as.tensor.dtype, false, divisor, false, NO_QUOTIENT,
                     &sum) ||
      dtype_compute(sum, false, divisor, false, QUOTIENT, &quotient))
    return true;
  return diag_error(w->diags, c->loc, ERROR_mixed_signs, c->info->name,
                    text_of(w, x), text_of(w, y));
}

// Checks that both operands are integers; constants may be any numbers.
static bool check_divisible(Walk *w, const BuiltinCall *c, int count) {
  bool all_known = true;
  for (int i = 0; i < count; i++) {
    if (!argument_is_operand(w, c, i) || !argument_is_number(w, c, i))
      return false;
    all_known = all_known && !object_is_tensor(c->args[i]);
  }
  for (int i = 0; i < count && !all_known; i++) {
    if (is_float(c->args[i]))
      return diag_error(w->diags, c->locs[i], ERROR_wants_integers,
                        c->info->name, text_of(w, c->args[i]));
    for (int j = 0; j < i; j++) {
      if (!check_signs(w, c, j, i)) return false;
    }
  }
  return arguments_broadcast(w, c, count);
}

// (x + (div - 1)) // div
const Object *builtin_cdiv(Walk *w, const BuiltinCall *c) {
  const Object *one = object_int(w->arena, 1);
  if (!check_divisible(w, c, 2)) return NULL;
  const Object *x = binary(w, c->loc, OPERATOR_SUB, c->args[1], one);
  if (x) x = binary(w, c->loc, OPERATOR_ADD, c->args[0], x);
  return x ? binary(w, c->loc, OPERATOR_FLOORDIV, x, c->args[1]) : NULL;
}

// 1 / (1 + exp(-x))
const Object *builtin_sigmoid(Walk *w, const BuiltinCall *c) {
  const Object *one = object_int(w->arena, 1);
  const Object *x = argument_tensor(w, c, 0);
  if (!x || !check_wide_float(w, c, 0, x)) return NULL;
  x = tensor_unary(w, c->loc, UNARY_NEG, x);
  x = tensor_op(w, OP_exp, x->as.tensor.dtype, 1, &x);
  x = binary(w, c->loc, OPERATOR_ADD, one, x);
  return x ? binary(w, c->loc, OPERATOR_DIV, one, x) : NULL;
}

static const Object *is_infinite(Walk *w, const BuiltinCall *c,
                                 const Object *x) {
  const Dtype d = x->as.tensor.dtype;
  const Object *inf = tensor_constant(w, d, object_float(w->arena, INFINITY));
  x = tensor_op(w, OP_absf, d, 1, &x);
  return compare(w, c->loc, c->info->data == 'f' ? COMPARE_LT : COMPARE_EQ, x,
                 inf);
}

const Object *builtin_classify(Walk *w, const BuiltinCall *c) {
  const Object *x = argument_tensor(w, c, 0);
  if (!x || !check_wide_float(w, c, 0, x)) return NULL;
  return c->info->data == 'n' ? compare(w, c->loc, COMPARE_NE, x, x)
                              : is_infinite(w, c, x);
}

const Object *builtin_next_power_of_2(Walk *w, const BuiltinCall *c) {
  int64_t n;
  if (!argument_int(w, c, 0, 0, &n)) return NULL;
  Integer power = n > 0; // as in Triton, 0 if n is not positive
  while (power < n) power *= 2;
  return object_int(w->arena, power);
}

const Object *builtin_log2_of_int(Walk *w, const BuiltinCall *c) {
  int64_t n, log = 0;
  if (!argument_int(w, c, 0, 0, &n)) return NULL;
  for (; n > 1; n >>= 1) log++;
  return object_int(w->arena, log);
}

// Converts indices of a row-major matrix to those of a column-major one, within
// groups of size_g rows.
const Object *builtin_swizzle2d(Walk *w, const BuiltinCall *c) {
  const Object *i = c->args[0], *j = c->args[1], *size_i = c->args[2];
  const Object *size_j = c->args[3], *size_g = c->args[4];
  const Object *ij, *group, *off, *x, *y, *both[2];
  const SrcLoc l = c->loc;
  if (!check_divisible(w, c, 5)) return NULL;
  if (!(ij = binary(w, l, OPERATOR_MUL, i, size_j)) ||
      !(ij = binary(w, l, OPERATOR_ADD, ij, j)) ||
      !(group = binary(w, l, OPERATOR_MUL, size_g, size_j)) ||
      !(off = binary(w, l, OPERATOR_FLOORDIV, ij, group)) ||
      !(off = binary(w, l, OPERATOR_MUL, off, size_g)) ||
      !(x = binary(w, l, OPERATOR_SUB, size_i, off)) ||
      !(size_g = tensor_extreme(w, l, "min", EXTREME_MIN, false, x, size_g)) ||
      !(ij = binary(w, l, OPERATOR_MOD, ij, group)) ||
      !(x = binary(w, l, OPERATOR_MOD, ij, size_g)) ||
      !(x = binary(w, l, OPERATOR_ADD, off, x)) ||
      !(y = binary(w, l, OPERATOR_FLOORDIV, ij, size_g)))
    return NULL;
  both[0] = x, both[1] = y;
  return object_written(object_tuple(w->arena, both, 2), '(');
}
