// float.c -- float arithmetic, in double and rounded to the type.
//
// A double has more than twice the bits of every smaller format, so rounding
// the rounded result of +, -, *, / or sqrt again gives the same as rounding
// once.  fma needs special care; the other functions are as exact as libm's.
#include "ir/interp/run.h"

#include <assert.h>
#include <math.h>

typedef struct {
  int64_t n;
  Cell *out;
  const Cell *x, *y, *z;
} FloatLanes;

typedef void (*FloatLoop)(const FloatLanes *v);

static FloatLanes float_lanes(const InterpInst *in) {
  const int last = in->op->num_operands - 1;
  return (FloatLanes){.n = in->out[0]->count,
                      .out = in->out[0]->cells,
                      .x = in->in[0]->cells,
                      .y = in->in[last < 1 ? last : 1]->cells,
                      .z = in->in[last]->cells};
}

static bool run_floats(Run *r, const InterpInst *in, FloatLoop loop) {
  const FloatLanes lanes = float_lanes(in);
  assert(in->in[0]->count >= lanes.n && "fewer elements than results"); // I4
  loop(&lanes);
  cells_round(lanes.out, lanes.n, in->out[0]->type->elem);
  spread_marks(r, in);
  return true;
}

#define LOOP(name, field, value)                                               \
  static void loop_##name(const FloatLanes *v) {                               \
    Cell *restrict out = v->out;                                               \
    for (int64_t k = 0; k < v->n; k++) {                                       \
      const double x = v->x[k].f, y = v->y[k].f;                               \
      (void)x;                                                                 \
      (void)y;                                                                 \
      out[k].field = value;                                                    \
    }                                                                          \
  }
#define EXEC(name, value)                                                      \
  bool exec_##name(Run *r, const InterpInst *in) {                             \
    return run_floats(r, in, loop_##name);                                     \
  }

// -- Scalars -----------------------------------------------------------------

// For x == y with a zero, the one with the requested sign.
static double larger(double x, double y) {
  if (x == y) return signbit(x) ? y : x;
  return x > y ? x : y;
}

static double smaller(double x, double y) {
  if (x == y) return signbit(x) ? x : y;
  return x < y ? x : y;
}

static double max_number(double x, double y) {
  if (isnan(x)) return y;
  return isnan(y) ? x : larger(x, y);
}

static double min_number(double x, double y) {
  if (isnan(x)) return y;
  return isnan(y) ? x : smaller(x, y);
}

static double max_or_nan(double x, double y) {
  return isnan(x) || isnan(y) ? NAN : larger(x, y);
}

static double min_or_nan(double x, double y) {
  return isnan(x) || isnan(y) ? NAN : smaller(x, y);
}

// Moves an inexact sum that ends in a 0 bit towards the exact one.  Rounding
// this value ("round to odd") to a shorter format gives the same as rounding
// the exact sum.
static double round_to_odd(double sum, double error) {
  Cell cell = {.f = sum};
  if (error == 0 || isnan(error) || !isfinite(sum) || (cell.u & 1)) return sum;
  cell.u += (error > 0) == (sum > 0) ? 1 : UINT64_MAX;
  return cell.f;
}

// x * y + z in a format shorter than f64, where the product is exact.
static double fma_short(double x, double y, double z) {
  const double product = x * y, sum = product + z;
  const double part = sum - product;
  const double error = (product - (sum - part)) + (z - part);
  return round_to_odd(sum, error);
}

// -- Tables ------------------------------------------------------------------

#define FLOAT_TABLE(ROW)                                                       \
  ROW(addf, x + y)                                                             \
  ROW(subf, x - y)                                                             \
  ROW(mulf, x *y)                                                              \
  ROW(divf, x / y)                                                             \
  ROW(divf_rn, x / y)                                                          \
  ROW(remf, fmod(x, y))                                                        \
  ROW(maxf, max_number(x, y))                                                  \
  ROW(minf, min_number(x, y))                                                  \
  ROW(maximumf, max_or_nan(x, y))                                              \
  ROW(minimumf, min_or_nan(x, y))                                              \
  ROW(floor, floor(x))                                                         \
  ROW(ceil, ceil(x))                                                           \
  ROW(trunc, trunc(x))                                                         \
  ROW(rint, nearbyint(x))                                                      \
  ROW(sqrt, sqrt(x))                                                           \
  ROW(sqrt_rn, sqrt(x))                                                        \
  ROW(rsqrt, 1 / sqrt(x))                                                      \
  ROW(exp, exp(x))                                                             \
  ROW(exp2, exp2(x))                                                           \
  ROW(log, log(x))                                                             \
  ROW(log2, log2(x))                                                           \
  ROW(sin, sin(x))                                                             \
  ROW(cos, cos(x))                                                             \
  ROW(tanh, tanh(x))                                                           \
  ROW(erf, erf(x))

#define FLOAT_LOOP(name, value) LOOP(name, f, value)
FLOAT_TABLE(FLOAT_LOOP)
FLOAT_TABLE(EXEC)

LOOP(fma_f64, f, fma(x, y, v->z[k].f))
LOOP(fma_short, f, fma_short(x, y, v->z[k].f))

bool exec_fma(Run *r, const InterpInst *in) {
  const bool is_f64 = in->out[0]->type->elem == ELEM_f64;
  return run_floats(r, in, is_f64 ? loop_fma_f64 : loop_fma_short);
}

// -- Ops on the sign bit: exact, also for NaNs -------------------------------

static bool run_signs(Run *r, const InterpInst *in, uint64_t keep,
                      uint64_t flip) {
  const Slot *x = in->in[0];
  Slot *out = in->out[0];
  for (int64_t i = 0; i < out->count; i++) {
    out->cells[i].u = (x->cells[i].u & keep) ^ flip;
  }
  spread_marks(r, in);
  return true;
}

static const uint64_t sign_bit = UINT64_C(1) << 63;

bool exec_negf(Run *r, const InterpInst *in) {
  return run_signs(r, in, UINT64_MAX, sign_bit);
}

bool exec_absf(Run *r, const InterpInst *in) {
  return run_signs(r, in, ~sign_bit, 0);
}

// -- Comparison --------------------------------------------------------------

LOOP(eq, i, x == y)
LOOP(ne, i, x != y)
LOOP(lt, i, x < y)
LOOP(le, i, x <= y)
LOOP(gt, i, x > y)
LOOP(ge, i, x >= y)

bool exec_cmpf(Run *r, const InterpInst *in) {
  static const FloatLoop loops[] = {
      [PREDICATE_eq] = loop_eq, [PREDICATE_ne] = loop_ne,
      [PREDICATE_lt] = loop_lt, [PREDICATE_le] = loop_le,
      [PREDICATE_gt] = loop_gt, [PREDICATE_ge] = loop_ge};
  const FloatLanes lanes = float_lanes(in);
  loops[op_int(in->op, ATTR_predicate)](&lanes);
  spread_marks(r, in);
  return true;
}
