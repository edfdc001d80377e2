// math_remainder.c -- fmod, exactly.
//
// The remainder of two f64 with mantissas a and b is that of a 2^n by b,
// computed in steps of eleven bits, the room above 53.  An f32 is exact in f64,
// and so is its remainder.
#include "codegen/scalar/math.h"

#include <math.h>

enum { STEP = 11 };

static LLVMValueRef word(Emit *e, int64_t value) {
  return const_int(int_type(e, 64), value);
}

static LLVMValueRef exponent_of(Emit *e, LLVMValueRef bits) {
  LLVMValueRef field = LLVMBuildLShr(e->b, bits, word(e, 52), "");
  LLVMValueRef none = LLVMBuildICmp(e->b, LLVMIntEQ, field, word(e, 0), "");
  return emit_select(e, none, word(e, 1), field);
}

static LLVMValueRef digits_of(Emit *e, LLVMValueRef bits) {
  const int64_t top = INT64_C(1) << 52;
  LLVMValueRef low = LLVMBuildAnd(e->b, bits, word(e, top - 1), "");
  LLVMValueRef normal = LLVMBuildICmp(e->b, LLVMIntUGE, bits, word(e, top), "");
  LLVMValueRef implied = emit_select(e, normal, word(e, top), word(e, 0));
  return LLVMBuildOr(e->b, low, implied, "");
}

// a 2^left modulo b, in a loop.
static LLVMValueRef divide(Emit *e, LLVMValueRef function, LLVMValueRef a,
                           LLVMValueRef b, LLVMValueRef left) {
  LLVMBuilderRef ir = e->b;
  LLVMContextRef context = e->llvm.context;
  LLVMTypeRef i64 = int_type(e, 64);
  LLVMBasicBlockRef before = LLVMGetInsertBlock(ir);
  LLVMBasicBlockRef loop =
      LLVMAppendBasicBlockInContext(context, function, "divide");
  LLVMBasicBlockRef done =
      LLVMAppendBasicBlockInContext(context, function, "divided");
  LLVMBuildBr(ir, loop);
  LLVMPositionBuilderAtEnd(ir, loop);
  LLVMValueRef rest = LLVMBuildPhi(ir, i64, "");
  LLVMValueRef to_go = LLVMBuildPhi(ir, i64, "");
  LLVMValueRef now = LLVMBuildURem(ir, rest, b, "");
  LLVMValueRef many = LLVMBuildICmp(ir, LLVMIntUGT, to_go, word(e, STEP), "");
  LLVMValueRef by = emit_select(e, many, word(e, STEP), to_go);
  LLVMValueRef next = LLVMBuildShl(ir, now, by, "");
  LLVMValueRef less = LLVMBuildSub(ir, to_go, by, "");
  LLVMValueRef end = LLVMBuildICmp(ir, LLVMIntEQ, to_go, word(e, 0), "");
  LLVMBuildCondBr(ir, end, done, loop);
  LLVMBasicBlockRef from[] = {before, loop};
  LLVMAddIncoming(rest, (LLVMValueRef[]){a, next}, from, 2);
  LLVMAddIncoming(to_go, (LLVMValueRef[]){left, less}, from, 2);
  LLVMPositionBuilderAtEnd(ir, done);
  return now;
}

// For two finite positive numbers, x >= y > 0.
static LLVMValueRef remainder_of(Emit *e, LLVMValueRef function, LLVMValueRef x,
                                 LLVMValueRef y) {
  LLVMBuilderRef b = e->b;
  LLVMTypeRef i64 = int_type(e, 64);
  LLVMTypeRef f64 = LLVMDoubleTypeInContext(e->llvm.context);
  LLVMValueRef xs = LLVMBuildBitCast(b, x, i64, "");
  LLVMValueRef ys = LLVMBuildBitCast(b, y, i64, "");
  LLVMValueRef unit = exponent_of(e, ys);
  LLVMValueRef left = LLVMBuildSub(b, exponent_of(e, xs), unit, "");
  LLVMValueRef rest =
      divide(e, function, digits_of(e, xs), digits_of(e, ys), left);
  LLVMValueRef small = LLVMBuildFMul(b, LLVMBuildUIToFP(b, rest, f64, ""),
                                     const_float(f64, ldexp(1, -52)), "");
  LLVMValueRef power =
      LLVMBuildBitCast(b, LLVMBuildShl(b, unit, word(e, 52), ""), f64, "");
  return LLVMBuildFMul(b, small, power, "");
}

static void build_fmod(Emit *e, LLVMValueRef function) {
  LLVMBuilderRef b = e->b;
  LLVMTypeRef f64 = LLVMDoubleTypeInContext(e->llvm.context);
  LLVMValueRef x = LLVMGetParam(function, 0), y = LLVMGetParam(function, 1);
  LLVMValueRef ax = emit_intrinsic(e, "llvm.fabs", 1, &x);
  LLVMValueRef ay = emit_intrinsic(e, "llvm.fabs", 1, &y);
  LLVMValueRef inf = const_float(f64, INFINITY), zero = const_float(f64, 0);
  LLVMValueRef bad =
      LLVMBuildOr(b, LLVMBuildFCmp(b, LLVMRealUEQ, ax, inf, ""),
                  LLVMBuildFCmp(b, LLVMRealUEQ, ay, zero, ""), "");
  LLVMValueRef less = LLVMBuildFCmp(b, LLVMRealOLT, ax, ay, "");
  LLVMValueRef skip = LLVMBuildOr(b, bad, less, "");
  LLVMValueRef one = const_float(f64, 1);
  LLVMValueRef rest = remainder_of(e, function, emit_select(e, skip, one, ax),
                                   emit_select(e, skip, one, ay));
  rest = emit_intrinsic(e, "llvm.copysign", 2, (LLVMValueRef[]){rest, x});
  LLVMValueRef out = emit_select(e, less, x, rest);
  LLVMBuildRet(b, emit_select(e, bad, const_float(f64, NAN), out));
}

static LLVMValueRef one_remainder(Emit *e, LLVMValueRef x, LLVMValueRef y) {
  LLVMTypeRef f64 = LLVMDoubleTypeInContext(e->llvm.context);
  LLVMTypeRef own = LLVMTypeOf(x), params[] = {f64, f64};
  LLVMTypeRef type = LLVMFunctionType(f64, params, 2, 0);
  LLVMValueRef args[] = {LLVMBuildFPCast(e->b, x, f64, ""),
                         LLVMBuildFPCast(e->b, y, f64, "")};
  LLVMValueRef out = math_call(e, "fmod", type, build_fmod, args, 2);
  return LLVMBuildFPCast(e->b, out, own, "");
}

LLVMValueRef math_remainder(Emit *e, LLVMValueRef x, LLVMValueRef y) {
  const int lanes = type_lanes(LLVMTypeOf(x));
  if (!lanes) return one_remainder(e, x, y);
  LLVMValueRef out = LLVMGetPoison(LLVMTypeOf(x));
  for (int i = 0; i < lanes; i++) {
    LLVMValueRef at = const_int(int_type(e, 32), i);
    LLVMValueRef rest =
        one_remainder(e, LLVMBuildExtractElement(e->b, x, at, ""),
                      LLVMBuildExtractElement(e->b, y, at, ""));
    out = LLVMBuildInsertElement(e->b, out, rest, at, "");
  }
  return out;
}
