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

#include <math.h>

typedef struct {
  LLVMValueRef n, r; // n as a float
  LLVMValueRef bits; // n as an integer
} Reduced;

static LLVMValueRef limit(Math *k, LLVMValueRef x, double low, double high) {
  LLVMValueRef most = math_const(k, high), least = math_const(k, low);
  LLVMValueRef above = LLVMBuildFCmp(k->b, LLVMRealOGT, x, most, "");
  x = emit_select(k->e, above, most, x);
  LLVMValueRef below = LLVMBuildFCmp(k->b, LLVMRealOLT, x, least, "");
  return emit_select(k->e, below, least, x);
}

// n = x * scale, rounded to the nearest integer.
static Reduced nearest(Math *k, LLVMValueRef x, double scale) {
  LLVMValueRef magic = math_const(k, 1.5 * ldexp(1, k->mantissa));
  LLVMValueRef sum = scale == 1 ? LLVMBuildFAdd(k->b, x, magic, "")
                                : math_fma(k, x, math_const(k, scale), magic);
  return (Reduced){
      .n = LLVMBuildFSub(k->b, sum, magic, ""),
      .bits = LLVMBuildSub(k->b, math_bits(k, sum), math_bits(k, magic), "")};
}

static Reduced reduce(Math *k, LLVMValueRef x) {
  Reduced out = nearest(k, x, 1.4426950408889634);
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

// AVX-512 scales a full vector in one instruction, also with denormal results.
static LLVMValueRef scale_by(Math *k, LLVMValueRef y, const Reduced *by) {
  const int lanes = k->wide ? 8 : 16;
  if (k->e->llvm.vector_bytes != 64 || type_lanes(k->type) != lanes) {
    return scale(k, y, by->bits);
  }
  LLVMValueRef all = const_int(int_type(k->e, lanes), -1);
  LLVMValueRef rounding = const_int(int_type(k->e, 32), 4);
  LLVMValueRef args[] = {y, by->n, y, all, rounding};
  return llvm_call(&k->e->llvm,
                   k->wide ? "llvm.x86.avx512.mask.scalef.pd.512"
                           : "llvm.x86.avx512.mask.scalef.ps.512",
                   NULL, 0, args, 5);
}

LLVMValueRef math_exp(Math *k, LLVMValueRef x) {
  x = limit(k, x, k->wide ? -746 : -104, k->wide ? 710 : 89);
  const Reduced by = reduce(k, x);
  LLVMValueRef p = math_poly(k, &poly_exp_f32, &poly_exp_f64, by.r);
  return scale_by(k, math_fma(k, by.r, p, math_const(k, 1)), &by);
}

LLVMValueRef math_exp2(Math *k, LLVMValueRef x) {
  x = limit(k, x, k->wide ? -1076 : -151, k->wide ? 1025 : 129);
  Reduced by = nearest(k, x, 1);
  by.r = LLVMBuildFSub(k->b, x, by.n, "");
  LLVMValueRef p = math_poly(k, &poly_exp2_f32, &poly_exp2_f64, by.r);
  return scale_by(k, math_fma(k, by.r, p, math_const(k, 1)), &by);
}

// With t = e^(2|x|) - 1, tanh = t / (t + 2); t keeps its digits near 0.
LLVMValueRef math_tanh(Math *k, LLVMValueRef x) {
  LLVMValueRef magnitude = math_abs(k, x);
  LLVMValueRef twice = LLVMBuildFAdd(k->b, magnitude, magnitude, "");
  const Reduced by = reduce(k, limit(k, twice, 0, 64));
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
