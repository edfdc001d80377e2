// math_log.c -- log and log2.
//
// x = 2^e m with m within a factor of sqrt 2 of 1; with f = m - 1 and s = f /
// (2 + f), ln m = 2 s + s^3 P(s^2), arranged so that the largest terms are
// exact.
//
// Example: for x = 6, e = 3 and m = 0.75, so f = -0.25 and s = -1/7: ln m =
// -2/7 - 0.0020, and ln x = 3 ln 2 + ln m = 1.7918.
#include "codegen/scalar/math.h"

#include <math.h>

typedef struct {
  LLVMValueRef e; // as a float
  LLVMValueRef f;
  LLVMValueRef half_square; // f^2 / 2
  LLVMValueRef rest;        // s * (f^2/2 + R): ln m = f - f^2/2 + rest
} LogParts;

// Denormals are scaled to normal numbers first.
static LLVMValueRef normalize(Math *k, LLVMValueRef x, LLVMValueRef *shift) {
  LLVMValueRef least = math_const(k, ldexp(1, 1 - k->bias));
  LLVMValueRef tiny = LLVMBuildFCmp(k->b, LLVMRealOLT, x, least, "");
  LLVMValueRef up =
      LLVMBuildFMul(k->b, x, math_const(k, ldexp(1, k->mantissa + 1)), "");
  *shift = emit_select(k->e, tiny, math_const(k, -(k->mantissa + 1)),
                       math_const(k, 0));
  return emit_select(k->e, tiny, up, x);
}

static LogParts split(Math *k, LLVMValueRef x) {
  LLVMBuilderRef b = k->b;
  LogParts out;
  LLVMValueRef shift;
  // The bits of sqrt(1/2), so that m starts there.
  LLVMValueRef root = math_int(k, k->wide ? 0x3fe6a09e667f3bcd : 0x3f3504f3);
  LLVMValueRef bits =
      LLVMBuildSub(b, math_bits(k, normalize(k, x, &shift)), root, "");
  LLVMValueRef exponent = LLVMBuildAShr(b, bits, math_int(k, k->mantissa), "");
  out.e =
      LLVMBuildFAdd(b, LLVMBuildSIToFP(b, exponent, k->type, ""), shift, "");
  const int64_t mask = (INT64_C(1) << k->mantissa) - 1;
  LLVMValueRef low = LLVMBuildAnd(b, bits, math_int(k, mask), "");
  LLVMValueRef m = math_float(k, LLVMBuildAdd(b, low, root, ""));
  out.f = LLVMBuildFSub(b, m, math_const(k, 1), "");
  LLVMValueRef s = LLVMBuildFDiv(
      b, out.f, LLVMBuildFAdd(b, out.f, math_const(k, 2), ""), "");
  LLVMValueRef z = LLVMBuildFMul(b, s, s, "");
  LLVMValueRef r =
      LLVMBuildFMul(b, z, math_poly(k, &poly_log_f32, &poly_log_f64, z), "");
  LLVMValueRef half = LLVMBuildFMul(b, out.f, math_const(k, 0.5), "");
  out.half_square = LLVMBuildFMul(b, half, out.f, "");
  out.rest = LLVMBuildFMul(b, s, LLVMBuildFAdd(b, out.half_square, r, ""), "");
  return out;
}

// Infinity and NaN are their own logarithms; that of a negative number is NaN.
static LLVMValueRef specials(Math *k, LLVMValueRef x, LLVMValueRef out) {
  LLVMBuilderRef b = k->b;
  LLVMValueRef zero = math_const(k, 0), inf = math_const(k, INFINITY);
  LLVMValueRef own = LLVMBuildFCmp(b, LLVMRealUEQ, x, inf, "");
  LLVMValueRef below = LLVMBuildFCmp(b, LLVMRealOLT, x, zero, "");
  LLVMValueRef pole = LLVMBuildFCmp(b, LLVMRealOEQ, x, zero, "");
  out = emit_select(k->e, own, x, out);
  out = emit_select(k->e, below, math_const(k, NAN), out);
  return emit_select(k->e, pole, math_const(k, -INFINITY), out);
}

LLVMValueRef math_log(Math *k, LLVMValueRef x) {
  LLVMBuilderRef b = k->b;
  const LogParts p = split(k, x);
  const double high = k->wide ? 0.6931471803691238 : 0.69287109375;
  const double low = k->wide ? 1.9082149292705877e-10 : 0.00027608680994530943;
  LLVMValueRef sum = math_fma(k, p.e, math_const(k, low), p.rest);
  sum = LLVMBuildFSub(b, p.half_square, sum, "");
  sum = LLVMBuildFSub(b, sum, p.f, "");
  LLVMValueRef top = LLVMBuildFMul(b, p.e, math_const(k, high), "");
  return specials(k, x, LLVMBuildFSub(b, top, sum, ""));
}

// ln m as a number with few digits plus a small remainder, each times 1 / ln 2.
LLVMValueRef math_log2(Math *k, LLVMValueRef x) {
  LLVMBuilderRef b = k->b;
  const LogParts p = split(k, x);
  const double inverse_high = k->wide ? 1.4426946640014648 : 1.4423828125;
  const double inverse_low =
      k->wide ? 3.768874985636099e-07 : 0.00031222838896340733;
  const int64_t mask = k->wide ? -(INT64_C(1) << 32) : -4096;
  LLVMValueRef near = LLVMBuildFSub(b, p.f, p.half_square, "");
  LLVMValueRef high =
      math_float(k, LLVMBuildAnd(b, math_bits(k, near), math_int(k, mask), ""));
  LLVMValueRef low = LLVMBuildFSub(b, p.f, high, "");
  low = LLVMBuildFSub(b, low, p.half_square, "");
  low = LLVMBuildFAdd(b, low, p.rest, "");
  LLVMValueRef both = LLVMBuildFAdd(b, low, high, "");
  LLVMValueRef small = LLVMBuildFMul(b, both, math_const(k, inverse_low), "");
  small = math_fma(k, low, math_const(k, inverse_high), small);
  LLVMValueRef large = LLVMBuildFMul(b, high, math_const(k, inverse_high), "");
  LLVMValueRef sum = LLVMBuildFAdd(b, p.e, large, "");
  LLVMValueRef lost =
      LLVMBuildFAdd(b, LLVMBuildFSub(b, p.e, sum, ""), large, "");
  small = LLVMBuildFAdd(b, small, lost, "");
  return specials(k, x, LLVMBuildFAdd(b, sum, small, ""));
}
