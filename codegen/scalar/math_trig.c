// math_trig.c -- sin and cos, for every argument.
//
// The argument is reduced in double precision to r in [-pi/4, pi/4] and a
// quadrant.  Up to 2^19, a multiple of pi/2 is subtracted in four parts;
// beyond, the product with the relevant bits of 2/pi is computed in integers
// (Payne and Hanek), lane by lane, in a separate function.
//
// For example, 10 * 2 / pi is 6.37, so the quadrant is 6, and r is
// 10 - 6 * pi / 2 = 0.57522.  The quadrant counts modulo 4, and two of them
// change the sign: sin(10) = -sin(0.57522) = -0.54402.  2^20 * 2 / pi is
// 667544.214, the quadrant is 0 modulo 4, and r is 0.21443 * pi / 2 = 0.33683.
#include "codegen/scalar/math.h"

#include <math.h>

enum { WORDS = 21, FRACTION = 188 };

// A zero word, and then the bits of 2/pi.
static const uint64_t two_over_pi[WORDS] = {
    0,
    0xa2f9836e4e441529,
    0xfc2757d1f534ddc0,
    0xdb6295993c439041,
    0xfe5163abdebbc561,
    0xb7246e3a424dd2e0,
    0x06492eea09d1921c,
    0xfe1deb1cb129a73e,
    0xe88235f52ebb4484,
    0xe99c7026b45f7e41,
    0x3991d639835339f4,
    0x9c845f8bbdf9283b,
    0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f,
    0x6d367ecf27cb09b7,
    0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b,
    0x3d0739f78a5292ea,
    0x6bfb5fb11f8d5d08,
    0x56033046fc7b6bab,
    0xf0cfbc209af4361d,
};

static LLVMTypeRef f64_type(Emit *e) {
  return LLVMDoubleTypeInContext(e->llvm.context);
}

static LLVMValueRef wide_const(Emit *e, int bits, uint64_t value) {
  return LLVMConstInt(int_type(e, bits), value, 0);
}

static LLVMValueRef table(Emit *e) {
  LLVMValueRef global = LLVMGetNamedGlobal(e->llvm.module, "tile.two_over_pi");
  if (global) return global;
  LLVMValueRef words[WORDS];
  for (int i = 0; i < WORDS; i++) words[i] = wide_const(e, 64, two_over_pi[i]);
  LLVMTypeRef type = LLVMArrayType2(int_type(e, 64), WORDS);
  global = LLVMAddGlobal(e->llvm.module, type, "tile.two_over_pi");
  LLVMSetInitializer(global, LLVMConstArray2(int_type(e, 64), words, WORDS));
  LLVMSetLinkage(global, LLVMInternalLinkage);
  LLVMSetGlobalConstant(global, 1);
  return global;
}

// 256 bits of the table from bit `start` on.
static LLVMValueRef table_bits(Emit *e, LLVMValueRef start) {
  LLVMBuilderRef b = e->b;
  LLVMTypeRef i64 = int_type(e, 64), i256 = int_type(e, 256);
  LLVMValueRef word = LLVMBuildLShr(b, start, wide_const(e, 64, 6), "");
  LLVMValueRef sum = LLVMConstNull(i256);
  for (int i = 0; i < 4; i++) {
    LLVMValueRef at = LLVMBuildAdd(b, word, wide_const(e, 64, (unsigned)i), "");
    LLVMValueRef from = LLVMBuildGEP2(b, i64, table(e), &at, 1, "");
    LLVMValueRef x =
        LLVMBuildZExt(b, LLVMBuildLoad2(b, i64, from, ""), i256, "");
    const unsigned up = 64 * (3 - (unsigned)i);
    sum =
        LLVMBuildOr(b, sum, LLVMBuildShl(b, x, wide_const(e, 256, up), ""), "");
  }
  LLVMValueRef skip = LLVMBuildAnd(b, start, wide_const(e, 64, 63), "");
  return LLVMBuildShl(b, sum, LLVMBuildZExt(b, skip, i256, ""), "");
}

// The fraction, of FRACTION bits, in turns, as a double.
static LLVMValueRef fraction_to_double(Emit *e, LLVMValueRef fraction) {
  LLVMBuilderRef b = e->b;
  LLVMTypeRef i64 = int_type(e, 64), f64 = f64_type(e);
  LLVMValueRef high = LLVMBuildTrunc(
      b, LLVMBuildAShr(b, fraction, wide_const(e, 192, 125), ""), i64, "");
  LLVMValueRef low = LLVMBuildTrunc(
      b, LLVMBuildLShr(b, fraction, wide_const(e, 192, 61), ""), i64, "");
  LLVMValueRef top =
      LLVMBuildFMul(b, LLVMBuildSIToFP(b, high, f64, ""),
                    const_float(f64, ldexp(1, 125 - FRACTION)), "");
  LLVMValueRef rest =
      LLVMBuildFMul(b, LLVMBuildUIToFP(b, low, f64, ""),
                    const_float(f64, ldexp(1, 61 - FRACTION)), "");
  return LLVMBuildFAdd(b, top, rest, "");
}

// Maps a double, at least 1, to { quadrant i64, r double }.
static void build_payne(Emit *e, LLVMValueRef function) {
  LLVMBuilderRef b = e->b;
  LLVMTypeRef i64 = int_type(e, 64), i192 = int_type(e, 192);
  LLVMValueRef bits = LLVMBuildBitCast(b, LLVMGetParam(function, 0), i64, "");
  LLVMValueRef exponent =
      LLVMBuildAnd(b, LLVMBuildLShr(b, bits, wide_const(e, 64, 52), ""),
                   wide_const(e, 64, 2047), "");
  LLVMValueRef digits = LLVMBuildOr(
      b, LLVMBuildAnd(b, bits, wide_const(e, 64, (UINT64_C(1) << 52) - 1), ""),
      wide_const(e, 64, UINT64_C(1) << 52), "");
  // x is digits * 2^(exponent - 1075); table bits for multiples of four turns
  // are left out.
  LLVMValueRef start = LLVMBuildSub(
      b, exponent, wide_const(e, 64, 1075 + 192 - FRACTION - 64), "");
  LLVMValueRef window = LLVMBuildTrunc(
      b, LLVMBuildLShr(b, table_bits(e, start), wide_const(e, 256, 64), ""),
      i192, "");
  LLVMValueRef product =
      LLVMBuildMul(b, window, LLVMBuildZExt(b, digits, i192, ""), "");
  // Half a unit is added, so that truncation rounds to the nearest quadrant.
  LLVMValueRef half = LLVMBuildShl(b, wide_const(e, 192, 1),
                                   wide_const(e, 192, FRACTION - 1), "");
  LLVMValueRef shifted = LLVMBuildAdd(b, product, half, "");
  LLVMValueRef whole =
      LLVMBuildLShr(b, shifted, wide_const(e, 192, FRACTION), "");
  LLVMValueRef fraction = LLVMBuildSub(
      b, product, LLVMBuildShl(b, whole, wide_const(e, 192, FRACTION), ""), "");
  LLVMValueRef r =
      LLVMBuildFMul(b, fraction_to_double(e, fraction),
                    const_float(f64_type(e), 1.5707963267948966), "");
  LLVMValueRef pair[] = {LLVMBuildTrunc(b, whole, i64, ""), r};
  LLVMBuildAggregateRet(b, pair, 2);
}

typedef struct {
  LLVMValueRef quadrant, r; // i64 and double, or vectors of them
} Angle;

static Angle call_payne(Emit *e, LLVMValueRef x) {
  LLVMTypeRef parts[] = {int_type(e, 64), f64_type(e)};
  LLVMTypeRef pair = LLVMStructTypeInContext(e->llvm.context, parts, 2, 0);
  LLVMTypeRef param = f64_type(e);
  LLVMTypeRef type = LLVMFunctionType(pair, &param, 1, 0);
  LLVMValueRef out = math_call(e, "turns", type, build_payne, &x, 1);
  return (Angle){LLVMBuildExtractValue(e->b, out, 0, ""),
                 LLVMBuildExtractValue(e->b, out, 1, "")};
}

static Angle subtract(Math *k, LLVMValueRef x) {
  static const double parts[] = {
      1.57079632673412561417e+00, 6.07710050630396597660e-11,
      2.02226624871116645580e-21, 8.47842766036889956997e-32};
  LLVMValueRef magic = math_const(k, 1.5 * ldexp(1, 52));
  LLVMValueRef sum = math_fma(k, x, math_const(k, 0.63661977236758138), magic);
  LLVMValueRef n = LLVMBuildFSub(k->b, sum, magic, "");
  Angle out = {math_bits(k, sum), x};
  for (int i = 0; i < 4; i++) {
    out.r = math_fma(k, n, math_const(k, -parts[i]), out.r);
  }
  return out;
}

static LLVMValueRef lane(Emit *e, LLVMValueRef x, int i) {
  if (!type_lanes(LLVMTypeOf(x))) return x;
  return LLVMBuildExtractElement(e->b, x, wide_const(e, 32, (unsigned)i), "");
}

static LLVMValueRef put_lane(Emit *e, LLVMValueRef to, LLVMValueRef x, int i) {
  if (!type_lanes(LLVMTypeOf(to))) return x;
  return LLVMBuildInsertElement(e->b, to, x, wide_const(e, 32, (unsigned)i),
                                "");
}

// Positive arguments of any size, one lane after the other.
static Angle reduce_far(Math *k, LLVMValueRef x) {
  const int lanes = type_lanes(k->type) ? type_lanes(k->type) : 1;
  Angle out = {LLVMConstNull(k->ints), LLVMConstNull(k->type)};
  for (int i = 0; i < lanes; i++) {
    const Angle one = call_payne(k->e, lane(k->e, x, i));
    out.quadrant = put_lane(k->e, out.quadrant, one.quadrant, i);
    out.r = put_lane(k->e, out.r, one.r, i);
  }
  return out;
}

static LLVMValueRef any(Emit *e, LLVMValueRef x) {
  if (!type_lanes(LLVMTypeOf(x))) return x;
  return emit_intrinsic(e, "llvm.vector.reduce.or", 1, &x);
}

// Is `x` out of range of subtract()?  A NaN is not.
static LLVMValueRef is_far(Math *k, LLVMValueRef x) {
  LLVMValueRef most = math_const(k, ldexp(1, 19));
  return LLVMBuildFCmp(k->b, LLVMRealOGT, x, most, "");
}

static LLVMValueRef merge(Emit *e, LLVMValueRef near,
                          LLVMBasicBlockRef from_near, LLVMValueRef far,
                          LLVMBasicBlockRef from_far) {
  LLVMValueRef phi = LLVMBuildPhi(e->b, LLVMTypeOf(near), "");
  LLVMAddIncoming(phi, (LLVMValueRef[]){near, far},
                  (LLVMBasicBlockRef[]){from_near, from_far}, 2);
  return phi;
}

// The reduction of |x| in double precision, with a branch to the slow way if a
// lane needs it.
static Angle reduce(Math *k, LLVMValueRef function, LLVMValueRef x) {
  LLVMBuilderRef b = k->b;
  LLVMContextRef context = k->e->llvm.context;
  LLVMValueRef far = is_far(k, x);
  const Angle near = subtract(k, x);
  LLVMBasicBlockRef here = LLVMGetInsertBlock(b);
  LLVMBasicBlockRef slow =
      LLVMAppendBasicBlockInContext(context, function, "far");
  LLVMBasicBlockRef rest =
      LLVMAppendBasicBlockInContext(context, function, "reduced");
  LLVMBuildCondBr(b, any(k->e, far), slow, rest);
  LLVMPositionBuilderAtEnd(b, slow);
  // Other lanes get any argument that the slow way accepts.
  LLVMValueRef safe = emit_select(k->e, far, x, math_const(k, ldexp(1, 20)));
  const Angle exact = reduce_far(k, safe);
  const Angle mixed = {emit_select(k->e, far, exact.quadrant, near.quadrant),
                       emit_select(k->e, far, exact.r, near.r)};
  LLVMBasicBlockRef end = LLVMGetInsertBlock(b);
  LLVMBuildBr(b, rest);
  LLVMPositionBuilderAtEnd(b, rest);
  return (Angle){merge(k->e, near.quadrant, here, mixed.quadrant, end),
                 merge(k->e, near.r, here, mixed.r, end)};
}

static LLVMValueRef sin_near(Math *k, LLVMValueRef r, LLVMValueRef z) {
  LLVMValueRef cube = LLVMBuildFMul(k->b, z, r, "");
  return math_fma(k, cube, math_poly(k, &poly_sin_f32, &poly_sin_f64, z), r);
}

static LLVMValueRef cos_near(Math *k, LLVMValueRef z) {
  LLVMValueRef one = math_const(k, 1);
  LLVMValueRef half = LLVMBuildFMul(k->b, z, math_const(k, 0.5), "");
  LLVMValueRef top = LLVMBuildFSub(k->b, one, half, "");
  LLVMValueRef lost =
      LLVMBuildFSub(k->b, LLVMBuildFSub(k->b, one, top, ""), half, "");
  LLVMValueRef p = math_poly(k, &poly_cos_f32, &poly_cos_f64, z);
  p = math_fma(k, LLVMBuildFMul(k->b, z, z, ""), p, lost);
  return LLVMBuildFAdd(k->b, top, p, "");
}

static LLVMValueRef bit(Math *k, LLVMValueRef x, int64_t mask) {
  LLVMValueRef some = LLVMBuildAnd(k->b, x, math_int(k, mask), "");
  return LLVMBuildICmp(k->b, LLVMIntNE, some, LLVMConstNull(k->ints), "");
}

// `turn`: quadrants to add, 0 for sin, 1 for cos.
static LLVMValueRef by_quadrant(Math *k, LLVMValueRef quadrant, LLVMValueRef r,
                                int turn) {
  LLVMValueRef z = LLVMBuildFMul(k->b, r, r, "");
  LLVMValueRef q = LLVMBuildAdd(k->b, quadrant, math_int(k, turn), "");
  LLVMValueRef s = sin_near(k, r, z), c = cos_near(k, z);
  LLVMValueRef out = emit_select(k->e, bit(k, q, 1), c, s);
  LLVMValueRef minus = LLVMBuildFNeg(k->b, out, "");
  return emit_select(k->e, bit(k, q, 2), minus, out);
}

static void build(Emit *e, LLVMValueRef function, int turn) {
  LLVMValueRef x = LLVMGetParam(function, 0);
  Math k = math_of(e, x);
  LLVMValueRef magnitude = math_abs(&k, x);
  LLVMValueRef wide = magnitude;
  LLVMTypeRef f64 = type_like(k.type, f64_type(e));
  if (!k.wide) wide = LLVMBuildFPExt(e->b, magnitude, f64, "");
  Math w = math_of(e, wide);
  Angle angle = reduce(&w, function, wide);
  if (!k.wide) {
    angle.r = LLVMBuildFPTrunc(e->b, angle.r, k.type, "");
    angle.quadrant = LLVMBuildTrunc(e->b, angle.quadrant, k.ints, "");
  }
  LLVMValueRef out = by_quadrant(&k, angle.quadrant, angle.r, turn);
  if (!turn) { // sin is odd, and keeps the sign of zero
    LLVMValueRef minus = LLVMBuildFNeg(e->b, out, "");
    LLVMValueRef sign = LLVMBuildICmp(e->b, LLVMIntSLT, math_bits(&k, x),
                                      LLVMConstNull(k.ints), "");
    out = emit_select(e, sign, minus, out);
  }
  LLVMValueRef finite =
      LLVMBuildFCmp(e->b, LLVMRealONE, magnitude, math_const(&k, INFINITY), "");
  LLVMBuildRet(e->b, emit_select(e, finite, out, math_const(&k, NAN)));
}

static void build_sin(Emit *e, LLVMValueRef function) {
  build(e, function, 0);
}

static void build_cos(Emit *e, LLVMValueRef function) {
  build(e, function, 1);
}

LLVMValueRef math_sin(Math *k, LLVMValueRef x) {
  LLVMTypeRef type = LLVMFunctionType(k->type, &k->type, 1, 0);
  return math_call(k->e, "sin", type, build_sin, &x, 1);
}

LLVMValueRef math_cos(Math *k, LLVMValueRef x) {
  LLVMTypeRef type = LLVMFunctionType(k->type, &k->type, 1, 0);
  return math_call(k->e, "cos", type, build_cos, &x, 1);
}
