// nvptx.c -- elementwise operations with special instructions in PTX.
//
// Approximations are those that docs/ir.md allows: division within 2 ulp; ex2
// and lg2 that flush denormals.  There are no library calls, and LLVM's own
// intrinsics for these are errors on this target.
#include "codegen/scalar/scalar.h"

#include "codegen/scalar/math.h"

#include <math.h>
#include <string.h>

static bool is_double(const Op *op) {
  return op_result(op)->type->elem == ELEM_f64;
}

static LLVMValueRef call(Emit *e, const char *name, LLVMValueRef x) {
  LLVMTypeRef none[1] = {NULL};
  return llvm_call(&e->llvm, name, none, 0, &x, 1);
}

static LLVMValueRef times(Emit *e, LLVMValueRef x, double factor) {
  return LLVMBuildFMul(e->b, x, const_float(LLVMTypeOf(x), factor), "");
}

static void make_pure(Emit *e, LLVMValueRef call) {
  emit_call_attribute(e, call, "memory"); // accesses none
  emit_call_attribute(e, call, "nounwind");
  emit_call_attribute(e, call, "willreturn");
}

// An instruction for operands of one type that LLVM has no name for.
static LLVMValueRef assemble(Emit *e, const char *text, const char *constraints,
                             LLVMTypeRef result, unsigned count,
                             LLVMValueRef *x) {
  LLVMTypeRef type_of_x = LLVMTypeOf(x[0]);
  LLVMTypeRef types[] = {type_of_x, type_of_x, type_of_x};
  LLVMTypeRef type = LLVMFunctionType(result, types, count, 0);
  LLVMValueRef code =
      LLVMGetInlineAsm(type, text, strlen(text), constraints,
                       strlen(constraints), 0, 0, LLVMInlineAsmDialectATT, 0);
  LLVMValueRef call = LLVMBuildCall2(e->b, type, code, x, count, "");
  make_pure(e, call);
  return call;
}

// Are `x` and its reciprocal known to be normal numbers?
static bool has_plain_reciprocal(LLVMValueRef x) {
  LLVMBool rounded;
  if (!LLVMIsAConstantFP(x)) return false;
  const double size = fabs(LLVMConstRealGetDouble(x, &rounded));
  return size >= 0x1p-126 && size <= 0x1p126;
}

// LLVM's fdiv becomes a correctly rounded division with a subroutine.  div.full
// scales its operands; div.approx, which is also within 2 ulp for these, does
// not.
static LLVMValueRef nvptx_divf(Emit *e, const Op *op, LLVMValueRef const *x) {
  LLVMValueRef args[] = {x[0], x[1]};
  const char *text = has_plain_reciprocal(x[1]) ? "div.approx.f32 $0, $1, $2;"
                                                : "div.full.f32 $0, $1, $2;";
  LLVMValueRef quotient =
      assemble(e, text, "=f,f,f", LLVMTypeOf(x[0]), 2, args);
  return scalar_finish(e, op, quotient);
}

static LLVMValueRef nvptx_sqrt(Emit *e, const Op *op, LLVMValueRef const *x) {
  return scalar_finish(e, op, call(e, "llvm.nvvm.sqrt.approx.f", x[0]));
}

static LLVMValueRef nvptx_rsqrt(Emit *e, const Op *op, LLVMValueRef const *x) {
  return scalar_finish(e, op, call(e, "llvm.nvvm.rsqrt.approx.f", x[0]));
}

static LLVMValueRef nvptx_exp2(Emit *e, const Op *op, LLVMValueRef const *x) {
  return scalar_finish(e, op, llvm_exp2_approx(&e->llvm, x[0]));
}

static LLVMValueRef nvptx_exp(Emit *e, const Op *op, LLVMValueRef const *x) {
  LLVMValueRef scaled = times(e, x[0], 1.4426950408889634); // log2(e)
  return nvptx_exp2(e, op, &scaled);
}

static LLVMValueRef nvptx_log2(Emit *e, const Op *op, LLVMValueRef const *x) {
  return scalar_finish(e, op, call(e, "llvm.nvvm.lg2.approx.ftz.f", x[0]));
}

static LLVMValueRef nvptx_log(Emit *e, const Op *op, LLVMValueRef const *x) {
  LLVMValueRef log2 = call(e, "llvm.nvvm.lg2.approx.ftz.f", x[0]);
  return scalar_finish(e, op, times(e, log2, 0.6931471805599453)); // log(2)
}

static LLVMValueRef nvptx_erf(Emit *e, const Op *op, LLVMValueRef const *x) {
  Math k = math_of(e, x[0]);
  const Erf erf = math_erf_f32(&k, x[0]);
  LLVMValueRef rest = llvm_exp2_approx(&e->llvm, erf.power);
  LLVMValueRef far = LLVMBuildFSub(e->b, math_const(&k, 1), rest, "");
  LLVMValueRef args[] = {x[0], far};
  far = assemble(e, "copysign.f32 $0, $1, $2;", "=f,f,f", k.type, 2, args);
  return scalar_finish(e, op, emit_select(e, erf.is_near, erf.near, far));
}

#define EXTREME(name, intrinsic)                                               \
  static LLVMValueRef nvptx_##name(Emit *e, const Op *op,                      \
                                   LLVMValueRef const *x) {                    \
    (void)op;                                                                  \
    return emit_intrinsic(e, intrinsic, 2, x);                                 \
  }
EXTREME(maxf, "llvm.maxnum")
EXTREME(minf, "llvm.minnum")
EXTREME(maximumf, "llvm.maximum")
EXTREME(minimumf, "llvm.minimum")
#undef EXTREME

// fma of f16 rounds once, so f64 is not needed.
static LLVMValueRef nvptx_fma(Emit *e, const Op *op, LLVMValueRef const *x) {
  if (op_result(op)->type->elem != ELEM_f16) return scalar_fma(e, op, x);
  LLVMTypeRef f16 = LLVMHalfTypeInContext(e->llvm.context);
  LLVMValueRef half[3];
  for (int i = 0; i < 3; i++) half[i] = LLVMBuildFPTrunc(e->b, x[i], f16, "");
  LLVMValueRef sum = emit_intrinsic(e, "llvm.fma", 3, half);
  return LLVMBuildFPExt(e->b, sum, LLVMTypeOf(x[0]), "");
}

// An instruction that rounds once.
static LLVMValueRef int_to_half(Emit *e, const Op *op, LLVMValueRef x,
                                LLVMOpcode cast) {
  if (op_result(op)->type->elem != ELEM_f16) return NULL;
  if (type_element_bits(op_operand(op, 0)->type) > 32) return NULL;
  LLVMTypeRef half = LLVMHalfTypeInContext(e->llvm.context);
  LLVMTypeRef single = LLVMFloatTypeInContext(e->llvm.context);
  x = LLVMBuildCast(e->b, cast, x, half, "");
  return LLVMBuildFPExt(e->b, x, single, "");
}

static LLVMValueRef nvptx_sitofp(Emit *e, const Op *op, LLVMValueRef const *x) {
  LLVMValueRef half = int_to_half(e, op, x[0], LLVMSIToFP);
  return half ? half : scalar_sitofp(e, op, x);
}

static LLVMValueRef nvptx_uitofp(Emit *e, const Op *op, LLVMValueRef const *x) {
  LLVMValueRef half = int_to_half(e, op, x[0], LLVMUIToFP);
  return half ? half : scalar_uitofp(e, op, x);
}

// -- To integers -------------------------------------------------------------

// Roundings to an integer that a conversion instruction can do, by their
// intrinsics.
static const struct {
  const char *intrinsic, *name;
} roundings[] = {{"llvm.floor", "rmi"},
                 {"llvm.ceil", "rpi"},
                 {"llvm.rint", "rni"},
                 {"llvm.trunc", "rzi"}};

// The number from which x is rounded, and the rounding; else x, toward zero.
static const char *rounding_of(LLVMValueRef *x) {
  if (!LLVMIsACallInst(*x)) return "rzi";
  LLVMValueRef called = LLVMGetCalledValue(*x);
  if (!LLVMIsAFunction(called)) return "rzi";
  const unsigned id = LLVMGetIntrinsicID(called);
  for (size_t i = 0; id && i < sizeof roundings / sizeof *roundings; i++) {
    const char *name = roundings[i].intrinsic;
    if (id != LLVMLookupIntrinsicID(name, strlen(name))) continue;
    *x = LLVMGetOperand(*x, 0);
    return roundings[i].name;
  }
  return "rzi";
}

// The instruction saturates, and converts a NaN to 0, except from f64 and to 64
// bits.
static LLVMValueRef float_to_int(Emit *e, const Op *op, LLVMValueRef x,
                                 char sign) {
  const int bits = type_element_bits(op_result(op)->type);
  if (op_operand(op, 0)->type->elem == ELEM_f64) return NULL;
  if (bits != 8 && bits != 16 && bits != 32) return NULL;
  const char *rounding = rounding_of(&x);
  const char *text =
      arena_printf(e->arena, "cvt.%s.%c%d.f32 $0, $1;", rounding, sign, bits);
  const bool half = bits == 16; // as wide as a register
  LLVMValueRef whole = assemble(e, text, half ? "=h,f" : "=r,f",
                                int_type(e, half ? 16 : 32), 1, &x);
  return bits == 8 ? LLVMBuildTrunc(e->b, whole, int_type(e, 8), "") : whole;
}

static LLVMValueRef nvptx_fptosi(Emit *e, const Op *op, LLVMValueRef const *x) {
  LLVMValueRef whole = float_to_int(e, op, x[0], 's');
  return whole ? whole : scalar_fptosi(e, op, x);
}

static LLVMValueRef nvptx_fptoui(Emit *e, const Op *op, LLVMValueRef const *x) {
  LLVMValueRef whole = float_to_int(e, op, x[0], 'u');
  return whole ? whole : scalar_fptoui(e, op, x);
}

// -- Integers ----------------------------------------------------------------

// (x | c) * k = x * k + c * k, for x and c without common bits.  So the
// positions of a thread's registers stay at constant distances; LLVM does the
// same, except for a position that is multiplied twice.
static LLVMValueRef nvptx_muli(Emit *e, const Op *op, LLVMValueRef const *x) {
  LLVMValueRef sum = x[0], factor = x[1];
  const bool is_sum = LLVMIsAInstruction(sum) && LLVMIsConstant(factor) &&
                      LLVMGetInstructionOpcode(sum) == LLVMOr &&
                      LLVMGetIsDisjoint(sum) &&
                      LLVMIsConstant(LLVMGetOperand(sum, 1));
  if (!is_sum) return scalar_muli(e, op, x);
  LLVMValueRef rest = LLVMBuildMul(e->b, LLVMGetOperand(sum, 0), factor, "");
  LLVMValueRef own = LLVMBuildMul(e->b, LLVMGetOperand(sum, 1), factor, "");
  return LLVMBuildAdd(e->b, rest, own, "");
}

// -- The table ---------------------------------------------------------------

typedef struct {
  ScalarEmitter *emit;
  bool f64; // also of doubles
} Better;

static const Better better[OP_COUNT] = {
    [OP_muli] = {nvptx_muli, true},
    [OP_divf] = {nvptx_divf, false},
    [OP_sqrt] = {nvptx_sqrt, false},
    [OP_rsqrt] = {nvptx_rsqrt, false},
    [OP_exp] = {nvptx_exp, false},
    [OP_exp2] = {nvptx_exp2, false},
    [OP_log] = {nvptx_log, false},
    [OP_log2] = {nvptx_log2, false},
    [OP_erf] = {nvptx_erf, false},
    [OP_maxf] = {nvptx_maxf, true},
    [OP_minf] = {nvptx_minf, true},
    [OP_maximumf] = {nvptx_maximumf, false},
    [OP_minimumf] = {nvptx_minimumf, false},
    [OP_fma] = {nvptx_fma, false},
    [OP_sitofp] = {nvptx_sitofp, false},
    [OP_uitofp] = {nvptx_uitofp, false},
    [OP_fptosi] = {nvptx_fptosi, false},
    [OP_fptoui] = {nvptx_fptoui, false},
};

ScalarEmitter *nvptx_scalar(const Op *op) {
  const Better *row = &better[op->kind];
  return row->emit && (row->f64 || !is_double(op)) ? row->emit : NULL;
}

// -- To fp8 ------------------------------------------------------------------

// Converts two numbers to two bytes, saturating as in docs/ir.md.
typedef struct {
  const char *singles, *halves;
} Narrowing;

static const Narrowing narrowing[ELEM_COUNT] = {
    [ELEM_f8e4nv] = {"cvt.rn.satfinite.e4m3x2.f32 $0, $1, $2;",
                     "cvt.rn.satfinite.e4m3x2.f16x2 $0, $1;"},
    [ELEM_f8e5] = {"cvt.rn.satfinite.e5m2x2.f32 $0, $1, $2;",
                   "cvt.rn.satfinite.e5m2x2.f16x2 $0, $1;"},
};

static const Narrowing *narrowing_to(Emit *e, Elem elem) {
  if (!e->target->is_gpu || !target_can(e->target, CAP_F8_CONVERT)) return NULL;
  return narrowing[elem].singles ? &narrowing[elem] : NULL;
}

// The lower byte is that of x[0].
static LLVMValueRef bytes_of_singles(Emit *e, const Narrowing *to,
                                     LLVMValueRef const *x) {
  LLVMValueRef args[] = {x[1], x[0]};
  return assemble(e, to->singles, "=h,f,f", int_type(e, 16), 2, args);
}

static LLVMValueRef single_of_half_bits(Emit *e, LLVMValueRef bits) {
  LLVMTypeRef half = LLVMHalfTypeInContext(e->llvm.context);
  LLVMTypeRef single = LLVMFloatTypeInContext(e->llvm.context);
  return LLVMBuildFPExt(e->b, LLVMBuildBitCast(e->b, bits, half, ""), single,
                        "");
}

// The f32 value of the lower byte.
static LLVMValueRef low_of_bytes(Emit *e, Elem elem, LLVMValueRef bytes) {
  LLVMTypeRef i16 = int_type(e, 16);
  LLVMValueRef low =
      elem == ELEM_f8e5
          ? LLVMBuildShl(e->b, bytes, const_int(i16, 8), "")
          : LLVMBuildTrunc(e->b, nvptx_halves_of_f8e4nv(e, bytes), i16, "");
  return single_of_half_bits(e, low);
}

static LLVMValueRef round_to_f8(Emit *e, Elem elem, LLVMValueRef f32) {
  const Narrowing *to = narrowing_to(e, elem);
  if (!to) return NULL;
  LLVMValueRef pair[] = {f32, LLVMConstNull(LLVMTypeOf(f32))};
  return low_of_bytes(e, elem, bytes_of_singles(e, to, pair));
}

// -- Rounding ----------------------------------------------------------------

// By the intrinsic: LLVM turns fptrunc into arithmetic in bf16, with other
// roundings than ours.
static LLVMValueRef round_to_bf16(Emit *e, LLVMValueRef f32,
                                  Rounding rounding) {
  if (!e->target->is_gpu || !target_can(e->target, CAP_MMA_BF16)) return NULL;
  LLVMValueRef half = call(e,
                           rounding == ROUNDING_rtne ? "llvm.nvvm.f2bf16.rn"
                                                     : "llvm.nvvm.f2bf16.rz",
                           f32);
  LLVMValueRef bits = LLVMBuildBitCast(e->b, half, int_type(e, 16), "");
  LLVMValueRef wide = LLVMBuildZExt(e->b, bits, int_type(e, 32), "");
  LLVMValueRef high =
      LLVMBuildShl(e->b, wide, const_int(int_type(e, 32), 16), "");
  return LLVMBuildBitCast(e->b, high, LLVMTypeOf(f32), "");
}

LLVMValueRef nvptx_round(Emit *e, Elem elem, LLVMValueRef f32,
                         Rounding rounding) {
  if (elem == ELEM_bf16) return round_to_bf16(e, f32, rounding);
  return rounding == ROUNDING_rtne ? round_to_f8(e, elem, f32) : NULL;
}

// LLVM leaves it to ptxas to find this instruction.
LLVMValueRef nvptx_insert(Emit *e, LLVMValueRef x, uint32_t mask,
                          uint32_t bits) {
  LLVMTypeRef i32 = LLVMTypeOf(x);
  LLVMValueRef args[] = {x, const_int(i32, (int32_t)mask),
                         const_int(i32, (int32_t)bits)};
  return assemble(e, "lop3.b32 $0, $1, $2, $3, 0xea;", "=r,r,n,n", i32, 3,
                  args);
}

LLVMValueRef nvptx_without(Emit *e, uint32_t bits, LLVMValueRef x) {
  LLVMTypeRef i32 = LLVMTypeOf(x);
  LLVMValueRef args[] = {x, const_int(i32, (int32_t)bits)};
  return assemble(e, "lop3.b32 $0, $1, $2, 0, 0x0c;", "=r,r,n", i32, 2, args);
}

// Assembly can use the bits of floats without a move; LLVM's own copysign takes
// four instructions.
LLVMValueRef nvptx_copy_sign(Emit *e, LLVMValueRef size, LLVMValueRef x) {
  LLVMValueRef args[] = {x, size};
  return assemble(e, "lop3.b32 $0, $1, 0x80000000, $2, 0xea;", "=f,f,f",
                  LLVMTypeOf(x), 2, args);
}

// Assembly, since LLVM turns its own fma with a constant 1 or -0 into additions
// and products, which only later chips have.
LLVMValueRef nvptx_fma_bf16(Emit *e, LLVMValueRef x, LLVMValueRef y,
                            LLVMValueRef z) {
  LLVMTypeRef type = LLVMTypeOf(x);
  const bool two = LLVMGetIntTypeWidth(type) == 32;
  LLVMValueRef args[] = {x, y, z};
  return assemble(
      e, two ? "fma.rn.bf16x2 $0, $1, $2, $3;" : "fma.rn.bf16 $0, $1, $2, $3;",
      two ? "=r,r,r,r" : "=h,h,h,h", type, 3, args);
}

// One half at a time: ptxas combines these with an fma, but not neg.bf16x2.
LLVMValueRef nvptx_neg_bf16(Emit *e, LLVMValueRef x) {
  LLVMTypeRef i16 = int_type(e, 16), pair = vector_of(i16, 2);
  LLVMTypeRef type = LLVMTypeOf(x);
  if (type == i16) return assemble(e, "neg.bf16 $0, $1;", "=h,h", i16, 1, &x);
  LLVMValueRef both = LLVMBuildBitCast(e->b, x, pair, "");
  for (int i = 0; i < 2; i++) {
    LLVMValueRef at = const_int(int_type(e, 32), i);
    LLVMValueRef half = LLVMBuildExtractElement(e->b, both, at, "");
    half = nvptx_neg_bf16(e, half);
    both = LLVMBuildInsertElement(e->b, both, half, at, "");
  }
  return LLVMBuildBitCast(e->b, both, type, "");
}

LLVMValueRef nvptx_halves_of_f8e4nv(Emit *e, LLVMValueRef bytes) {
  if (!target_can(e->target, CAP_F8_CONVERT)) return NULL;
  return assemble(e, "cvt.rn.f16x2.e4m3x2 $0, $1;", "=r,h", int_type(e, 32), 1,
                  &bytes);
}

LLVMValueRef nvptx_load_f8e4nv(Emit *e, LLVMValueRef byte) {
  if (!narrowing_to(e, ELEM_f8e4nv)) return NULL;
  LLVMValueRef bytes = LLVMBuildZExt(e->b, byte, int_type(e, 16), "");
  return low_of_bytes(e, ELEM_f8e4nv, bytes);
}

// -- Two at once -------------------------------------------------------------

static LLVMValueRef operand_if(LLVMValueRef x, LLVMOpcode opcode) {
  if (!x || !LLVMIsAInstruction(x)) return NULL;
  return LLVMGetInstructionOpcode(x) == opcode ? LLVMGetOperand(x, 0) : NULL;
}

static LLVMValueRef argument_of_round(LLVMValueRef x) {
  if (!x || !LLVMIsACallInst(x)) return NULL;
  size_t length;
  const char *name = LLVMGetValueName2(LLVMGetCalledValue(x), &length);
  return strcmp(name, "llvm.nvvm.f2bf16.rn") ? NULL : LLVMGetOperand(x, 0);
}

// The f32 that round_to_f8() narrowed to the byte from which `x` is widened;
// else NULL.
static LLVMValueRef before_f8(Elem elem, LLVMValueRef x) {
  x = operand_if(operand_if(x, LLVMFPExt), LLVMBitCast);
  const bool is_f8e5 = elem == ELEM_f8e5;
  LLVMValueRef bytes = operand_if(x, is_f8e5 ? LLVMShl : LLVMTrunc);
  if (!is_f8e5) bytes = operand_if(bytes, LLVMCall);
  if (!bytes || !LLVMIsACallInst(bytes)) return NULL;
  LLVMValueRef code = LLVMGetCalledValue(bytes);
  size_t length;
  if (!LLVMIsAInlineAsm(code)) return NULL;
  const char *text = LLVMGetInlineAsmAsmString(code, &length);
  return strcmp(text, narrowing[elem].singles) ? NULL
                                               : LLVMGetOperand(bytes, 1);
}

LLVMValueRef nvptx_before_rounding(Elem elem, LLVMValueRef x) {
  if (narrowing[elem].singles) return before_f8(elem, x);
  if (elem == ELEM_f16) {
    x = operand_if(operand_if(x, LLVMFPExt), LLVMFPTrunc);
    const bool single =
        x && LLVMGetTypeKind(LLVMTypeOf(x)) == LLVMFloatTypeKind;
    return single ? x : NULL;
  }
  x = operand_if(operand_if(x, LLVMBitCast), LLVMShl);
  x = operand_if(operand_if(x, LLVMZExt), LLVMBitCast);
  return argument_of_round(x);
}

// A number of the format is its own source, unless it may be infinite:
// conversion saturates that.
static LLVMValueRef source_of_f8(Elem elem, LLVMValueRef x) {
  if (LLVMIsNull(x)) return x;
  LLVMValueRef source = nvptx_before_rounding(elem, x);
  return source || elem != ELEM_f8e4nv ? source : x;
}

LLVMValueRef nvptx_half_of(LLVMValueRef x) {
  LLVMValueRef half = operand_if(x, LLVMFPExt);
  const bool is_half =
      half && LLVMGetTypeKind(LLVMTypeOf(half)) == LLVMHalfTypeKind;
  return is_half ? half : NULL;
}

LLVMValueRef nvptx_join_halves(Emit *e, LLVMValueRef const *halves) {
  LLVMValueRef pair = LLVMGetPoison(vector_of(LLVMTypeOf(halves[0]), 2));
  for (int i = 0; i < 2; i++) {
    LLVMValueRef at = const_int(int_type(e, 32), i);
    pair = LLVMBuildInsertElement(e->b, pair, halves[i], at, "");
  }
  return pair;
}

LLVMValueRef nvptx_pack_f8(Emit *e, Elem elem, LLVMValueRef const *x) {
  const Narrowing *to = narrowing_to(e, elem);
  if (!to || (LLVMIsConstant(x[0]) && LLVMIsConstant(x[1]))) return NULL;
  LLVMValueRef from[] = {source_of_f8(elem, x[0]), source_of_f8(elem, x[1])};
  if (!from[0] || !from[1]) return NULL;
  LLVMValueRef half[] = {nvptx_half_of(from[0]), nvptx_half_of(from[1])};
  if (!half[0] || !half[1]) return bytes_of_singles(e, to, from);
  LLVMValueRef word = nvptx_join_halves(e, half);
  word = LLVMBuildBitCast(e->b, word, int_type(e, 32), "");
  return assemble(e, to->halves, "=h,r", int_type(e, 16), 1, &word);
}

LLVMValueRef nvptx_store_f8(Emit *e, Elem elem, LLVMValueRef x) {
  if (LLVMGetTypeKind(LLVMTypeOf(x)) != LLVMFloatTypeKind) return NULL;
  LLVMValueRef pair[] = {x, LLVMConstNull(LLVMTypeOf(x))};
  LLVMValueRef bytes = nvptx_pack_f8(e, elem, pair);
  return bytes ? LLVMBuildTrunc(e->b, bytes, int_type(e, 8), "") : NULL;
}

LLVMValueRef nvptx_pack_rounded(Emit *e, Elem elem, LLVMValueRef const *x) {
  if (!target_can(e->target, CAP_MMA_BF16)) return NULL;
  if (elem != ELEM_f16 && elem != ELEM_bf16) return NULL;
  LLVMValueRef low = nvptx_before_rounding(elem, x[0]);
  LLVMValueRef high = nvptx_before_rounding(elem, x[1]);
  if (!low || !high) return NULL;
  LLVMValueRef args[] = {high, low};
  const char *name =
      elem == ELEM_f16 ? "llvm.nvvm.ff2f16x2.rn" : "llvm.nvvm.ff2bf16x2.rn";
  LLVMValueRef pair = llvm_call(&e->llvm, name, NULL, 0, args, 2);
  return LLVMBuildBitCast(e->b, pair, int_type(e, 32), "");
}
