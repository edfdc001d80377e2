// math_exp.c -- exp, exp2, tanh and erf.
//
// x = n ln 2 + r with n an integer: e^x = 2^n (1 + r P(r)).  n is found by
// adding 1.5 * 2^mantissa, whose low bits then hold it; the argument is limited
// to the range of finite nonzero results, so that n is small.  All comparisons
// with a NaN are false, so it reaches the result.
//
// Example: for x = 1, n = 1 and r = 1 - ln 2 = 0.3069, so e = 2 * (1 + 0.3069 *
// 1.1703).
#include "codegen/scalar/math.h"

#include "codegen/scalar/avx512.h"

#include <math.h>

enum { STEPS = 16 }; // to a power of two, of full vectors of f32 with AVX-512

typedef struct {
  LLVMValueRef n, r; // n as a float
  LLVMValueRef bits; // n as an integer
  LLVMValueRef low;  // an integer whose low bits are those of n
} Reduced;

static LLVMValueRef limit(Math *k, LLVMValueRef x, double low, double high) {
  LLVMValueRef most = math_const(k, high), least = math_const(k, low);
  LLVMValueRef above = LLVMBuildFCmp(k->b, LLVMRealOGT, x, most, "");
  x = emit_select(k->e, above, most, x);
  LLVMValueRef below = LLVMBuildFCmp(k->b, LLVMRealOLT, x, least, "");
  return emit_select(k->e, below, least, x);
}

// n = x * scale, rounded to the nearest multiple of 1 / steps; `bits` are n *
// steps.
static Reduced nearest(Math *k, LLVMValueRef x, double scale, int steps) {
  const double unit = ldexp(1, k->mantissa) / steps;
  LLVMValueRef magic = math_const(k, 1.5 * unit);
  LLVMValueRef sum = scale == 1 ? LLVMBuildFAdd(k->b, x, magic, "")
                                : math_fma(k, x, math_const(k, scale), magic);
  LLVMValueRef low = math_bits(k, sum);
  return (Reduced){.n = LLVMBuildFSub(k->b, sum, magic, ""),
                   .bits = LLVMBuildSub(k->b, low, math_bits(k, magic), ""),
                   .low = low};
}

static Reduced reduce(Math *k, LLVMValueRef x, int steps) {
  Reduced out = nearest(k, x, 1.4426950408889634, steps);
  const double high = k->wide ? 0.6931471803691238 : 0.69287109375;
  const double low = k->wide ? 1.9082149292705877e-10 : 0.00027608680994530943;
  out.r = math_fma(k, out.n, math_const(k, -high), x);
  out.r = math_fma(k, out.n, math_const(k, -low), out.r);
  return out;
}

static LLVMValueRef power_of_two(Math *k, LLVMValueRef n) {
  LLVMValueRef biased = LLVMBuildAdd(k->b, n, math_int(k, k->bias), "");
  return math_float(k,
                    LLVMBuildShl(k->b, biased, math_int(k, k->mantissa), ""));
}

// y 2^n in two steps, since 2^n alone may overflow or be denormal.
static LLVMValueRef scale(Math *k, LLVMValueRef y, LLVMValueRef n) {
  LLVMValueRef half = LLVMBuildAShr(k->b, n, math_int(k, 1), "");
  LLVMValueRef rest = LLVMBuildSub(k->b, n, half, "");
  y = LLVMBuildFMul(k->b, y, power_of_two(k, half), "");
  return LLVMBuildFMul(k->b, y, power_of_two(k, rest), "");
}

static LLVMValueRef scale_by(Math *k, LLVMValueRef y, const Reduced *by) {
  const Avx512 *full = avx512_of(k->e, k->type);
  return full ? avx512_scale(k->e, full, y, by->n) : scale(k, y, by->bits);
}

// -- By steps ----------------------------------------------------------------

// n has a fraction of 4 bits, f, and 2^f is taken from a table, which leaves so
// little of r that a short polynomial is enough.  Arguments are not limited: n
// alone makes the result of a large one infinite or 0, and that of a NaN a NaN,
// if r is any small number.

static bool goes_by_steps(const Math *k) {
  return !k->wide && avx512_of(k->e, k->type);
}

// 2^f by the low bits; a permutation is a table of one vector, and does not
// read the others.
static LLVMValueRef power_of_step(Math *k, LLVMValueRef low) {
  LLVMValueRef table[STEPS];
  LLVMTypeRef f32 = LLVMGetElementType(k->type);
  for (int i = 0; i < STEPS; i++)
    table[i] = const_float(f32, exp2((double)i / STEPS));
  LLVMValueRef args[] = {LLVMConstVector(table, STEPS), low};
  return llvm_call(&k->e->llvm, "llvm.x86.avx512.permvar.sf.512", NULL, 0, args,
                   2);
}

// r with a magnitude of at most 1/16, also if it is a NaN.
static LLVMValueRef small_rest(Math *k, LLVMValueRef r) {
  return avx512_range(k->e, avx512_of(k->e, k->type), RANGE_SMALLER_MAGNITUDE,
                      r, math_const(k, 0.0625));
}

// 2^n (1 + r (linear + r P(r))).
static LLVMValueRef power_by_steps(Math *k, const Reduced *by, double linear,
                                   const Poly *more) {
  LLVMValueRef r = small_rest(k, by->r), table = power_of_step(k, by->low);
  LLVMValueRef p = math_poly(k, more, more, r);
  p = math_fma(k, r, p, math_const(k, linear));
  LLVMValueRef part = LLVMBuildFMul(k->b, r, table, "");
  return scale_by(k, math_fma(k, part, p, table), by);
}

// -- The functions -----------------------------------------------------------

LLVMValueRef math_exp(Math *k, LLVMValueRef x) {
  if (goes_by_steps(k)) {
    const Reduced by = reduce(k, x, STEPS);
    return power_by_steps(k, &by, 1, &poly_exp_step);
  }
  x = limit(k, x, k->wide ? -746 : -104, k->wide ? 710 : 89);
  const Reduced by = reduce(k, x, 1);
  LLVMValueRef p = math_poly(k, &poly_exp_f32, &poly_exp_f64, by.r);
  return scale_by(k, math_fma(k, by.r, p, math_const(k, 1)), &by);
}

static Reduced reduce_exp2(Math *k, LLVMValueRef x, int steps) {
  Reduced out = nearest(k, x, 1, steps);
  out.r = LLVMBuildFSub(k->b, x, out.n, "");
  return out;
}

LLVMValueRef math_exp2(Math *k, LLVMValueRef x) {
  if (goes_by_steps(k)) {
    const Reduced by = reduce_exp2(k, x, STEPS);
    return power_by_steps(k, &by, 0.6931471805599453, &poly_exp2_step);
  }
  x = limit(k, x, k->wide ? -1076 : -151, k->wide ? 1025 : 129);
  const Reduced by = reduce_exp2(k, x, 1);
  LLVMValueRef p = math_poly(k, &poly_exp2_f32, &poly_exp2_f64, by.r);
  return scale_by(k, math_fma(k, by.r, p, math_const(k, 1)), &by);
}

// With t = e^(2|x|) - 1, tanh = t / (t + 2); t keeps its digits near 0.
LLVMValueRef math_tanh(Math *k, LLVMValueRef x) {
  LLVMValueRef magnitude = math_abs(k, x);
  LLVMValueRef twice = LLVMBuildFAdd(k->b, magnitude, magnitude, "");
  const Reduced by = reduce(k, limit(k, twice, 0, 64), 1);
  LLVMValueRef p = math_poly(k, &poly_exp_f32, &poly_exp_f64, by.r);
  LLVMValueRef power = power_of_two(k, by.bits);
  LLVMValueRef less = LLVMBuildFSub(k->b, power, math_const(k, 1), "");
  LLVMValueRef small = LLVMBuildFMul(k->b, by.r, p, "");
  LLVMValueRef t = math_fma(k, small, power, less);
  LLVMValueRef below = LLVMBuildFAdd(k->b, t, math_const(k, 2), "");
  return math_sign_of(k, LLVMBuildFDiv(k->b, t, below, ""), x);
}

Erf math_erf_f32(Math *k, LLVMValueRef x) {
  LLVMBuilderRef b = k->b;
  LLVMValueRef size = math_abs(k, x), z = LLVMBuildFMul(b, x, x, "");
  LLVMValueRef more = math_poly(k, &poly_erf_f32, &poly_erf_f32, z);
  return (Erf){.is_near =
                   LLVMBuildFCmp(b, LLVMRealOLT, size, math_const(k, 1), ""),
               .near = math_fma(k, x, more, x),
               .power = math_poly(k, &poly_erfc_log2, &poly_erfc_log2, size)};
}

static LLVMValueRef erf_f32(Math *k, LLVMValueRef x) {
  const Erf erf = math_erf_f32(k, x);
  LLVMValueRef rest = math_exp2(k, erf.power);
  LLVMValueRef far = LLVMBuildFSub(k->b, math_const(k, 1), rest, "");
  return emit_select(k->e, erf.is_near, erf.near, math_sign_of(k, far, x));
}

// Below 1, an odd polynomial; above, 1 - e^(-x^2) Q((x - 2)/(x + 2)).
LLVMValueRef math_erf(Math *k, LLVMValueRef x) {
  if (!k->wide) return erf_f32(k, x);
  LLVMBuilderRef b = k->b;
  LLVMValueRef one = math_const(k, 1), two = math_const(k, 2);
  LLVMValueRef z = LLVMBuildFMul(b, x, x, "");
  LLVMValueRef near =
      LLVMBuildFMul(b, x, math_poly(k, &poly_erf_f64, &poly_erf_f64, z), "");
  LLVMValueRef a = limit(k, math_abs(k, x), 1, 6);
  LLVMValueRef t = LLVMBuildFDiv(b, LLVMBuildFSub(b, a, two, ""),
                                 LLVMBuildFAdd(b, a, two, ""), "");
  LLVMValueRef q = math_poly(k, &poly_erfc_f64, &poly_erfc_f64, t);
  LLVMValueRef square = LLVMBuildFMul(b, a, a, "");
  LLVMValueRef decay = math_exp(k, LLVMBuildFNeg(b, square, ""));
  LLVMValueRef far = LLVMBuildFSub(b, one, LLVMBuildFMul(b, decay, q, ""), "");
  LLVMValueRef is_near = LLVMBuildFCmp(b, LLVMRealOLT, math_abs(k, x), one, "");
  return emit_select(k->e, is_near, near, math_sign_of(k, far, x));
}
