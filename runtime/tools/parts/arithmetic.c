// arithmetic.c -- arithmetic expressions in the values of options.
#include "runtime/tools/parts/arithmetic.h"

#include "ir/base/base.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WORD "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789."

enum { MAX_DEPTH = 100 };

static const char too_large[] = "a number past 64 bits";

static WideNumber power(Arithmetic *a);
static WideNumber sum(Arithmetic *a);

static WideNumber integer(WideInt i) {
  return (WideNumber){.i = i};
}

static WideNumber real(double f) {
  return (WideNumber){.is_float = true, .f = f};
}

static double as_real(WideNumber n) {
  return n.is_float ? n.f : (double)n.i;
}

static WideNumber fail(Arithmetic *a, const char *why) {
  if (!arithmetic_failed(a)) a->why = why;
  return integer(0);
}

static WideNumber fail_wanted(Arithmetic *a, const char *wanted) {
  if (!arithmetic_failed(a)) a->wanted = wanted;
  return integer(0);
}

// -- Operators ---------------------------------------------------------------

static WideNumber combine(Arithmetic *a, char operation, WideNumber x,
                          WideNumber y) {
  WideInt i = 0;
  bool overflows = false;
  const bool is_float = x.is_float || y.is_float;
  const double f = as_real(x), g = as_real(y);
  switch (operation) {
  case '+':
    if (is_float) return real(f + g);
    overflows = __builtin_add_overflow(x.i, y.i, &i);
    break;
  case '-':
    if (is_float) return real(f - g);
    overflows = __builtin_sub_overflow(x.i, y.i, &i);
    break;
  default:
    if (is_float) return real(f * g);
    overflows = __builtin_mul_overflow(x.i, y.i, &i);
  }
  return overflows ? fail(a, too_large) : integer(i);
}

static WideNumber divide_reals(double x, double y, bool remainder) {
  const double rest = fmod(x, y);
  const bool down = rest && (rest < 0) != (y < 0);
  const double above = rest + (down ? y : 0);
  return real(remainder ? above : rint((x - above) / y));
}

// The quotient rounded down, or the remainder, with the sign of `y`.
static WideNumber divide(Arithmetic *a, WideNumber x, WideNumber y,
                         bool remainder) {
  if (arithmetic_failed(a)) return integer(0);
  if (!as_real(y)) return fail(a, "a division by zero");
  if (x.is_float || y.is_float)
    return divide_reals(as_real(x), as_real(y), remainder);
  if (y.i == -1) // overflows for the least number
    return remainder ? integer(0) : combine(a, '-', integer(0), x);
  const bool down = x.i % y.i && (x.i < 0) != (y.i < 0);
  const WideInt rest = x.i % y.i + (down ? y.i : 0);
  assert(!rest || (rest < 0) == (y.i < 0)); // I3
  return integer(remainder ? rest : x.i / y.i - down);
}

static WideNumber quotient(Arithmetic *a, WideNumber x, WideNumber y) {
  if (arithmetic_failed(a)) return integer(0);
  if (a->find) return fail(a, "a division of integers is '//'");
  return as_real(y) ? real(as_real(x) / as_real(y))
                    : fail(a, "a division by zero");
}

static WideNumber negate(Arithmetic *a, WideNumber x) {
  return x.is_float ? real(-x.f) : combine(a, '-', integer(0), x);
}

static WideNumber raise_real(Arithmetic *a, double x, double y) {
  if (a->find) return fail(a, "a power that is no whole number");
  if (!x && y < 0) return fail(a, "a division by zero");
  const double result = pow(x, y);
  return isnan(result) ? fail(a, "a power that is no real number")
                       : real(result);
}

static WideNumber raise(Arithmetic *a, WideNumber x, WideNumber y) {
  if (arithmetic_failed(a)) return integer(0);
  if (x.is_float || y.is_float || y.i < 0)
    return raise_real(a, as_real(x), as_real(y));
  WideNumber result = integer(1);
  if (x.i >= -1 && x.i <= 1) // -1, 0 and 1 never overflow
    return y.i ? integer(y.i % 2 ? x.i : x.i * x.i) : result;
  for (WideInt k = 0; k < y.i && !a->why; k++)
    result = combine(a, '*', result, x);
  return result;
}

// -- Names -------------------------------------------------------------------

static WideNumber round_up(Arithmetic *a, WideNumber x, WideNumber y) {
  const WideNumber rest = divide(a, x, y, true);
  const WideNumber down = divide(a, x, y, false);
  return rest.i ? combine(a, '+', down, integer(1)) : down;
}

// A call of cdiv, min or max, behind its bracket; `name` may be of a module.
static WideNumber call(Arithmetic *a, const char *name) {
  const char *dot = strrchr(name, '.'), *function = dot ? dot + 1 : name;
  const bool is_min = !strcmp(function, "min"),
             is_max = !strcmp(function, "max");
  const bool is_cdiv = !strcmp(function, "cdiv");
  if (!is_min && !is_max && !is_cdiv)
    return fail(a, "there are the functions cdiv, min and max");
  WideNumber value = sum(a);
  int count = 1;
  for (; arithmetic_take(a, ","); count++) {
    const WideNumber other = sum(a);
    if (is_cdiv)
      value = round_up(a, value, other);
    else if (is_min ? other.i < value.i : other.i > value.i)
      value = other;
  }
  if (count < 2 || (is_cdiv && count > 2))
    return fail(a, is_cdiv ? "cdiv wants two numbers"
                           : "min and max want two numbers or more");
  return arithmetic_take(a, ")") ? value : fail_wanted(a, "',' or ')'");
}

static WideNumber word(Arithmetic *a) {
  const size_t length = strspn(a->at, WORD);
  if (!length) return fail_wanted(a, "a number, a name or '('");
  const char *name = arena_strndup(a->arena, a->at, length);
  int64_t value = 0;
  a->at += length;
  if (arithmetic_take(a, "(")) return call(a, name);
  if (!arithmetic_failed(a)) a->is_told = !a->find(a->ctx, name, &value);
  return integer(value);
}

// -- Expressions -------------------------------------------------------------

bool arithmetic_take(Arithmetic *a, const char *what) {
  a->at += strspn(a->at, " ");
  const bool ends = a->wanted || a->is_told;
  if (ends || strncmp(a->at, what, strlen(what))) return false;
  a->at += strlen(what);
  return true;
}

static WideNumber literal(Arithmetic *a) {
  char *end, *stop = NULL;
  errno = 0;
  const unsigned long long i = strtoull(a->at, &end, a->base);
  const int error = errno;
  const double f = a->base == 10 ? 0 : strtod(a->at, &stop);
  const bool is_float = a->base != 10 && stop > end;
  if (end == a->at && !is_float) return fail_wanted(a, "a number");
  a->at = is_float ? stop : end;
  if (is_float) return real(f);
  return error ? fail(a, too_large) : integer(i);
}

static WideNumber primary(Arithmetic *a) {
  if (arithmetic_take(a, "(")) {
    const WideNumber value = sum(a);
    return arithmetic_take(a, ")") ? value : fail_wanted(a, "')'");
  }
  const bool is_digit = isdigit((unsigned char)*a->at);
  if (is_digit || (*a->at == '.' && !a->find)) return literal(a);
  return a->find ? word(a) : fail_wanted(a, "a number");
}

static WideNumber sign(Arithmetic *a) {
  if (++a->depth > MAX_DEPTH) return fail(a, "it is nested too deeply");
  WideNumber value;
  if (arithmetic_take(a, "-"))
    value = negate(a, sign(a));
  else
    value = arithmetic_take(a, "+") ? sign(a) : power(a);
  a->depth--;
  return value;
}

// A power binds tighter than the sign on its left, and looser than the one on
// its right.
static WideNumber power(Arithmetic *a) {
  const WideNumber value = primary(a);
  return arithmetic_take(a, "**") ? raise(a, value, sign(a)) : value;
}

static WideNumber product(Arithmetic *a) {
  WideNumber value = sign(a);
  for (;;) {
    if (arithmetic_take(a, "//"))
      value = divide(a, value, sign(a), false);
    else if (arithmetic_take(a, "/"))
      value = quotient(a, value, sign(a));
    else if (arithmetic_take(a, "*"))
      value = combine(a, '*', value, sign(a));
    else if (arithmetic_take(a, "%"))
      value = divide(a, value, sign(a), true);
    else
      return value;
  }
}

static WideNumber sum(Arithmetic *a) {
  WideNumber value = product(a);
  for (;;) {
    if (arithmetic_take(a, "+"))
      value = combine(a, '+', value, product(a));
    else if (arithmetic_take(a, "-"))
      value = combine(a, '-', value, product(a));
    else
      return value;
  }
}

WideNumber arithmetic_sum(Arithmetic *a) {
  const WideNumber value = sum(a);
  const bool fits = value.i >= INT64_MIN && value.i <= INT64_MAX;
  return fits ? value : fail(a, too_large);
}

// -- Uses --------------------------------------------------------------------

bool arithmetic_integer(const char *text, const char **end, int64_t *out) {
  Arithmetic a = {.at = text, .base = 10};
  const WideNumber value = arithmetic_sum(&a);
  *end = a.at;
  *out = (int64_t)value.i;
  return !arithmetic_failed(&a) && !value.is_float;
}

static bool is_literal(const char *text) {
  char *end;
  strtod(text, &end);
  if (end != text && !*end) return true;
  strtoll(text, &end, 0);
  return end != text && !*end;
}

const char *arithmetic_text(Arena *arena, const char *text, const char **why) {
  if (is_literal(text)) return text;
  Arithmetic a = {.at = text};
  const WideNumber value = arithmetic_sum(&a);
  if (a.wanted || a.at[strspn(a.at, " ")]) return text;
  *why = a.why;
  if (a.why) return NULL;
  return value.is_float ? arena_printf(arena, "%.17g", value.f)
                        : arena_printf(arena, "%lld", (long long)value.i);
}
