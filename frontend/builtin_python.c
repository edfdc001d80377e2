// builtin_python.c -- functions of Python over tuples and constants.
#include "frontend/builtins.h"
#include "frontend/errors.h"
#include "frontend/tensor.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const Object *not_a_tuple(Walk *w, const BuiltinCall *c, int n,
                                 const Object *x) {
  return walk_error(w, c->locs[n], ERROR_wants_tuple, c->info->name,
                    text_of(w, x));
}

static const Object *pair(Walk *w, const Object *x, const Object *y) {
  return object_tuple(w->arena, (const Object *[]){x, y}, 2);
}

const Object *builtin_enumerate(Walk *w, const BuiltinCall *c) {
  const Object *all = c->args[0];
  int64_t start;
  if (all->kind != OBJECT_TUPLE) return not_a_tuple(w, c, 0, all);
  if (!argument_int(w, c, 1, 0, &start)) return NULL;
  const int n = all->as.tuple.count;
  const Object **items = arena_array(w->arena, const Object *, n + 1);
  for (int i = 0; i < n; i++)
    items[i] = pair(w, object_int(w->arena, (Integer)start + i),
                    all->as.tuple.items[i]);
  return object_tuple(w->arena, items, n);
}

static const Object *column(Walk *w, const BuiltinCall *c, int row) {
  const Object **items = arena_array(w->arena, const Object *, c->num_rest + 1);
  for (int i = 0; i < c->num_rest; i++)
    items[i] = c->rest[i]->as.tuple.items[row];
  return object_tuple(w->arena, items, c->num_rest);
}

const Object *builtin_zip(Walk *w, const BuiltinCall *c) {
  int n = 0;
  for (int i = 0; i < c->num_rest; i++) {
    const Object *x = c->rest[i];
    if (x->kind != OBJECT_TUPLE) return not_a_tuple(w, c, 0, x);
    n = !i || x->as.tuple.count < n ? x->as.tuple.count : n;
  }
  const Object **items = arena_array(w->arena, const Object *, n + 1);
  for (int i = 0; i < n; i++) items[i] = column(w, c, i);
  return object_tuple(w->arena, items, n);
}

const Object *builtin_map(Walk *w, const BuiltinCall *c) {
  const Object *function = c->args[0], *all = c->args[1];
  if (!object_is_callable(function))
    return walk_error(w, c->locs[0], ERROR_cannot_called, text_of(w, function));
  if (all->kind != OBJECT_TUPLE) return not_a_tuple(w, c, 1, all);
  const int n = all->as.tuple.count;
  const Object **items = arena_array(w->arena, const Object *, n + 1);
  for (int i = 0; i < n; i++) {
    Argument item = {NULL, all->as.tuple.items[i], c->locs[1], c->locs[1]};
    items[i] = call_object(w, function, c->loc, &(Arguments){&item, 1, 1});
    if (!items[i]) return NULL;
  }
  return object_tuple(w->arena, items, n);
}

// -- Rounding ----------------------------------------------------------------

// `value` to a multiple of ten to the `power`, 1 or more; a tie to the even
// one.
static double round_to_tens(double value, int64_t power) {
  char text[400];
  const int length = snprintf(text, sizeof text, "%.0f", trunc(fabs(value)));
  if (power > length) return copysign(0, value);
  if (power < length) {
    snprintf(text, sizeof text, "%.*e", length - 1 - (int)power, value);
    return strtod(text, NULL);
  }
  snprintf(text, sizeof text, "5e%d", (int)power - 1);
  const bool up = fabs(value) > strtod(text, NULL);
  snprintf(text, sizeof text, "1e%d", (int)power);
  return copysign(up ? strtod(text, NULL) : 0, value);
}

// By the decimal digits of the number as it is: 2.675 is a little less.
static double round_to_digits(double value, int64_t digits) {
  enum { MAX_DIGITS = 323 }; // no number has more that count
  char text[800];
  if (!isfinite(value) || digits > MAX_DIGITS) return value;
  if (digits < -MAX_DIGITS) return copysign(0, value);
  if (digits < 0) return round_to_tens(value, -digits);
  snprintf(text, sizeof text, "%.*f", (int)digits, value);
  return strtod(text, NULL);
}

static Integer round_integer(Integer value, int64_t digits) {
  enum { MAX_POWER = 38 };
  if (digits < -MAX_POWER) return 0;
  Integer unit = 1;
  for (; digits < 0; digits++) unit *= 10;
  const Integer over = value % unit, rest = over < 0 ? over + unit : over;
  const Integer below = value - rest;
  const bool odd = below / unit % 2 != 0;
  const bool up = rest > unit - rest || (rest == unit - rest && odd);
  return up && rest ? below + unit : below;
}

// A constant becomes an integer unless it says how many digits it keeps.
static const Object *round_constant(Walk *w, const BuiltinCall *c,
                                    const Object *x) {
  int64_t digits;
  if (!argument_int(w, c, 1, 0, &digits)) return NULL;
  if (constant_is_integer(x))
    return object_int(w->arena, round_integer(constant_integer(x), digits));
  const double value = x->as.number;
  if (!argument_absent(c, 1))
    return object_float(w->arena, round_to_digits(value, digits));
  const double whole = rint(value);
  if (fabs(whole) < 0x1p100) return object_int(w->arena, (Integer)whole);
  return walk_error(w, c->locs[0], ERROR_round_no_integer, text_of(w, x));
}

const Object *builtin_python_round(Walk *w, const BuiltinCall *c) {
  const Object *x = c->args[0];
  if (object_is_number(x)) return round_constant(w, c, x);
  x = argument_tensor(w, c, 0);
  if (!x || dtype_is_int(x->as.tensor.dtype)) return x;
  if (!dtype_is_float(x->as.tensor.dtype))
    return walk_error(w, c->locs[0], ERROR_round_wants_number, text_of(w, x));
  return tensor_op(w, OP_rint, x->as.tensor.dtype, 1, &x);
}

// -- Tuples ------------------------------------------------------------------

static const Object *sorted_insert(Walk *w, const BuiltinCall *c,
                                   const Object **items, int n, const Object *x,
                                   bool reverse) {
  int at = n;
  for (; at > 0; at--) {
    const Object *before = reverse ? items[at - 1] : x;
    const Object *after = reverse ? x : items[at - 1];
    const Object *less = compare(w, c->loc, COMPARE_LT, before, after);
    if (!less || object_is_tensor(less)) return NULL;
    if (!constant_truth(less)) break;
    items[at] = items[at - 1];
  }
  return items[at] = x;
}

const Object *builtin_sorted(Walk *w, const BuiltinCall *c) {
  const Object *all = c->args[0];
  bool reverse;
  if (all->kind != OBJECT_TUPLE) return not_a_tuple(w, c, 0, all);
  if (!argument_bool(w, c, 1, false, &reverse)) return NULL;
  const int n = all->as.tuple.count;
  const Object **items = arena_array(w->arena, const Object *, n + 1);
  for (int i = 0; i < n; i++) {
    const Object *x = all->as.tuple.items[i];
    if (object_is_tensor(x))
      return walk_error(w, c->locs[0], ERROR_pow_wants_constants,
                        c->info->name);
    if (!sorted_insert(w, c, items, i, x, reverse)) return NULL;
  }
  return walk_own(w, object_tuple(w->arena, items, n), '[');
}

const Object *builtin_reversed(Walk *w, const BuiltinCall *c) {
  const Object *all = c->args[0];
  if (all->kind != OBJECT_TUPLE) return not_a_tuple(w, c, 0, all);
  const int n = all->as.tuple.count;
  const Object **items = arena_array(w->arena, const Object *, n + 1);
  for (int i = 0; i < n; i++) items[i] = all->as.tuple.items[n - 1 - i];
  return object_tuple(w->arena, items, n);
}

// any() and all() of constants.
const Object *builtin_any(Walk *w, const BuiltinCall *c) {
  const Object *all = c->args[0];
  const bool wanted = c->info->data != 0;
  if (all->kind != OBJECT_TUPLE) return not_a_tuple(w, c, 0, all);
  for (int i = 0; i < all->as.tuple.count; i++) {
    const Object *x = all->as.tuple.items[i];
    if (object_is_tensor(x))
      return walk_error(w, c->locs[0], ERROR_pow_wants_constants,
                        c->info->name);
    if (!walk_decides(w, c->locs[0], x)) return NULL;
    if (constant_truth(x) == wanted) return object_bool(wanted);
  }
  return object_bool(!wanted);
}

const Object *builtin_python_pow(Walk *w, const BuiltinCall *c) {
  return binary(w, c->loc, OPERATOR_POW, c->args[0], c->args[1]);
}

const Object *builtin_divmod(Walk *w, const BuiltinCall *c) {
  if (object_is_tensor(c->args[0]) || object_is_tensor(c->args[1]))
    return walk_error(w, c->loc, ERROR_pow_wants_constants, c->info->name);
  const Object *quotient =
      binary(w, c->loc, OPERATOR_FLOORDIV, c->args[0], c->args[1]);
  const Object *rest =
      quotient ? binary(w, c->loc, OPERATOR_MOD, c->args[0], c->args[1]) : NULL;
  return rest ? pair(w, quotient, rest) : NULL;
}

const Object *builtin_slice(Walk *w, const BuiltinCall *c) {
  Object *slice = arena_new(w->arena, Object);
  slice->kind = OBJECT_SLICE;
  for (int i = 0; i < 3; i++) slice->as.slice[i] = c->args[i];
  return slice;
}

// index and count of a tuple.
const Object *builtin_tuple_find(Walk *w, const BuiltinCall *c) {
  const Object *all = c->args[0];
  Integer count = 0;
  for (int i = 0; i < all->as.tuple.count; i++) {
    const Object *same =
        compare(w, c->loc, COMPARE_EQ, all->as.tuple.items[i], c->args[1]);
    if (!same) return NULL;
    if (object_is_tensor(same))
      return walk_error(w, c->locs[1], ERROR_pow_wants_constants,
                        c->info->name);
    if (!constant_truth(same)) continue;
    if (c->info->data == 'i') return object_int(w->arena, i);
    count++;
  }
  if (c->info->data == 'c') return object_int(w->arena, count);
  return walk_error(w, c->locs[1], ERROR_item_not_found,
                    text_of(w, c->args[1]));
}
