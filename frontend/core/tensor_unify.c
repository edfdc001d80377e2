// tensor_unify.c -- the common type and shape of operands.
#include "frontend/core/tensor.h"

#include "frontend/core/builtins.h"
#include "frontend/core/walk.h"
#include "frontend/errors.h"

#include <assert.h>
#include <string.h>

static bool is_value(const Object *x) {
  return object_is_number(x) || (object_is_tensor(x) && !object_is_window(x));
}

static bool is_bitwise(const char *what) {
  return !strcmp(what, operator_text[OPERATOR_AND]) ||
         !strcmp(what, operator_text[OPERATOR_OR]) ||
         !strcmp(what, operator_text[OPERATOR_XOR]) ||
         !strcmp(what, operator_text[OPERATOR_SHL]) ||
         !strcmp(what, operator_text[OPERATOR_SHR]);
}

static bool is_operator(const char *what) {
  int op = 0;
  while (op < OPERATOR_COUNT && strcmp(what, operator_text[op]) != 0) op++;
  return op < OPERATOR_COUNT;
}

const Object *tensor_mismatch(Walk *w, SrcLoc loc, const char *what,
                              const Object *x, const Object *y) {
  const char *a = text_of(w, x), *b = text_of(w, y);
  const bool values = is_value(x) && is_value(y);
  if (!strcmp(what, operator_text[OPERATOR_MATMUL]))
    return walk_error(w, loc, ERROR_wants_dot, a, b);
  const bool sum = !strcmp(what, operator_text[OPERATOR_ADD]) ||
                   !strcmp(what, operator_text[OPERATOR_SUB]);
  if (sum && object_is_block_pointer(x))
    return walk_error(w, loc, ERROR_block_pointer_operand, what, a, b);
  if (x->kind == OBJECT_STRING && !strcmp(what, operator_text[OPERATOR_MOD]))
    return walk_error(w, loc, ERROR_f_string_shows_constants_only, "'%'", b);
  const bool pointers =
      values && (object_is_pointer(x) || object_is_pointer(y));
  if (pointers && is_operator(what)) {
    walk_error(w, loc, ERROR_pointer_operand, what, a, b);
    note_quotient(w, object_is_pointer(x) ? y : x);
    return NULL;
  }
  const bool same =
      !strcmp(what, "where") || !strcmp(what, "==") || !strcmp(what, "!=");
  if (pointers && same)
    return walk_error(w, loc, ERROR_pointer_types_differ, what, a, b);
  if (pointers && !strcmp(a, b))
    return walk_error(w, loc, ERROR_takes_no_pointers, what, a, b);
  if (values && is_bitwise(what))
    return walk_error(w, loc, ERROR_operands_no_integers, what, a, b);
  return walk_error(w, loc, ERROR_cannot_combine, what, a, b);
}

// -- One type and shape for both operands ------------------------------------

Typing typing_of_functions(const Walk *w) {
  return (Typing){.weak_literals =
                      rule_holds(w->program, RULE_literals_are_weak)};
}

// Does an integer literal fit the integer type of the other operand?
static bool check_literal(Walk *w, SrcLoc loc, const Object *number,
                          Dtype dtype) {
  if (!constant_is_integer(number) || !dtype_is_int(dtype)) return true;
  const Integer value = constant_integer(number), one = 1;
  const int bits = dtype_bits(dtype);
  const bool sign = dtype_is_signed(dtype);
  const Integer high = one << (sign ? bits - 1 : bits);
  if (value < high && value >= (sign ? -high : 0)) return true;
  return diag_error(w->diags, loc, ERROR_constant_does_not_fit,
                    text_of(w, number), dtype_text(w->arena, dtype));
}

// The type of one operand, or of several together.
typedef struct {
  const Object *of; // one of the operands, for messages
  Dtype dtype;
  bool weak;
} OperandType;

static bool operand_of(Walk *w, SrcLoc loc, Typing typing, const Object *x,
                       OperandType *out) {
  *out = (OperandType){.of = x,
                       .weak = typing.weak_literals && !object_is_tensor(x)};
  return tensor_dtype(w, loc, x, &out->dtype);
}

static Quotient quotient_of(const Walk *w, Typing typing) {
  if (!typing.is_division) return NO_QUOTIENT;
  return rule_holds(w->program, RULE_quotients_are_fp32) ? QUOTIENT_OF_FP8
                                                         : QUOTIENT;
}

// Finds the type of the computation; pointers keep theirs.
static bool pick_dtype(Walk *w, SrcLoc loc, const char *what, Typing typing,
                       OperandType a, OperandType b, Dtype *out) {
  const Quotient quotient = quotient_of(w, typing);
  const bool fp8_and_int =
      (dtype_is_fp8(a.dtype) && dtype_is_int(b.dtype) && !b.weak) ||
      (dtype_is_fp8(b.dtype) && dtype_is_int(a.dtype) && !a.weak);
  if (fp8_and_int && quotient != QUOTIENT_OF_FP8)
    return tensor_mismatch(w, loc, what, a.of, b.of) != NULL;
  if (dtype_compute(a.dtype, a.weak, b.dtype, b.weak, quotient, out))
    return true;
  return diag_error(w->diags, loc, ERROR_mixed_signs, what, text_of(w, a.of),
                    text_of(w, b.of));
}

static const Object *convert(Walk *w, SrcLoc loc, Typing typing,
                             const Object *x, Dtype dtype) {
  if (object_is_tensor(x)) return tensor_cast(w, loc, x, dtype);
  if (!typing.weak_literals) {
    const Object *strong = to_tensor(w, loc, x);
    return strong ? tensor_cast(w, loc, strong, dtype) : NULL;
  }
  if (!check_literal(w, loc, x, dtype)) return NULL;
  return tensor_constant(w, dtype, x);
}

static bool check_operands(Walk *w, SrcLoc loc, const char *what, Typing typing,
                           const Object *x, const Object *y) {
  const Object *both[2] = {x, y};
  for (int i = 0; i < 2; i++) {
    const bool pointer = object_is_pointer(both[i]) && !typing.pointers;
    const bool number = object_is_number(both[i]) || object_is_tensor(both[i]);
    if (!number || pointer || object_is_window(both[i]))
      return tensor_mismatch(w, loc, what, x, y) != NULL;
  }
  return true;
}

// A pointer and an offset, or two pointers of one type.
static bool unify_pointers(Walk *w, SrcLoc loc, const char *what,
                           const Object **x, const Object **y) {
  const Object *a = to_tensor(w, loc, *x), *b = to_tensor(w, loc, *y);
  if (!a || !b) return false;
  const Dtype s = a->as.tensor.dtype, t = b->as.tensor.dtype;
  const bool fine = s.is_pointer && t.is_pointer
                        ? dtype_equal(s, t)
                        : dtype_is_int(s.is_pointer ? t : s);
  if (!fine) return tensor_mismatch(w, loc, what, a, b) != NULL;
  *x = a, *y = b;
  return tensor_broadcast(w, loc, what, x, y);
}

bool tensor_unify(Walk *w, SrcLoc loc, const char *what, Typing typing,
                  const Object **x, const Object **y) {
  if (!check_operands(w, loc, what, typing, *x, *y)) return false;
  if (object_is_pointer(*x) || object_is_pointer(*y))
    return unify_pointers(w, loc, what, x, y);
  OperandType left, right;
  Dtype dtype;
  if (!operand_of(w, loc, typing, *x, &left) ||
      !operand_of(w, loc, typing, *y, &right) ||
      !pick_dtype(w, loc, what, typing, left, right, &dtype))
    return false;
  const Object *a = convert(w, loc, typing, *x, dtype);
  const Object *b = a ? convert(w, loc, typing, *y, dtype) : NULL;
  if (!b) return false;
  assert(dtype_equal(a->as.tensor.dtype, b->as.tensor.dtype)); // I4
  *x = a, *y = b;
  return tensor_broadcast(w, loc, what, x, y);
}

// Literals among the three get a common type first.
static bool pick_of_three(Walk *w, SrcLoc loc, const char *what, Typing typing,
                          const Object *const *all, Dtype *out) {
  OperandType found[2], next; // of the tensors, of the literals
  bool has[2] = {false, false};
  for (int i = 0; i < 3; i++) {
    if (!operand_of(w, loc, typing, all[i], &next)) return false;
    OperandType *sum = &found[next.weak];
    if (has[next.weak] &&
        !pick_dtype(w, loc, what, typing, *sum, next, &next.dtype))
      return false;
    has[next.weak] = true;
    *sum = next;
  }
  assert(has[0] || has[1]); // I4
  *out = found[!has[0]].dtype;
  return !has[0] || !has[1] ||
         pick_dtype(w, loc, what, typing, found[0], found[1], out);
}

bool tensor_unify_three(Walk *w, SrcLoc loc, const char *what, Typing typing,
                        const Object **x, const Object **y, const Object **z) {
  if (!typing.weak_literals)
    return tensor_unify(w, loc, what, typing, x, y) &&
           tensor_unify(w, loc, what, typing, z, x) &&
           tensor_unify(w, loc, what, typing, z, y);
  const Object *all[] = {*x, *y, *z};
  Dtype dtype;
  if (!check_operands(w, loc, what, typing, *x, *y) ||
      !check_operands(w, loc, what, typing, *x, *z) ||
      !pick_of_three(w, loc, what, typing, all, &dtype))
    return false;
  for (int i = 0; i < 3; i++) {
    if (!(all[i] = convert(w, loc, typing, all[i], dtype))) return false;
  }
  *x = all[0], *y = all[1], *z = all[2];
  return tensor_broadcast(w, loc, what, x, y) &&
         tensor_broadcast(w, loc, what, x, z) &&
         tensor_broadcast(w, loc, what, y, z);
}
