// int.c -- integer arithmetic, in 64 bits and wrapped afterwards.
//
// A table row is an op and its function.  A RAW one gets the sign-extended
// cells as unsigned, an UNSIGNED one the bits of the type alone, a SIGNED one
// the signed value, which is 0 or -1 for an i1.
#include "ir/interp/run.h"
#include "ir/linear.h"

#include <assert.h>

typedef struct {
  int64_t n;
  Cell *out;
  const Cell *x, *y;
  int64_t sign;  // factor to the signed value: -1 for i1, else 1
  uint64_t mask; // keeps the bits of the type
  unsigned bits;
} IntLanes;

typedef void (*IntLoop)(const IntLanes *v);

static IntLanes int_lanes(const InterpInst *in) {
  const Type *type = in->in[0]->type;
  const bool address = type_is_pointer(type);
  const unsigned bits = (unsigned)type_element_bits(type);
  return (IntLanes){.n = in->out[0]->count,
                    .out = in->out[0]->cells,
                    .x = in->in[0]->cells,
                    .y = in->in[in->op->num_operands - 1]->cells,
                    .sign = !address && bits == 1 ? -1 : 1,
                    .mask = UINT64_MAX >> (64 - bits),
                    .bits = bits};
}

static bool run_ints(Run *r, const InterpInst *in, IntLoop loop) {
  const IntLanes lanes = int_lanes(in);
  assert(in->in[0]->count >= lanes.n && "fewer elements than results"); // I4
  loop(&lanes);
  cells_wrap(lanes.out, lanes.n, in->out[0]->type->elem);
  spread_marks(r, in);
  return true;
}

#define LOOP(name, T, X, Y, value)                                             \
  static void loop_##name(const IntLanes *v) {                                 \
    Cell *restrict out = v->out;                                               \
    const unsigned bits = v->bits;                                             \
    (void)bits;                                                                \
    for (int64_t k = 0; k < v->n; k++) {                                       \
      const T x = X, y = Y;                                                    \
      (void)y;                                                                 \
      out[k].u = (uint64_t)(value);                                            \
    }                                                                          \
  }
#define RAW_LOOP(name, value) LOOP(name, uint64_t, v->x[k].u, v->y[k].u, value)
#define UNSIGNED_LOOP(name, value)                                             \
  LOOP(name, uint64_t, v->x[k].u & v->mask, v->y[k].u & v->mask, value)
#define SIGNED_LOOP(name, value)                                               \
  LOOP(name, int64_t, v->x[k].i * v->sign, v->y[k].i * v->sign, value)

// -- Total versions of operations that are undefined in C --------------------

__extension__ typedef __int128 SWide;
__extension__ typedef unsigned __int128 UWide;

static int64_t high_signed(int64_t x, int64_t y, unsigned bits) {
  return (int64_t)(((SWide)x * y) >> bits);
}

static uint64_t high_unsigned(uint64_t x, uint64_t y, unsigned bits) {
  return (uint64_t)(((UWide)x * y) >> bits);
}

static int64_t quotient(int64_t x, int64_t y) {
  if (y == 0) return -1;
  return y == -1 ? (int64_t)(0 - (uint64_t)x) : x / y;
}

static int64_t remainder_of(int64_t x, int64_t y) {
  if (y == 0) return x;
  return y == -1 ? 0 : x % y;
}

static int64_t shift_right(int64_t x, uint64_t by, unsigned bits) {
  return by >= bits ? -(int64_t)(x < 0) : x >> by;
}

static unsigned leading_zeros(uint64_t x, unsigned bits) {
  return x ? (unsigned)__builtin_clzll(x) - (64 - bits) : bits;
}

// -- The table ---------------------------------------------------------------

#define INT_TABLE(RAW, UNSIGNED, SIGNED)                                       \
  RAW(addi, x + y)                                                             \
  RAW(subi, x - y)                                                             \
  RAW(muli, x *y)                                                              \
  RAW(andi, x &y)                                                              \
  RAW(ori, x | y)                                                              \
  RAW(xori, x ^ y)                                                             \
  SIGNED(mulhsi, high_signed(x, y, bits))                                      \
  UNSIGNED(mulhui, high_unsigned(x, y, bits))                                  \
  SIGNED(divsi, quotient(x, y))                                                \
  UNSIGNED(divui, y ? x / y : UINT64_MAX)                                      \
  SIGNED(remsi, remainder_of(x, y))                                            \
  UNSIGNED(remui, y ? x % y : x)                                               \
  UNSIGNED(shli, y >= bits ? 0 : x << y)                                       \
  UNSIGNED(shrui, y >= bits ? 0 : x >> y)                                      \
  SIGNED(maxsi, x > y ? x : y)                                                 \
  UNSIGNED(maxui, x > y ? x : y)                                               \
  SIGNED(minsi, x < y ? x : y)                                                 \
  UNSIGNED(minui, x < y ? x : y)                                               \
  SIGNED(absi, x < 0 ? 0 - (uint64_t)x : (uint64_t)x)                          \
  UNSIGNED(clz, leading_zeros(x, bits))                                        \
  UNSIGNED(popcount, __builtin_popcountll(x))

INT_TABLE(RAW_LOOP, UNSIGNED_LOOP, SIGNED_LOOP)
LOOP(shrsi, int64_t, v->x[k].i * v->sign, v->y[k].i,
     shift_right(x, (uint64_t)y & v->mask, bits))

#define EXEC(name, value)                                                      \
  bool exec_##name(Run *r, const InterpInst *in) {                             \
    return run_ints(r, in, loop_##name);                                       \
  }
INT_TABLE(EXEC, EXEC, EXEC)
EXEC(shrsi, )

// -- Comparison --------------------------------------------------------------

SIGNED_LOOP(eq, x == y)
SIGNED_LOOP(ne, x != y)
SIGNED_LOOP(lt, x < y)
SIGNED_LOOP(le, x <= y)
SIGNED_LOOP(gt, x > y)
SIGNED_LOOP(ge, x >= y)
UNSIGNED_LOOP(ult, x < y)
UNSIGNED_LOOP(ule, x <= y)
UNSIGNED_LOOP(ugt, x > y)
UNSIGNED_LOOP(uge, x >= y)

bool exec_cmpi(Run *r, const InterpInst *in) {
  static const IntLoop loops[] = {
#define VALUE(type, name) [PREDICATE_##name] = loop_##name,
      VALUE(, eq) VALUE(, ne) VALUE(, lt) VALUE(, le) VALUE(, gt) VALUE(, ge)
          VALUE(, ult) VALUE(, ule) VALUE(, ugt) VALUE(, uge)
#undef VALUE
  };
  return run_ints(r, in, loops[op_int(in->op, ATTR_predicate)]);
}

// -- Pairs of a tile ---------------------------------------------------------

typedef struct {
  int64_t inner, size, distance; // positions along the axis are `inner` apart
  uint64_t upper;
  bool reverse;
  int64_t sign; // the same as in IntLanes
} TilePairs;

static int64_t partner_of(const TilePairs *p, int64_t i) {
  const int64_t at = i / p->inner % p->size;
  return i + ((at ^ p->distance) - at) * p->inner;
}

static bool takes_max(const TilePairs *p, int64_t i) {
  const uint64_t at = (uint64_t)(i / p->inner % p->size);
  return linear_parity(at & p->upper) != p->reverse;
}

static TilePairs pairs_of(const InterpInst *in) {
  const Op *op = in->op;
  const Type *type = in->in[0]->type;
  const int axis = (int)op_int(op, ATTR_axis);
  TilePairs p = {.inner = 1,
                 .size = type->shape[axis],
                 .distance = op_int(op, ATTR_distance),
                 .upper = (uint64_t)op_int(op, ATTR_upper),
                 .reverse = op_int(op, ATTR_reverse),
                 .sign = int_lanes(in).sign};
  for (int d = axis + 1; d < type->rank; d++) p.inner *= type->shape[d];
  return p;
}

bool exec_minmaxsi(Run *r, const InterpInst *in) {
  const Slot *x = in->in[0];
  Slot *out = in->out[0];
  const TilePairs p = pairs_of(in);
  for (int64_t i = 0; i < out->count; i++) {
    const Cell a = x->cells[i], b = x->cells[partner_of(&p, i)];
    const bool less = a.i * p.sign < b.i * p.sign;
    out->cells[i] = less == takes_max(&p, i) ? b : a;
  }
  spread_marks(r, in);
  for (int64_t i = 0; out->poisoned && i < out->count; i++) {
    const Cell mark = x->marks[partner_of(&p, i)];
    if (mark.i) out->marks[i] = mark;
  }
  return true;
}
