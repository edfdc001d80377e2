// arithmetic.c -- sums in the values of options.
#include "runtime/tools/parts/arithmetic.h"

#include "ir/base/base.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 100 };

typedef struct {
  bool is_float;
  int64_t i;
  double f;
} Number;

typedef struct {
  const char *at;
  int base, depth;
  bool is_nonsense; // no sum at all
  const char *why;  // a sum without a result
} Sum;

static Number sum(Sum *r);
static Number power(Sum *r);

static Number integer(int64_t i) {
  return (Number){.i = i};
}

static Number real(double f) {
  return (Number){.is_float = true, .f = f};
}

static double as_real(Number n) {
  return n.is_float ? n.f : (double)n.i;
}

static Number nonsense(Sum *r) {
  r->is_nonsense = true;
  return integer(0);
}

static Number fail(Sum *r, const char *why) {
  if (!r->why) r->why = why;
  return integer(0);
}

// -- Operators ---------------------------------------------------------------

// The quotient rounded down, or the remainder, with the sign of `b`.
static Number divide(Sum *r, Number a, Number b, bool remainder) {
  if (!as_real(b)) return fail(r, "a division by zero");
  if (a.is_float || b.is_float) {
    const double x = as_real(a), y = as_real(b), rest = fmod(x, y);
    const bool down = rest && (rest < 0) != (y < 0);
    const double above = rest + (down ? y : 0);
    return real(remainder ? above : rint((x - above) / y));
  }
  if (b.i == -1) // which overflows for the least number
    return remainder          ? integer(0)
           : a.i == INT64_MIN ? fail(r, "a number past 64 bits")
                              : integer(-a.i);
  const bool down = a.i % b.i && (a.i < 0) != (b.i < 0);
  return integer(remainder ? a.i % b.i + (down ? b.i : 0) : a.i / b.i - down);
}

static Number combine(Sum *r, char operation, Number a, Number b) {
  int64_t i = 0;
  bool overflows = false;
  const bool is_float = a.is_float || b.is_float;
  const double x = as_real(a), y = as_real(b);
  switch (operation) {
  case '+':
    if (is_float) return real(x + y);
    overflows = __builtin_add_overflow(a.i, b.i, &i);
    break;
  case '-':
    if (is_float) return real(x - y);
    overflows = __builtin_sub_overflow(a.i, b.i, &i);
    break;
  default:
    if (is_float) return real(x * y);
    overflows = __builtin_mul_overflow(a.i, b.i, &i);
  }
  return overflows ? fail(r, "a number past 64 bits") : integer(i);
}

static Number negate(Sum *r, Number a) {
  return a.is_float ? real(-a.f) : combine(r, '-', integer(0), a);
}

static Number raise(Sum *r, Number a, Number b) {
  if (a.is_float || b.is_float || b.i < 0) {
    const double result = pow(as_real(a), as_real(b));
    if (!as_real(a) && as_real(b) < 0) return fail(r, "a division by zero");
    return isnan(result) ? fail(r, "a power that is no real number")
                         : real(result);
  }
  Number result = integer(1);
  if (a.i >= -1 && a.i <= 1) // -1, 0 and 1 never get past 64 bits
    return b.i ? integer(b.i % 2 ? a.i : a.i * a.i) : result;
  for (int64_t k = 0; k < b.i && !r->why; k++)
    result = combine(r, '*', result, a);
  return result;
}

// -- Expressions -------------------------------------------------------------

static bool take(Sum *r, const char *what) {
  r->at += strspn(r->at, " ");
  if (r->is_nonsense || strncmp(r->at, what, strlen(what))) return false;
  r->at += strlen(what);
  return true;
}

static Number literal(Sum *r) {
  char *end, *stop;
  errno = 0;
  if (!strchr("0123456789.", *r->at) || !*r->at) return nonsense(r);
  const long long i = strtoll(r->at, &end, r->base);
  const int error = errno;
  const double f = r->base == 10 ? 0 : strtod(r->at, &stop);
  const bool is_float = r->base != 10 && stop > end;
  if (end == r->at && !is_float) return nonsense(r);
  r->at = is_float ? stop : end;
  if (is_float) return real(f);
  return error ? fail(r, "a number past 64 bits") : integer(i);
}

static Number primary(Sum *r) {
  if (!take(r, "(")) return literal(r);
  const Number value = sum(r);
  return take(r, ")") ? value : nonsense(r);
}

static Number sign(Sum *r) {
  if (++r->depth > MAX_DEPTH) return nonsense(r);
  Number value;
  if (take(r, "-"))
    value = negate(r, sign(r));
  else
    value = take(r, "+") ? sign(r) : power(r);
  r->depth--;
  return value;
}

// Binds before the sign on its left, after that on its right.
static Number power(Sum *r) {
  const Number value = primary(r);
  return take(r, "**") ? raise(r, value, sign(r)) : value;
}

static Number product(Sum *r) {
  Number value = sign(r);
  for (;;) {
    if (take(r, "//")) {
      value = divide(r, value, sign(r), false);
    } else if (take(r, "/")) {
      const Number other = sign(r);
      value = as_real(other) ? real(as_real(value) / as_real(other))
                             : fail(r, "a division by zero");
    } else if (take(r, "*")) {
      value = combine(r, '*', value, sign(r));
    } else if (take(r, "%")) {
      value = divide(r, value, sign(r), true);
    } else {
      return value;
    }
  }
}

static Number sum(Sum *r) {
  Number value = product(r);
  for (;;) {
    if (take(r, "+"))
      value = combine(r, '+', value, product(r));
    else if (take(r, "-"))
      value = combine(r, '-', value, product(r));
    else
      return value;
  }
}

bool arithmetic_integer(const char *text, const char **end, int64_t *out) {
  Sum r = {.at = text, .base = 10};
  const Number value = sum(&r);
  *end = r.at;
  *out = value.i;
  return !r.is_nonsense && !r.why && !value.is_float;
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
  Sum r = {.at = text};
  const Number value = sum(&r);
  if (r.is_nonsense || r.at[strspn(r.at, " ")]) return text;
  *why = r.why;
  if (r.why) return NULL;
  return value.is_float ? arena_printf(arena, "%.17g", value.f)
                        : arena_printf(arena, "%lld", (long long)value.i);
}
