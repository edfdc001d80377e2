// functions.c -- functions of Python over tuples and constants.
#include "frontend/core/builtins.h"
#include "frontend/errors.h"
#include "frontend/python/python.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const Object *not_a_tuple(Walk *w, const BuiltinCall *c, int n,
                                 const Object *x) {
  return walk_error(w, c->locs[n], ERROR_wants_tuple, c->info->name,
                    text_of(w, x));
}

// The items of argument `n`, as a tuple; NULL after a diagnostic.
static const Object *items_of(Walk *w, const BuiltinCall *c, int n) {
  const Object *all = walk_iterable(w, c->args[n]);
  return all ? all : not_a_tuple(w, c, n, c->args[n]);
}

// The same if the order does not matter: a set is allowed, too.
static const Object *members_of(Walk *w, const BuiltinCall *c, int n) {
  const Object *all = walk_members(w, c->args[n]);
  return all ? all : not_a_tuple(w, c, n, c->args[n]);
}

// The same for each argument of the `*name` parameter `n`; `least` and `most`
// are the lengths of the shortest and the longest.
static const Object *const *all_items(Walk *w, const BuiltinCall *c, int n,
                                      int *least, int *most) {
  const Object **all = arena_array(w->arena, const Object *, c->num_rest + 1);
  *least = *most = 0;
  for (int i = 0; i < c->num_rest; i++) {
    all[i] = walk_iterable(w, c->rest[i]);
    if (!all[i]) {
      not_a_tuple(w, c, n, c->rest[i]);
      return NULL;
    }
    const int count = all[i]->as.tuple.count;
    *least = !i || count < *least ? count : *least;
    *most = count > *most ? count : *most;
  }
  return all;
}

static const Object *pair(Walk *w, const Object *x, const Object *y) {
  return object_written(object_tuple(w->arena, (const Object *[]){x, y}, 2),
                        '(');
}

const Object *builtin_enumerate(Walk *w, const BuiltinCall *c) {
  const Object *all = items_of(w, c, 0);
  int64_t start;
  if (!all) return NULL;
  if (!argument_int(w, c, 1, 0, &start)) return NULL;
  const int n = all->as.tuple.count;
  const Object **items = arena_array(w->arena, const Object *, n + 1);
  for (int i = 0; i < n; i++)
    items[i] = pair(w, object_int(w->arena, (Integer)start + i),
                    all->as.tuple.items[i]);
  return object_iterator(object_tuple(w->arena, items, n));
}

static const Object *column(Walk *w, const Object *const *all, int count,
                            int row) {
  const Object **items = arena_array(w->arena, const Object *, count + 1);
  for (int i = 0; i < count; i++) items[i] = all[i]->as.tuple.items[row];
  return object_written(object_tuple(w->arena, items, count), '(');
}

const Object *builtin_zip(Walk *w, const BuiltinCall *c) {
  int n, most;
  bool strict;
  const Object *const *all = all_items(w, c, 0, &n, &most);
  if (!all || !argument_bool(w, c, 1, false, &strict)) return NULL;
  if (strict && n != most)
    return walk_error(w, c->loc, ERROR_zip_lengths, n, most);
  const Object **items = arena_array(w->arena, const Object *, n + 1);
  for (int i = 0; i < n; i++) items[i] = column(w, all, c->num_rest, i);
  return object_iterator(object_tuple(w->arena, items, n));
}

// The result of `function`, called with the items as its arguments.
static const Object *call_with(Walk *w, const BuiltinCall *c,
                               const Object *function, const Object *items) {
  Arguments args = {0};
  for (int i = 0; i < items->as.tuple.count; i++)
    vec_push(w->arena, &args,
             ((Argument){NULL, items->as.tuple.items[i], c->loc, c->loc}));
  return w->language->call_value(w, function, c->loc, &args);
}

const Object *builtin_map(Walk *w, const BuiltinCall *c) {
  int n, most;
  const Object *const *all = all_items(w, c, 1, &n, &most);
  if (!all) return NULL;
  if (!c->num_rest)
    return walk_error(w, c->loc, ERROR_wants_values, c->info->name);
  const Object **items = arena_array(w->arena, const Object *, n + 1);
  const int run = w->run;
  walk_be_lazy(w);
  bool ok = true;
  for (int i = 0; ok && i < n; i++) {
    items[i] = call_with(w, c, c->args[0], column(w, all, c->num_rest, i));
    ok = items[i] && walk_keep_iterator(w, c->loc, items[i]);
  }
  w->run = run;
  if (!ok) return NULL;
  return object_iterator(object_tuple(w->arena, items, n));
}

// -- Rounding ----------------------------------------------------------------

// `value` rounded to a multiple of ten to the `power`, 1 or more; a tie goes to
// the even multiple.
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

// Rounds the exact value of the double: the double of 2.675 is a little less
// than 2.675.
static double round_to_digits(double value, int64_t digits) {
  enum { MAX_DIGITS = 323 }; // no double has more significant digits
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

// A constant becomes an integer, unless the call gives a number of digits.
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
  if (x && !argument_absent(c, 1))
    return walk_error(w, c->locs[0], ERROR_round_digits, text_of(w, x));
  if (!x || dtype_is_int(x->as.tensor.dtype)) return x;
  if (!dtype_is_float(x->as.tensor.dtype))
    return walk_error(w, c->locs[0], ERROR_round_wants_number, text_of(w, x));
  return tensor_op(w, OP_rint, x->as.tensor.dtype, 1, &x);
}

// -- Tuples ------------------------------------------------------------------

// The sort key of item `x`: argument `n` of the call, applied to `x`; without
// that argument, `x` itself.  NULL after a diagnostic.
static const Object *key_of(Walk *w, const BuiltinCall *c, const Object *x,
                            int n) {
  if (!argument_absent(c, n))
    x = call_with(w, c, c->args[n], object_tuple(w->arena, &x, 1));
  if (!x || !object_is_tensor(x)) return x;
  return walk_error(w, c->locs[0], ERROR_pow_wants_constants, c->info->name);
}

// 1: less, 0: not less, -1: failed.
static int is_less(Walk *w, const BuiltinCall *c, const Object *x,
                   const Object *y) {
  const Object *less = compare(w, c->loc, COMPARE_LT, x, y);
  return !less || object_is_tensor(less) ? -1 : constant_truth(less);
}

// Inserts `x` into the `n` sorted items by its key.
static bool sorted_insert(Walk *w, const BuiltinCall *c, const Object **items,
                          const Object **keys, int n, const Object *x,
                          bool reverse) {
  const Object *key = key_of(w, c, x, 1);
  int at = n;
  for (; key && at > 0; at--) {
    const int less = reverse ? is_less(w, c, keys[at - 1], key)
                             : is_less(w, c, key, keys[at - 1]);
    if (less < 0) return false;
    if (!less) break;
    items[at] = items[at - 1];
    keys[at] = keys[at - 1];
  }
  items[at] = x;
  keys[at] = key;
  return key != NULL;
}

const Object *builtin_sorted(Walk *w, const BuiltinCall *c) {
  const Object *all =
      argument_absent(c, 1) ? members_of(w, c, 0) : items_of(w, c, 0);
  bool reverse;
  if (!all || !argument_bool(w, c, 2, false, &reverse)) return NULL;
  const int n = all->as.tuple.count;
  const Object **items = arena_array(w->arena, const Object *, n + 1);
  const Object **keys = arena_array(w->arena, const Object *, n + 1);
  for (int i = 0; i < n; i++) {
    if (!walk_count(w, c->loc) ||
        !sorted_insert(w, c, items, keys, i, all->as.tuple.items[i], reverse))
      return NULL;
  }
  return walk_own(w, object_tuple(w->arena, items, n), '[');
}

// min() and max() of constants by a key function.
static const Object *extreme_by_key(Walk *w, const BuiltinCall *c,
                                    const Object *all) {
  const bool max = c->info->data == EXTREME_MAX;
  const Object *best = all->as.tuple.items[0];
  const Object *key = key_of(w, c, best, 2);
  for (int i = 1; key && i < all->as.tuple.count; i++) {
    const Object *x = all->as.tuple.items[i], *other = key_of(w, c, x, 2);
    const int better = !other ? -1
                       : max  ? is_less(w, c, key, other)
                              : is_less(w, c, other, key);
    if (better < 0) return NULL;
    if (!better) continue;
    best = x;
    key = other;
  }
  return key ? best : NULL;
}

// min() and max(): of constants as in Python, of tensors as tl.minimum() and
// tl.maximum().
const Object *builtin_python_extreme(Walk *w, const BuiltinCall *c) {
  const bool plain = argument_absent(c, 2);
  const Object *one = c->num_rest != 1 ? NULL
                      : plain          ? walk_members(w, c->rest[0])
                                       : walk_iterable(w, c->rest[0]);
  if (c->num_rest == 1 && !one && !object_is_tensor(c->rest[0]))
    return not_a_tuple(w, c, 0, c->rest[0]);
  const Object *all = one ? one : object_tuple(w->arena, c->rest, c->num_rest);
  const int n = all->as.tuple.count;
  if (c->args[3] && !one)
    return walk_error(w, c->loc, ERROR_default_of_several, c->info->name);
  if (n < 1 && c->args[3]) return c->args[3];
  if (n < 1) return walk_error(w, c->loc, ERROR_wants_values, c->info->name);
  if (!argument_absent(c, 2)) return extreme_by_key(w, c, all);
  const Object *x = all->as.tuple.items[0];
  for (int i = 1; x && i < n; i++)
    x = w->language->extreme(w, c, x, all->as.tuple.items[i]);
  return x;
}

const Object *builtin_reversed(Walk *w, const BuiltinCall *c) {
  const Object *all = items_of(w, c, 0);
  if (!all) return NULL;
  const int n = all->as.tuple.count;
  const Object **items = arena_array(w->arena, const Object *, n + 1);
  for (int i = 0; i < n; i++) items[i] = all->as.tuple.items[n - 1 - i];
  return object_iterator(object_tuple(w->arena, items, n));
}

// any() and all() of constants.
const Object *builtin_any(Walk *w, const BuiltinCall *c) {
  const Object *all = members_of(w, c, 0);
  const bool wanted = c->info->data != 0;
  if (!all) return NULL;
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
  if (!argument_absent(c, 2)) {
    for (int i = 0; i < 3; i++)
      if (object_is_tensor(c->args[i]))
        return walk_error(w, c->locs[i], ERROR_pow_wants_constants,
                          c->info->name);
    return w->language->library(w, c, "_pow_modulo");
  }
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
  if (c->info->space == SPACE_PYTHON && !c->args[1]) {
    slice->as.slice[1] = c->args[0]; // slice(end): a single argument is the end
    return slice;
  }
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
