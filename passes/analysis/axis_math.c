// axis_math.c -- the rules of arithmetic.
//
// For one dimension, a rule finds the aligned groups of elements in which the
// result counts up or is equal; axis_start_divisor() then gives the divisor of
// the first value of a group of that size.
#include "passes/analysis/axis_rules.h"

// -- Arithmetic --------------------------------------------------------------

// Sums; one unit of y is `scale` units of x.
static AxisInfo sum(const AxisRule *r, bool y_may_count, int64_t scale) {
  const AxisInfo *x = operand(r, 0), *y = operand(r, 1);
  AxisInfo info = axis_common_constancy(r);
  for (int d = 0; d < axis_count(r->type); d++) {
    const int64_t c =
        int64_max(group_of(x, y, d), y_may_count ? group_of(y, x, d) : 1);
    info.contiguity[d] = c;
    info.divisibility[d] =
        int64_min(axis_start_divisor(x, d, c),
                  product(axis_start_divisor(y, d, c), scale));
  }
  return info;
}

AxisInfo axis_addi(const AxisRule *r) {
  AxisInfo info = sum(r, true, 1);
  info.nonnegative = is_nonnegative(r, 0) && is_nonnegative(r, 1);
  return info;
}

AxisInfo axis_subi(const AxisRule *r) {
  return sum(r, false, 1);
}

AxisInfo axis_addptr(const AxisRule *r) {
  const AxisInfo *p = operand(r, 0), *y = operand(r, 1);
  const int64_t bytes = bytes_of(r->type);
  AxisInfo info = axis_common_constancy(r);
  for (int d = 0; d < axis_count(r->type); d++) {
    const int64_t c = int64_max(group_of(p, y, d), group_of(y, p, d));
    const int64_t offset = product(axis_start_divisor(y, d, c), bytes);
    info.contiguity[d] = c;
    info.divisibility[d] =
        int64_min(axis_pointer_start(p, d, c, bytes), offset);
    // All operands are powers of two, so the result is a power of two, too.
  }
  return info;
}

static AxisInfo times(const AxisRule *r) {
  const AxisInfo *x = operand(r, 0), *y = operand(r, 1);
  AxisInfo info = axis_common_constancy(r);
  for (int d = 0; d < axis_count(r->type); d++) {
    info.divisibility[d] = product(divisor_along(x, d), divisor_along(y, d));
  }
  return info;
}

AxisInfo axis_muli(const AxisRule *r) {
  const AxisInfo *x = operand(r, 0), *y = operand(r, 1);
  if (y->known && y->value == 1) return *x;
  if (x->known && x->value == 1) return *y;
  AxisInfo info = times(r);
  info.nonnegative = x->nonnegative && y->nonnegative;
  return info;
}

// x / p is constant in groups within which x does not pass a multiple of p.
static AxisInfo quotient(const AxisRule *r, const AxisInfo *x,
                         const AxisInfo *y) {
  AxisInfo info = axis_common_constancy(r);
  const bool exact =
      y->known && y->value > 0 && divisor_of(y->value) == y->value;
  for (int d = 0; d < axis_count(r->type); d++) {
    info.constancy[d] = int64_max(info.constancy[d], aligned_group(x, y, d));
    const int64_t divisor = divisor_along(x, d);
    if (exact && divisor >= y->value) {
      info.divisibility[d] = divisor / y->value;
    }
  }
  return info;
}

AxisInfo axis_division(const AxisRule *r) {
  const AxisInfo *x = operand(r, 0), *y = operand(r, 1);
  if (y->known && y->value == 1) return *x;
  const bool is_signed = r->op->kind == OP_divsi;
  AxisInfo rounds_up = *x; // a negative quotient rounds toward zero
  for (int d = 0; d < NUM_AXES; d++) rounds_up.contiguity[d] = 1;
  for (int d = 0; d < NUM_AXES; d++) {
    rounds_up.divisibility[d] = divisor_along(x, d);
  }
  AxisInfo info = quotient(r, is_signed && !x->nonnegative ? &rounds_up : x, y);
  info.nonnegative = x->nonnegative && !(y->known && y->value <= 0);
  return info;
}

// x % p counts up in the same groups.
AxisInfo axis_remainder(const AxisRule *r) {
  const AxisInfo *x = operand(r, 0), *y = operand(r, 1);
  const bool counts = r->op->kind == OP_remui || x->nonnegative;
  AxisInfo info = axis_common_constancy(r);
  for (int d = 0; d < axis_count(r->type); d++) {
    const int64_t c = counts ? aligned_group(x, y, d) : 1;
    info.contiguity[d] = c;
    info.divisibility[d] =
        int64_min(axis_start_divisor(x, d, c), divisor_along(y, d));
  }
  info.nonnegative = x->nonnegative;
  return info;
}

// -- Bits --------------------------------------------------------------------

static AxisInfo power(int64_t exponent) {
  AxisInfo info = axis_unknown();
  const int64_t value = INT64_C(1) << exponent;
  for (int d = 0; d < NUM_AXES; d++) {
    info.divisibility[d] = value;
    info.constancy[d] = INT64_C(1) << 30;
  }
  info.known = info.nonnegative = true;
  info.value = value;
  return info;
}

static bool known_shift(const AxisRule *r, int64_t *amount) {
  const AxisInfo *y = operand(r, 1);
  *amount = y->value;
  return y->known && y->value >= 0 && y->value < 31;
}

AxisInfo axis_shift_left(const AxisRule *r) {
  const AxisInfo *x = operand(r, 0);
  AxisInfo info = axis_common_constancy(r);
  int64_t amount;
  if (!known_shift(r, &amount)) return info;
  if (!amount) return *x;
  for (int d = 0; d < axis_count(r->type); d++) {
    info.divisibility[d] = product(divisor_along(x, d), INT64_C(1) << amount);
  }
  info.nonnegative = x->nonnegative;
  return info;
}

AxisInfo axis_shift_right(const AxisRule *r) {
  int64_t amount;
  AxisInfo info = axis_common_constancy(r);
  if (known_shift(r, &amount)) {
    if (!amount) return *operand(r, 0);
    const AxisInfo divisor = power(amount);
    info = quotient(r, operand(r, 0), &divisor);
  }
  info.nonnegative = is_nonnegative(r, 0);
  return info;
}

// An `and` with a mask of low bits is a remainder; an `and` with a mask whose
// low bits are 0 rounds down.
AxisInfo axis_andi(const AxisRule *r) {
  const AxisInfo *x = operand(r, 0), *y = operand(r, 1);
  AxisInfo info = axis_common_constancy(r);
  const uint64_t mask = (uint64_t)y->value;
  const bool low = y->known && y->value > 0 && !(mask & (mask + 1));
  for (int d = 0; d < axis_count(r->type); d++) {
    const int64_t run = int64_min(x->contiguity[d], x->divisibility[d]);
    const int64_t c = low ? int64_min(run - 1, y->value) + 1 : 1;
    info.contiguity[d] = c;
    info.divisibility[d] =
        c > 1 ? axis_start_divisor(x, d, c)
              : int64_max(divisor_along(x, d), divisor_along(y, d));
    if (y->known) {
      info.constancy[d] =
          int64_max(info.constancy[d], int64_min(run, divisor_of(y->value)));
    }
  }
  info.nonnegative = x->nonnegative || y->nonnegative;
  return info;
}

// For or, xor, min and max: a common divisor of both operands divides the
// result.
AxisInfo axis_either(const AxisRule *r) {
  AxisInfo info = axis_common_constancy(r);
  for (int d = 0; d < axis_count(r->type); d++) {
    info.divisibility[d] = int64_min(divisor_along(operand(r, 0), d),
                                     divisor_along(operand(r, 1), d));
  }
  info.nonnegative = is_nonnegative(r, 0) && is_nonnegative(r, 1);
  if (r->op->kind == OP_maxsi) {
    info.nonnegative = is_nonnegative(r, 0) || is_nonnegative(r, 1);
  }
  return info;
}

// -- Comparisons and choices -------------------------------------------------

// x < y and x >= y are constant in an aligned group of x if y is a multiple of
// its size; x <= y and x > y likewise, with x and y exchanged.
AxisInfo axis_compare(const AxisRule *r) {
  AxisInfo info = axis_common_constancy(r);
  const AxisInfo *x = operand(r, 0), *y = operand(r, 1);
  if (type_is_pointer(op_operand(r->op, 0)->type)) return info;
  switch ((Predicate)op_int(r->op, ATTR_predicate)) {
  case PREDICATE_eq:
  case PREDICATE_ne: return info;
  case PREDICATE_lt:
  case PREDICATE_ge:
  case PREDICATE_ult:
  case PREDICATE_uge: break;
  default: x = operand(r, 1), y = operand(r, 0);
  }
  for (int d = 0; d < axis_count(r->type); d++) {
    info.constancy[d] = int64_max(info.constancy[d], aligned_group(x, y, d));
  }
  return info;
}

AxisInfo axis_choice(const AxisRule *r) {
  const AxisInfo *x = operand(r, 1), *y = operand(r, 2);
  const bool is_tile = type_is_tile(op_operand(r->op, 0)->type);
  AxisInfo info = axis_meet(NULL, x, y);
  info.window = NULL;
  for (int d = 0; is_tile && d < axis_count(r->type); d++) {
    const int64_t run = operand(r, 0)->constancy[d];
    const int64_t c = int64_min(info.contiguity[d], run);
    info.divisibility[d] =
        int64_min(axis_start_divisor(x, d, c), axis_start_divisor(y, d, c));
    info.contiguity[d] = c;
    info.constancy[d] = int64_min(info.constancy[d], run);
  }
  return info;
}
