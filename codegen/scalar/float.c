// float.c -- elementwise operations on floats.
//
// Narrow formats are computed in f32 and rounded once for each operation: for
// +, -, *, / and sqrt that is the correctly rounded result, since f32 has more
// than twice their digits.  fma has no such margin and is computed in f64.
#include "codegen/scalar/scalar.h"

#include "codegen/scalar/avx512.h"

#include <math.h>

static LLVMTypeRef f64_like(Emit *e, LLVMValueRef x) {
  return type_like(LLVMTypeOf(x), LLVMDoubleTypeInContext(e->llvm.context));
}

static LLVMValueRef fusible(Emit *e, LLVMValueRef value) {
  if (!e->options.no_fp_fusion && LLVMIsAInstruction(value) &&
      LLVMCanValueUseFastMathFlags(value)) {
    LLVMSetFastMathFlags(value, LLVMFastMathAllowContract);
  }
  return value;
}

LLVMValueRef scalar_finish(Emit *e, const Op *op, LLVMValueRef value) {
  const Elem elem = op_result(op)->type->elem;
  if (!elem_is_narrow(elem)) return value;
  return convert_round(e, elem, value, ROUNDING_rtne);
}

#define ARITHMETIC(name, build)                                                \
  LLVMValueRef scalar_##name(Emit *e, const Op *op, LLVMValueRef const *x) {   \
    return scalar_finish(e, op, fusible(e, build(e->b, x[0], x[1], "")));      \
  }
ARITHMETIC(addf, LLVMBuildFAdd)
ARITHMETIC(subf, LLVMBuildFSub)
ARITHMETIC(mulf, LLVMBuildFMul)
#undef ARITHMETIC

LLVMValueRef scalar_divf_rn(Emit *e, const Op *op, LLVMValueRef const *x) {
  return scalar_finish(e, op, LLVMBuildFDiv(e->b, x[0], x[1], ""));
}

LLVMValueRef scalar_divf(Emit *e, const Op *op, LLVMValueRef const *x) {
  return scalar_divf_rn(e, op, x);
}

LLVMValueRef scalar_negf(Emit *e, const Op *op, LLVMValueRef const *x) {
  (void)op;
  return LLVMBuildFNeg(e->b, x[0], "");
}

LLVMValueRef scalar_absf(Emit *e, const Op *op, LLVMValueRef const *x) {
  (void)op;
  return emit_intrinsic(e, "llvm.fabs", 1, x);
}

#define INTRINSIC(name, intrinsic)                                             \
  LLVMValueRef scalar_##name(Emit *e, const Op *op, LLVMValueRef const *x) {   \
    return scalar_finish(e, op, emit_intrinsic(e, intrinsic, 1, x));           \
  }
INTRINSIC(floor, "llvm.floor")
INTRINSIC(ceil, "llvm.ceil")
INTRINSIC(trunc, "llvm.trunc")
INTRINSIC(rint, "llvm.rint")
INTRINSIC(sqrt_rn, "llvm.sqrt")
INTRINSIC(sqrt, "llvm.sqrt")
#undef INTRINSIC

LLVMValueRef scalar_rsqrt(Emit *e, const Op *op, LLVMValueRef const *x) {
  LLVMValueRef root = emit_intrinsic(e, "llvm.sqrt", 1, x);
  LLVMValueRef one = const_float(LLVMTypeOf(root), 1);
  return scalar_finish(e, op, LLVMBuildFDiv(e->b, one, root, ""));
}

#define MATH(name)                                                             \
  LLVMValueRef scalar_##name(Emit *e, const Op *op, LLVMValueRef const *x) {   \
    return scalar_finish(e, op, math_emit(e, op->kind, x[0]));                 \
  }
MATH(exp)
MATH(exp2)
MATH(log)
MATH(log2)
MATH(sin)
MATH(cos)
MATH(tanh)
MATH(erf)
#undef MATH

LLVMValueRef scalar_remf(Emit *e, const Op *op, LLVMValueRef const *x) {
  (void)op;
  return math_remainder(e, x[0], x[1]);
}

// x + y rounded to odd in f64: if the sum is not exact, its last bit is 1, so
// that a later rounding sees no false tie.
static LLVMValueRef sum_to_odd(Emit *e, LLVMValueRef x, LLVMValueRef y) {
  LLVMBuilderRef b = e->b;
  LLVMValueRef sum = LLVMBuildFAdd(b, x, y, "");
  LLVMValueRef part = LLVMBuildFSub(b, sum, x, "");
  LLVMValueRef error =
      LLVMBuildFAdd(b, LLVMBuildFSub(b, x, LLVMBuildFSub(b, sum, part, ""), ""),
                    LLVMBuildFSub(b, y, part, ""), "");
  LLVMTypeRef type = LLVMTypeOf(sum), ints = type_like(type, int_type(e, 64));
  LLVMValueRef zero = LLVMConstNull(type);
  LLVMValueRef bits = LLVMBuildBitCast(b, sum, ints, "");
  LLVMValueRef odd =
      LLVMBuildTrunc(b, bits, type_like(type, int_type(e, 1)), "");
  LLVMValueRef exact = LLVMBuildFCmp(b, LLVMRealUEQ, error, zero, "");
  LLVMValueRef away = LLVMBuildICmp(
      b, LLVMIntEQ, LLVMBuildFCmp(b, LLVMRealOGT, error, zero, ""),
      LLVMBuildFCmp(b, LLVMRealOGT, sum, zero, ""), "");
  LLVMValueRef step =
      emit_select(e, away, const_int(ints, 1), const_int(ints, -1));
  LLVMValueRef moved = LLVMBuildAdd(b, bits, step, "");
  LLVMValueRef kept =
      emit_select(e, LLVMBuildOr(b, exact, odd, ""), bits, moved);
  return LLVMBuildBitCast(b, kept, type, "");
}

// The product of two narrow numbers is exact in f64; the sum may not be.
LLVMValueRef scalar_fma(Emit *e, const Op *op, LLVMValueRef const *x) {
  const Elem elem = op_result(op)->type->elem;
  if (!elem_is_narrow(elem)) return emit_intrinsic(e, "llvm.fma", 3, x);
  LLVMValueRef wide[3];
  for (int i = 0; i < 3; i++) {
    wide[i] = LLVMBuildFPExt(e->b, x[i], f64_like(e, x[i]), "");
  }
  LLVMValueRef product = LLVMBuildFMul(e->b, wide[0], wide[1], "");
  LLVMValueRef sum = sum_to_odd(e, product, wide[2]);
  return convert_round(e, elem, convert_to_odd(e, sum), ROUNDING_rtne);
}

// -- Minimum and maximum -----------------------------------------------------

static LLVMValueRef unordered(Emit *e, LLVMValueRef x, LLVMValueRef y) {
  return LLVMBuildFCmp(e->b, LLVMRealUNO, x, y, "");
}

// The extreme of equal operands: only zeros differ, in the sign, which
// `combine` selects.
static LLVMValueRef among_equals(Emit *e, LLVMOpcode combine,
                                 LLVMValueRef const *x) {
  LLVMTypeRef type = LLVMTypeOf(x[0]);
  LLVMTypeRef f64 = LLVMDoubleTypeInContext(e->llvm.context);
  const int bits = type == type_like(type, f64) ? 64 : 32;
  LLVMTypeRef ints = type_like(type, int_type(e, bits));
  LLVMValueRef a = LLVMBuildBitCast(e->b, x[0], ints, "");
  LLVMValueRef b = LLVMBuildBitCast(e->b, x[1], ints, "");
  return LLVMBuildBitCast(e->b, LLVMBuildBinOp(e->b, combine, a, b, ""), type,
                          "");
}

// By one instruction.
static LLVMValueRef range(Emit *e, const Avx512 *full, bool max, LLVMValueRef x,
                          LLVMValueRef y) {
  return avx512_range(e, full, max ? RANGE_GREATEST : RANGE_LEAST, x, y);
}

// The greater or smaller of two numbers.  If x[0] is a NaN, the result is x[1],
// except for a signalling NaN.
static LLVMValueRef extreme(Emit *e, bool max, LLVMValueRef const *x) {
  const Avx512 *full = avx512_of(e, LLVMTypeOf(x[0]));
  if (full) return range(e, full, max, x[0], x[1]);
  LLVMValueRef first =
      LLVMBuildFCmp(e->b, max ? LLVMRealOGT : LLVMRealOLT, x[0], x[1], "");
  LLVMValueRef out = emit_select(e, first, x[0], x[1]);
  LLVMValueRef equal = LLVMBuildFCmp(e->b, LLVMRealOEQ, x[0], x[1], "");
  return emit_select(e, equal, among_equals(e, max ? LLVMAnd : LLVMOr, x), out);
}

LLVMValueRef scalar_extreme(Emit *e, bool max, LLVMValueRef const *x) {
  const Avx512 *full = avx512_of(e, LLVMTypeOf(x[0]));
  if (full) {
    LLVMValueRef y = avx512_quiet(e, full, x[1]);
    return range(e, full, max, avx512_quiet(e, full, x[0]), y);
  }
  return emit_select(e, unordered(e, x[1], x[1]), x[0], extreme(e, max, x));
}

// Always the same NaN, so that the order of combined lanes does not matter.
static LLVMValueRef nan_wins(Emit *e, bool max, LLVMValueRef const *x) {
  LLVMValueRef nan = const_float(LLVMTypeOf(x[0]), NAN);
  return emit_select(e, unordered(e, x[0], x[1]), nan, extreme(e, max, x));
}

LLVMValueRef scalar_maxf(Emit *e, const Op *op, LLVMValueRef const *x) {
  (void)op;
  return scalar_extreme(e, true, x);
}

LLVMValueRef scalar_minf(Emit *e, const Op *op, LLVMValueRef const *x) {
  (void)op;
  return scalar_extreme(e, false, x);
}

LLVMValueRef scalar_maximumf(Emit *e, const Op *op, LLVMValueRef const *x) {
  (void)op;
  return nan_wins(e, true, x);
}

LLVMValueRef scalar_minimumf(Emit *e, const Op *op, LLVMValueRef const *x) {
  (void)op;
  return nan_wins(e, false, x);
}

static LLVMRealPredicate real_predicate(Predicate predicate) {
  switch (predicate) {
  case PREDICATE_ne: return LLVMRealUNE;
  case PREDICATE_lt: return LLVMRealOLT;
  case PREDICATE_le: return LLVMRealOLE;
  case PREDICATE_gt: return LLVMRealOGT;
  case PREDICATE_ge: return LLVMRealOGE;
  default: return LLVMRealOEQ;
  }
}

LLVMValueRef scalar_cmpf(Emit *e, const Op *op, LLVMValueRef const *x) {
  const Predicate predicate = (Predicate)op_int(op, ATTR_predicate);
  return LLVMBuildFCmp(e->b, real_predicate(predicate), x[0], x[1], "");
}
