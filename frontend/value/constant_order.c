// constant_order.c -- Python's order of numbers and strings.
#include "frontend/value/constant.h"

#include <math.h>
#include <string.h>

// Compares exactly, without rounding the integer, as Python does.
static int order_mixed(Integer x, double y) {
  if (fabs(y) >= 0x1p120) return y > 0 ? -1 : 1;
  const Integer whole = (Integer)y;
  const double rest = y - (double)whole;
  if (x != whole) return x > whole ? 1 : -1;
  return (rest < 0) - (rest > 0);
}

int constant_order_numbers(const Object *a, const Object *b) {
  if (constant_is_integer(a) && constant_is_integer(b)) {
    const Integer x = constant_integer(a), y = constant_integer(b);
    return (x > y) - (x < y);
  }
  const double x = constant_number(a), y = constant_number(b);
  if (isnan(x) || isnan(y)) return 2;
  if (constant_is_integer(a)) return order_mixed(constant_integer(a), y);
  if (constant_is_integer(b)) return -order_mixed(constant_integer(b), x);
  return (x > y) - (x < y);
}

int constant_order_strings(const Object *a, const Object *b) {
  const size_t n = a->as.string.length, m = b->as.string.length;
  const int first = memcmp(a->as.string.text, b->as.string.text, n < m ? n : m);
  if (first) return first < 0 ? -1 : 1;
  return (n > m) - (n < m);
}
