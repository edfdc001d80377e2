// fold_int.c -- integer arithmetic of constants.
//
// An i1 is 0 or 1; as a signed number, its 1 is -1.
#include "ir/rewrite/fold_eval.h"

static uint64_t high_unsigned(uint64_t x, uint64_t y) {
  const uint64_t x0 = x & UINT32_MAX, x1 = x >> 32;
  const uint64_t y0 = y & UINT32_MAX, y1 = y >> 32;
  const uint64_t middle = x1 * y0 + (x0 * y0 >> 32);
  const uint64_t carry = x0 * y1 + (middle & UINT32_MAX);
  return x1 * y1 + (middle >> 32) + (carry >> 32);
}

// The high half of a product of two numbers of `bits` bits.
static int64_t mulhu(uint64_t x, uint64_t y, int bits) {
  if (bits == 64) return (int64_t)high_unsigned(x, y);
  return (int64_t)(x * y >> bits); // 32 x 32 bits fit
}

static int64_t mulhs(int64_t x, int64_t y, int bits) {
  if (bits < 64) return (x * y) >> bits;
  uint64_t high = high_unsigned((uint64_t)x, (uint64_t)y);
  if (x < 0) high -= (uint64_t)y;
  if (y < 0) high -= (uint64_t)x;
  return (int64_t)high;
}

static int64_t negate(int64_t x) {
  return (int64_t) - (uint64_t)x;
}

static int64_t divs(int64_t x, int64_t y) {
  if (y == 0) return -1;
  return y == -1 ? negate(x) : x / y;
}

static int64_t rems(int64_t x, int64_t y) {
  if (y == 0) return x;
  return y == -1 ? 0 : x % y;
}

static int count_ones(uint64_t x) {
  int count = 0;
  for (; x; x &= x - 1) count++;
  return count;
}

static int leading_zeros(uint64_t x, int bits) {
  int count = bits;
  for (; x; x >>= 1) count--;
  return count;
}

bool eval_int(OpKind kind, Elem elem, const Number *v, Number *out) {
  const int bits = elem_info[elem].bits;
  const uint64_t width = (uint64_t)bits;
  const int64_t x = bits == 1 ? -v[0].i : v[0].i;
  const int64_t y = bits == 1 ? -v[1].i : v[1].i;
  const uint64_t ux = int_unsigned(x, elem), uy = int_unsigned(y, elem);
  const bool in_range = uy < width;
  int64_t r;
  switch (kind) {
  case OP_addi: r = (int64_t)(ux + uy); break;
  case OP_subi: r = (int64_t)(ux - uy); break;
  case OP_muli: r = (int64_t)(ux * uy); break;
  case OP_mulhsi: r = mulhs(x, y, bits); break;
  case OP_mulhui: r = mulhu(ux, uy, bits); break;
  case OP_divsi: r = divs(x, y); break;
  case OP_divui: r = uy ? (int64_t)(ux / uy) : -1; break;
  case OP_remsi: r = rems(x, y); break;
  case OP_remui: r = (int64_t)(uy ? ux % uy : ux); break;
  case OP_andi: r = (int64_t)(ux & uy); break;
  case OP_ori: r = (int64_t)(ux | uy); break;
  case OP_xori: r = (int64_t)(ux ^ uy); break;
  case OP_shli: r = in_range ? (int64_t)(ux << uy) : 0; break;
  case OP_shrsi: r = x >> (in_range ? uy : 63); break;
  case OP_shrui: r = in_range ? (int64_t)(ux >> uy) : 0; break;
  case OP_maxsi: r = x > y ? x : y; break;
  case OP_maxui: r = ux > uy ? x : y; break;
  case OP_minsi: r = x < y ? x : y; break;
  case OP_minui: r = ux < uy ? x : y; break;
  case OP_absi: r = x < 0 ? negate(x) : x; break;
  case OP_clz: r = leading_zeros(ux, bits); break;
  case OP_popcount: r = count_ones(ux); break;
  default: return false;
  }
  out->i = int_wrap(r, elem);
  return true;
}

bool eval_resize(OpKind kind, Elem from, Elem to, const Number *x,
                 Number *out) {
  const int64_t i = x->i, sign = from == ELEM_i1 ? -1 : 1;
  switch (kind) {
  case OP_extsi: out->i = int_wrap(sign * i, to); return true;
  case OP_extui: out->i = (int64_t)int_unsigned(i, from); return true;
  case OP_trunci: out->i = int_wrap(i, to); return true;
  default: return false;
  }
}

static bool compare_ints(Predicate predicate, Elem elem, int64_t a, int64_t b) {
  const uint64_t ua = int_unsigned(a, elem), ub = int_unsigned(b, elem);
  const bool flip = elem == ELEM_i1; // its 1 is -1
  const int64_t x = flip ? -a : a, y = flip ? -b : b;
  switch (predicate) {
  case PREDICATE_eq: return x == y;
  case PREDICATE_ne: return x != y;
  case PREDICATE_lt: return x < y;
  case PREDICATE_le: return x <= y;
  case PREDICATE_gt: return x > y;
  case PREDICATE_ge: return x >= y;
  case PREDICATE_ult: return ua < ub;
  case PREDICATE_ule: return ua <= ub;
  case PREDICATE_ugt: return ua > ub;
  default: return ua >= ub;
  }
}

static bool compare_floats(Predicate predicate, double x, double y) {
  switch (predicate) {
  case PREDICATE_eq: return x == y;
  case PREDICATE_ne: return x != y; // ne, in any order
  case PREDICATE_lt: return x < y;
  case PREDICATE_le: return x <= y;
  case PREDICATE_gt: return x > y;
  default: return x >= y;
  }
}

bool eval_compare(Predicate predicate, Elem elem, const Number *x,
                  Number *out) {
  out->i = elem_info[elem].is_float
               ? compare_floats(predicate, x[0].f, x[1].f)
               : compare_ints(predicate, elem, x[0].i, x[1].i);
  return true;
}
