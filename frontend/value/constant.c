// constant.c -- Python's operators on compile-time constants.
#include "frontend/value/constant.h"

#include "frontend/errors.h"
#include "frontend/value/format.h"
#include "frontend/value/launch_options.h"

#include <assert.h>
#include <math.h>
#include <string.h>

bool constant_is_integer(const Object *x) {
  return x->kind == OBJECT_BOOL || x->kind == OBJECT_INT;
}

Integer constant_integer(const Object *x) {
  if (x->kind == OBJECT_BOOL) return x->as.truth;
  return x->kind == OBJECT_INT ? x->as.integer : 0;
}

double constant_number(const Object *x) {
  return x->kind == OBJECT_FLOAT ? x->as.number : (double)constant_integer(x);
}

bool constant_truth(const Object *x) {
  switch (x->kind) {
  case OBJECT_NONE: return false;
  case OBJECT_BOOL: return x->as.truth;
  case OBJECT_INT: return x->as.integer != 0;
  case OBJECT_FLOAT: return x->as.number != 0;
  case OBJECT_STRING: return x->as.string.length != 0;
  case OBJECT_TUPLE: return x->as.tuple.count != 0;
  case OBJECT_DICT: return x->as.dict.count != 0;
  case OBJECT_SET: return x->as.set.count != 0;
  default: return true;
  }
}

static const Object *fail(const ConstantContext *c, const char *what) {
  diag_error_text(c->diags, c->loc, what);
  return NULL;
}

static const Object *mismatch(const ConstantContext *c, const char *op,
                              const Object *a, const Object *b) {
  diag_error(c->diags, c->loc, ERROR_cannot_combine, op,
             object_text(c->arena, a), object_text(c->arena, b));
  return NULL;
}

static const Object *no_integers(const ConstantContext *c, const char *op,
                                 const Object *a, const Object *b) {
  diag_error(c->diags, c->loc, ERROR_operands_no_integers, op,
             object_text(c->arena, a), object_text(c->arena, b));
  return NULL;
}

// -- Integers ----------------------------------------------------------------

static Integer floor_divide(Integer a, Integer b) {
  const Integer q = a / b;
  return q * b != a && (a < 0) != (b < 0) ? q - 1 : q;
}

static bool shift_left(Integer a, Integer count, Integer *out) {
  *out = 0;
  if (!a) return true;
  if (count > 126) return false;
  return !__builtin_mul_overflow(a, (Integer)1 << count, out);
}

static bool power(Integer base, Integer exponent, Integer *out) {
  *out = 1;
  if (base == 0 || base == 1) {
    if (exponent) *out = base;
    return true;
  }
  if (base == -1) {
    *out = exponent % 2 ? -1 : 1;
    return true;
  }
  for (; exponent > 0; exponent--) {
    if (__builtin_mul_overflow(*out, base, out)) return false;
  }
  return true;
}

// A division by -1 is the only one whose result may not fit.
static bool divide(Integer a, Integer b, Integer *out) {
  if (b == -1) return !__builtin_sub_overflow((Integer)0, a, out);
  *out = floor_divide(a, b);
  return true;
}

static Integer modulo(Integer a, Integer b) {
  return b == -1 ? 0 : a - floor_divide(a, b) * b;
}

// False if the result does not fit.  Divisors are not 0, counts and exponents
// not negative.
static bool compute_integer(Operator op, Integer a, Integer b, Integer *out) {
  assert((op != OPERATOR_FLOORDIV && op != OPERATOR_MOD) || b != 0); // I5
  assert((op != OPERATOR_SHL && op != OPERATOR_SHR && op != OPERATOR_POW) ||
         b >= 0); // I5
  switch (op) {
  case OPERATOR_ADD: return !__builtin_add_overflow(a, b, out);
  case OPERATOR_SUB: return !__builtin_sub_overflow(a, b, out);
  case OPERATOR_MUL: return !__builtin_mul_overflow(a, b, out);
  case OPERATOR_FLOORDIV: return divide(a, b, out);
  case OPERATOR_MOD: *out = modulo(a, b); return true;
  case OPERATOR_POW: return power(a, b, out);
  case OPERATOR_SHL: return shift_left(a, b, out);
  case OPERATOR_SHR: *out = a >> (b > 126 ? 126 : b); return true;
  case OPERATOR_AND: *out = a & b; return true;
  case OPERATOR_OR: *out = a | b; return true;
  case OPERATOR_XOR: *out = a ^ b; return true;
  default: return false;
  }
}

static const Object *integer_binary(const ConstantContext *c, Operator op,
                                    const Object *x, const Object *y) {
  const Integer a = constant_integer(x), b = constant_integer(y);
  assert(constant_is_integer(x) && constant_is_integer(y)); // I10
  const bool shift = op == OPERATOR_SHL || op == OPERATOR_SHR;
  if (op == OPERATOR_MATMUL) return mismatch(c, operator_text[op], x, y);
  if ((op == OPERATOR_FLOORDIV || op == OPERATOR_MOD) && !b)
    return fail(c, ERROR_division_zero);
  if (shift && b < 0) return fail(c, ERROR_negative_shift_count);
  Integer result = 0;
  if (!compute_integer(op, a, b, &result))
    return fail(c, ERROR_integer_constant_too_big);
  const bool bits =
      op == OPERATOR_AND || op == OPERATOR_OR || op == OPERATOR_XOR;
  if (bits && x->kind == OBJECT_BOOL && y->kind == OBJECT_BOOL)
    return object_bool(result != 0);
  return object_int(c->arena, result);
}

// -- Floats ------------------------------------------------------------------

// The quotient rounded down, and the remainder, which has the sign of `b`.
// fmod() is exact, while a / b may round up to the next integer: 1.0 // 0.1 is
// 9.  If the quotient ends in .5, digits of `a - r` were lost; Python rounds it
// down.
static double float_divide(double a, double b, double *rest) {
  const double r = fmod(a, b);
  const bool below = r != 0 && (r < 0) != (b < 0);
  const double quotient = (a - r) / b - below;
  *rest = below ? r + b : r != 0 ? r : copysign(0, b);
  assert(b != 0 && (isnan(*rest) || !signbit(*rest) == !signbit(b))); // I10
  const double whole = floor(quotient);
  if (quotient == 0) return copysign(0, a / b);
  return quotient - whole > 0.5 ? whole + 1 : whole;
}

// `a ** b`.  An error, if Python raises an OverflowError or returns a complex
// number.
static const Object *float_power(const ConstantContext *c, double a, double b) {
  const double result = pow(a, b);
  if (isinf(result) && isfinite(a) && isfinite(b))
    return fail(c, ERROR_power_too_large);
  if (isnan(result) && !isnan(a) && !isnan(b))
    return fail(c, ERROR_power_not_real);
  return object_float(c->arena, result);
}

static const Object *quotient_of(const ConstantContext *c, const Object *x,
                                 const Object *y) {
  const Object *made =
      object_float(c->arena, constant_number(x) / constant_number(y));
  ((Object *)made)->is_quotient =
      constant_is_integer(x) && constant_is_integer(y);
  return made;
}

static const Object *float_binary(const ConstantContext *c, Operator op,
                                  const Object *x, const Object *y) {
  const double a = constant_number(x), b = constant_number(y);
  assert(object_is_number(x) && object_is_number(y)); // I10
  const bool divides =
      op == OPERATOR_DIV || op == OPERATOR_FLOORDIV || op == OPERATOR_MOD;
  const bool inverts = op == OPERATOR_POW && a == 0 && b < 0;
  if ((divides && b == 0) || inverts) return fail(c, ERROR_division_zero);
  double rest = 0;
  const double quotient = divides ? float_divide(a, b, &rest) : 0;
  switch (op) {
  case OPERATOR_ADD: return object_float(c->arena, a + b);
  case OPERATOR_SUB: return object_float(c->arena, a - b);
  case OPERATOR_MUL: return object_float(c->arena, a * b);
  case OPERATOR_DIV: return quotient_of(c, x, y);
  case OPERATOR_FLOORDIV: return object_float(c->arena, quotient);
  case OPERATOR_MOD: return object_float(c->arena, rest);
  case OPERATOR_POW: return float_power(c, a, b);
  case OPERATOR_MATMUL: return mismatch(c, operator_text[op], x, y);
  default: return no_integers(c, operator_text[op], x, y);
  }
}

// -- Strings and tuples ------------------------------------------------------

// Has the object no known text?  Iterators, views of dictionaries and sets of
// several items, whose order is unknown, have none.
static bool is_textless(const Object *x) {
  return (x->kind == OBJECT_SET && x->as.set.count > 1) || object_passes(x);
}

static bool is_enum_member(const Object *x) {
  return x->enum_kind != ENUM_NONE;
}

bool constant_shows(const ConstantContext *c, const Object *x, bool repr) {
  const Object *host = object_find_of_host(x);
  if (host)
    return diag_error(c->diags, c->loc, ERROR_computed_by_host,
                      host->as.symbol->name);
  const Object *member = object_find(x, is_enum_member);
  if (member && (repr || member != x || x->enum_kind != ENUM_NUMBERS))
    return diag_error_text(c->diags, c->loc, ERROR_enum_member);
  const Object *set = object_find(x, is_textless);
  return !set || diag_error(c->diags, c->loc, ERROR_set_has_no_order,
                            object_text(c->arena, set));
}

const Object *constant_string(const ConstantContext *c, const Str *text) {
  if (text->length > OBJECT_MAX_LENGTH) return fail(c, ERROR_string_too_long);
  return object_string(c->arena, str_text(text), text->length);
}

static const Object *concatenate_strings(const ConstantContext *c,
                                         const Object *a, const Object *b) {
  const size_t n = a->as.string.length, length = n + b->as.string.length;
  if (length > OBJECT_MAX_LENGTH) return fail(c, ERROR_string_too_long);
  char *text = arena_array(c->arena, char, length + 1);
  memcpy(text, a->as.string.text, n);
  memcpy(text + n, b->as.string.text, length - n);
  return object_string(c->arena, text, length);
}

static const Object *repeat_string(const ConstantContext *c, const Object *a,
                                   const Object *times) {
  const Integer count = constant_integer(times);
  const size_t n = a->as.string.length;
  if (count > 0 && n && count > (Integer)(OBJECT_MAX_LENGTH / n))
    return fail(c, ERROR_string_too_long);
  Str out = str_in(c->arena);
  for (Integer i = 0; n && i < count; i++)
    str_add_bytes(&out, a->as.string.text, n);
  return object_string(c->arena, str_text(&out), out.length);
}

static const Object *concatenate_tuples(const ConstantContext *c,
                                        const Object *a, const Object *b) {
  const int n = a->as.tuple.count, m = b->as.tuple.count;
  if (n + m > OBJECT_MAX_SIZE) return fail(c, ERROR_tuple_too_long);
  const Object **items = arena_array(c->arena, const Object *, n + m + 1);
  for (int i = 0; i < n; i++) items[i] = a->as.tuple.items[i];
  for (int i = 0; i < m; i++) items[n + i] = b->as.tuple.items[i];
  return object_written(
      object_tuple(c->arena, items, n + m),
      a->as.tuple.written == b->as.tuple.written ? a->as.tuple.written : 0);
}

static const Object *repeat_tuple(const ConstantContext *c, const Object *a,
                                  const Object *times) {
  const Integer count = constant_integer(times);
  const int n = a->as.tuple.count;
  if (count > 0 && n > OBJECT_MAX_SIZE / count)
    return fail(c, ERROR_tuple_too_long);
  const int repeats = count < 0 ? 0 : (int)count;
  assert(!n || repeats <= OBJECT_MAX_SIZE / n); // I10
  const Object **items = arena_array(c->arena, const Object *, n *repeats + 1);
  for (int i = 0; i < n * repeats; i++) items[i] = a->as.tuple.items[i % n];
  return object_written(object_tuple(c->arena, items, n * repeats),
                        a->as.tuple.written);
}

static const Object *repeat(const ConstantContext *c, const Object *a,
                            const Object *times) {
  return a->kind == OBJECT_TUPLE ? repeat_tuple(c, a, times)
                                 : repeat_string(c, a, times);
}

static bool is_sequence(const Object *x) {
  return x->kind == OBJECT_TUPLE || x->kind == OBJECT_STRING;
}

static const Object *sequence_binary(const ConstantContext *c, Operator op,
                                     const Object *a, const Object *b) {
  const bool add = op == OPERATOR_ADD, mul = op == OPERATOR_MUL;
  if (add && a->kind == OBJECT_STRING && b->kind == OBJECT_STRING)
    return concatenate_strings(c, a, b);
  if (add && a->kind == OBJECT_TUPLE && b->kind == OBJECT_TUPLE)
    return concatenate_tuples(c, a, b);
  if (mul && is_sequence(a) && constant_is_integer(b)) return repeat(c, a, b);
  if (mul && is_sequence(b) && constant_is_integer(a)) return repeat(c, b, a);
  if (op == OPERATOR_MOD && a->kind == OBJECT_STRING)
    return string_percent(c, a, b);
  return mismatch(c, operator_text[op], a, b);
}

const Object *constant_binary(const ConstantContext *c, Operator op,
                              const Object *a, const Object *b) {
  if (!object_is_number(a) || !object_is_number(b))
    return sequence_binary(c, op, a, b);
  const bool integers = constant_is_integer(a) && constant_is_integer(b);
  const bool inverse = op == OPERATOR_POW && constant_number(b) < 0;
  if (!integers || op == OPERATOR_DIV || inverse)
    return float_binary(c, op, a, b);
  return integer_binary(c, op, a, b);
}

const Object *constant_unary(const ConstantContext *c, UnaryOperator op,
                             const Object *x) {
  if (op == UNARY_NOT) return object_bool(!constant_truth(x));
  const Integer value = constant_integer(x);
  if (op == UNARY_INVERT && constant_is_integer(x))
    return object_int(c->arena, ~value);
  if (op != UNARY_INVERT && object_is_number(x)) {
    const bool negate = op == UNARY_NEG;
    if (x->kind == OBJECT_FLOAT)
      return negate ? object_float(c->arena, -x->as.number) : x;
    Integer result = value;
    if (negate && __builtin_sub_overflow((Integer)0, value, &result))
      return fail(c, ERROR_integer_constant_too_big);
    return object_int(c->arena, result);
  }
  diag_error(c->diags, c->loc,
             object_is_number(x) ? ERROR_operand_no_integer
                                 : ERROR_does_not_apply,
             unary_text[op], object_text(c->arena, x));
  return NULL;
}

// -- Comparisons -------------------------------------------------------------

static bool equal(const Object *a, const Object *b);

static bool equal_items(const Object *const *a, const Object *const *b,
                        int count) {
  for (int i = 0; i < count; i++) {
    if (!equal(a[i], b[i])) return false;
  }
  return true;
}

static bool has_entry(const Object *dict, const Object *key,
                      const Object *item) {
  for (int i = 0; i < dict->as.dict.count; i++) {
    if (equal(dict->as.dict.keys[i], key))
      return !item || equal(dict->as.dict.items[i], item);
  }
  return false;
}

static bool equal_dicts(const Object *a, const Object *b) {
  if (a->as.dict.count != b->as.dict.count) return false;
  for (int i = 0; i < a->as.dict.count; i++) {
    if (!has_entry(b, a->as.dict.keys[i], a->as.dict.items[i])) return false;
  }
  return true;
}

bool constant_set_has(const Object *set, const Object *x) {
  for (int i = 0; i < set->as.set.count; i++) {
    if (equal(set->as.set.items[i], x)) return true;
  }
  return false;
}

static bool is_subset(const Object *a, const Object *b) {
  for (int i = 0; i < a->as.set.count; i++) {
    if (!constant_set_has(b, a->as.set.items[i])) return false;
  }
  return true;
}

static bool equal(const Object *a, const Object *b) {
  if (a->kind == OBJECT_SET && b->kind == OBJECT_SET)
    return a->as.set.count == b->as.set.count && is_subset(a, b);
  if (a->kind == OBJECT_DICT && b->kind == OBJECT_DICT)
    return equal_dicts(a, b);
  if (object_is_number(a) && object_is_number(b))
    return !constant_order_numbers(a, b);
  if (a->kind != OBJECT_TUPLE || b->kind != OBJECT_TUPLE)
    return object_equal(a, b);
  const char x = a->as.tuple.written, y = b->as.tuple.written;
  if (x && y && x != y) return false; // a list never equals a tuple
  return a->as.tuple.count == b->as.tuple.count &&
         equal_items(a->as.tuple.items, b->as.tuple.items, a->as.tuple.count);
}

// Identity of constants: lists and dictionaries are compared as objects.
static bool same(const Object *a, const Object *b) {
  const bool list = a->kind == OBJECT_TUPLE && a->as.tuple.written == '[';
  if (list || a->kind == OBJECT_DICT || a->kind == OBJECT_SET) return a == b;
  return a->kind == b->kind && equal(a, b);
}

// `"B" in args` in a heuristic: further options of the launch are unknown.
static const Object *has_argument(const ConstantContext *c, CompareOperator op,
                                  const Object *a, const Object *args) {
  const char *name = a->as.string.text;
  for (int i = 0; i < args->as.named.count; i++) {
    if (strcmp(args->as.named.names[i], name) != 0) continue;
    return object_bool(args->as.named.given[i] == (op == COMPARE_IN));
  }
  if (!names_option(name)) return object_bool(op != COMPARE_IN);
  diag_error(c->diags, c->loc, ERROR_heuristic_value_unknown, name);
  return NULL;
}

static const Object *contains(const ConstantContext *c, CompareOperator op,
                              const Object *a, const Object *b) {
  bool found = false;
  if (b->kind == OBJECT_TUPLE) {
    for (int i = 0; i < b->as.tuple.count; i++)
      found = found || equal(a, b->as.tuple.items[i]);
  } else if (b->kind == OBJECT_DICT) {
    if (object_is_variable(b, a)) {
      diag_error(c->diags, c->loc, ERROR_computed_by_host, a->as.string.text);
      return NULL;
    }
    found = has_entry(b, a, NULL);
  } else if (b->kind == OBJECT_SET) {
    found = constant_set_has(b, a);
  } else if (a->kind == OBJECT_STRING && b->kind == OBJECT_STRING) {
    found = strstr(b->as.string.text, a->as.string.text) != NULL;
  } else if (a->kind == OBJECT_STRING && b->kind == OBJECT_NAMED &&
             b->as.named.given) {
    return has_argument(c, op, a, b);
  } else {
    return mismatch(c, compare_text[op], a, b);
  }
  return object_bool(found == (op == COMPARE_IN));
}

enum { UNORDERED = 3 };

// -1, 0 or 1 as Python orders numbers, strings and tuples (by the first items
// that differ); 2 for a NaN; else UNORDERED.
static int order(const Object *a, const Object *b) {
  while (a->kind == OBJECT_TUPLE && b->kind == OBJECT_TUPLE) {
    const int n = a->as.tuple.count, m = b->as.tuple.count;
    int i = 0;
    while (i < n && i < m && equal(a->as.tuple.items[i], b->as.tuple.items[i]))
      i++;
    if (i == n || i == m) return (n > m) - (n < m);
    const Object *x = a->as.tuple.items[i], *y = b->as.tuple.items[i];
    a = x;
    b = y;
  }
  if (a->kind == OBJECT_STRING && b->kind == OBJECT_STRING)
    return constant_order_strings(a, b);
  if (object_is_number(a) && object_is_number(b))
    return constant_order_numbers(a, b);
  return UNORDERED;
}

static bool holds(CompareOperator op, int order) {
  switch (op) {
  case COMPARE_LT: return order == -1;
  case COMPARE_LE: return order == -1 || order == 0;
  case COMPARE_GT: return order == 1;
  default: return order == 1 || order == 0; // GE
  }
}

// `a <= b` of sets: is one a subset of the other?
static bool includes(CompareOperator op, const Object *a, const Object *b) {
  const int n = a->as.set.count, m = b->as.set.count;
  switch (op) {
  case COMPARE_LT: return n < m && is_subset(a, b);
  case COMPARE_LE: return is_subset(a, b);
  case COMPARE_GT: return n > m && is_subset(b, a);
  default: return is_subset(b, a); // GE
  }
}

const Object *constant_compare(const ConstantContext *c, CompareOperator op,
                               const Object *a, const Object *b) {
  switch (op) {
  case COMPARE_EQ: return object_bool(equal(a, b));
  case COMPARE_NE: return object_bool(!equal(a, b));
  case COMPARE_IS: return object_bool(same(a, b));
  case COMPARE_IS_NOT: return object_bool(!same(a, b));
  case COMPARE_IN:
  case COMPARE_NOT_IN: return contains(c, op, a, b);
  default: break;
  }
  if (a->kind == OBJECT_SET && b->kind == OBJECT_SET)
    return object_bool(includes(op, a, b));
  const int found = order(a, b);
  if (found == UNORDERED) return mismatch(c, compare_text[op], a, b);
  return object_bool(holds(op, found));
}
