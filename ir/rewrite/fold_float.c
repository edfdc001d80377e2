// fold_float.c -- float arithmetic and conversions of constants.
//
// Results are computed in double and rounded once more to the format: for the
// basic operations on f32 and smaller, double is wide enough that this equals
// one rounding.
#include "ir/rewrite/fold_eval.h"

#include <math.h>

// Is the value neither zero nor denormal?  With denormals, division is
// approximate on some devices.
static bool is_usual(double x, Elem elem) {
  const int smallest = 2 - (1 << (elem_info[elem].exponent_bits - 1));
  return isfinite(x) && fabs(x) >= ldexp(1, smallest);
}

static double larger(double x, double y) {
  if (x == y) return signbit(x) ? y : x; // +0 instead of -0
  return x > y ? x : y;
}

bool eval_float(OpKind kind, Elem elem, const Number *v, Number *out) {
  const double x = v[0].f, y = v[1].f;
  double r;
  switch (kind) {
  case OP_addf: r = x + y; break;
  case OP_subf: r = x - y; break;
  case OP_mulf: r = x * y; break;
  case OP_divf:
  case OP_divf_rn:
    if (!is_usual(x, elem) || !is_usual(y, elem)) return false;
    r = x / y;
    if (!is_usual(float_round(r, elem), elem)) return false;
    break;
  case OP_maxf:
  case OP_maximumf: r = isnan(x) || isnan(y) ? NAN : larger(x, y); break;
  case OP_minf:
  case OP_minimumf: r = isnan(x) || isnan(y) ? NAN : -larger(-x, -y); break;
  case OP_negf: r = -x; break;
  case OP_absf: r = fabs(x); break;
  case OP_floor: r = floor(x); break;
  case OP_ceil: r = ceil(x); break;
  case OP_trunc: r = trunc(x); break;
  default: return false;
  }
  out->f = float_round(r, elem);
  return !isnan(r);
}

// Is the integer small enough to be exact in any wider format in between?
static bool is_small(double x, Elem to) {
  const bool half = elem_info[to].bits == 16; // some convert by way of f32
  return fabs(x) <= (half ? 0x1p24 : 0x1p53);
}

static bool int_to_float(double x, Elem to, Number *out) {
  out->f = float_round(x, to);
  return is_small(x, to);
}

static int64_t to_signed(double x, Elem to) {
  const int bits = elem_info[to].bits;
  const double limit = ldexp(1, bits - 1);
  if (isnan(x)) return 0;
  if (x < -limit) return (int64_t)(UINT64_MAX << (bits - 1));
  if (x >= limit) return (int64_t)((UINT64_C(1) << (bits - 1)) - 1);
  return (int64_t)x;
}

static int64_t to_unsigned(double x, Elem to) {
  const int bits = elem_info[to].bits;
  if (!(x > 0)) return 0;
  return x >= ldexp(1, bits) ? -1 : (int64_t)(uint64_t)x;
}

static bool bitcast(Elem from, Elem to, const Number *x, Number *out) {
  const bool is_float = elem_info[from].is_float;
  if (is_float && isnan(x->f)) return false; // its bits may differ
  const uint64_t bits =
      is_float ? float_encode(x->f, from) : int_unsigned(x->i, from);
  if (!elem_info[to].is_float) {
    out->i = int_wrap((int64_t)bits, to);
    return true;
  }
  out->f = float_decode(bits, to);
  // An infinity that conversions to the type never give: a constant of it would
  // be converted again.
  if (isinf(out->f) && float_saturates_infinity(to)) return false;
  return !isnan(out->f);
}

bool eval_convert(OpKind kind, Elem from, Elem to, Rounding rounding,
                  const Number *x, Number *out) {
  const int64_t i = x->i, sign = from == ELEM_i1 ? -1 : 1;
  switch (kind) {
  case OP_extf:
  case OP_truncf:
    out->f = float_round_to(x->f, to, rounding);
    return !isnan(x->f);
  case OP_sitofp: return int_to_float((double)(sign * i), to, out);
  case OP_uitofp: return int_to_float((double)int_unsigned(i, from), to, out);
  case OP_fptosi: out->i = int_wrap(to_signed(x->f, to), to); return true;
  case OP_fptoui: out->i = int_wrap(to_unsigned(x->f, to), to); return true;
  case OP_bitcast: return bitcast(from, to, x, out);
  default: return eval_resize(kind, from, to, x, out);
  }
}
