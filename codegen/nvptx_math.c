// nvptx_math.c -- elementwise operations for which PTX has better ones.
//
// Approximations as docs/ir.md allows them: division within 2 ulp, ex2 and lg2
// that flush denormals.  There are no library calls, and LLVM's own intrinsics
// for these are errors on this target.
#include "codegen/nvptx_math.h"

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

// An instruction of operands of one type, which LLVM has no name for.
static LLVMValueRef assemble(Emit *e, const char *text, const char *constraints,
                             LLVMTypeRef result, unsigned count,
                             LLVMValueRef *x) {
  LLVMTypeRef type_of_x = LLVMTypeOf(x[0]);
  LLVMTypeRef types[] = {type_of_x, type_of_x, type_of_x};
  LLVMTypeRef type = LLVMFunctionType(result, types, count, 0);
  LLVMValueRef code =
      LLVMGetInlineAsm(type, text, strlen(text), constraints,
                       strlen(constraints), 0, 0, LLVMInlineAsmDialectATT, 0);
  return LLVMBuildCall2(e->b, type, code, x, count, "");
}

// LLVM's fdiv becomes a division to nearest with a subroutine.
static LLVMValueRef nvptx_divf(Emit *e, const Op *op, LLVMValueRef const *x) {
  LLVMValueRef args[] = {x[0], x[1]};
  LLVMValueRef quotient = assemble(e, "div.full.f32 $0, $1, $2;", "=f,f,f",
                                   LLVMTypeOf(x[0]), 2, args);
  return scalar_finish(e, op, quotient);
}

static LLVMValueRef nvptx_sqrt(Emit *e, const Op *op, LLVMValueRef const *x) {
  return scalar_finish(e, op, call(e, "llvm.nvvm.sqrt.approx.f", x[0]));
}

static LLVMValueRef nvptx_rsqrt(Emit *e, const Op *op, LLVMValueRef const *x) {
  return scalar_finish(e, op, call(e, "llvm.nvvm.rsqrt.approx.f", x[0]));
}

static LLVMValueRef nvptx_exp2(Emit *e, const Op *op, LLVMValueRef const *x) {
  return scalar_finish(e, op, call(e, "llvm.nvvm.ex2.approx.ftz.f", x[0]));
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

// Of f16: rounded once, without the detour over f64.
static LLVMValueRef nvptx_fma(Emit *e, const Op *op, LLVMValueRef const *x) {
  if (op_result(op)->type->elem != ELEM_f16) return scalar_fma(e, op, x);
  LLVMTypeRef f16 = LLVMHalfTypeInContext(e->llvm.context);
  LLVMValueRef half[3];
  for (int i = 0; i < 3; i++) half[i] = LLVMBuildFPTrunc(e->b, x[i], f16, "");
  LLVMValueRef sum = emit_intrinsic(e, "llvm.fma", 3, half);
  return LLVMBuildFPExt(e->b, sum, LLVMTypeOf(x[0]), "");
}

// Rounded once, by an instruction.
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

typedef struct {
  ScalarEmitter *emit;
  bool f64; // also of doubles
} Better;

static const Better better[OP_COUNT] = {
    [OP_divf] = {nvptx_divf, false},
    [OP_sqrt] = {nvptx_sqrt, false},
    [OP_rsqrt] = {nvptx_rsqrt, false},
    [OP_exp] = {nvptx_exp, false},
    [OP_exp2] = {nvptx_exp2, false},
    [OP_log] = {nvptx_log, false},
    [OP_log2] = {nvptx_log2, false},
    [OP_maxf] = {nvptx_maxf, true},
    [OP_minf] = {nvptx_minf, true},
    [OP_maximumf] = {nvptx_maximumf, false},
    [OP_minimumf] = {nvptx_minimumf, false},
    [OP_fma] = {nvptx_fma, false},
    [OP_sitofp] = {nvptx_sitofp, false},
    [OP_uitofp] = {nvptx_uitofp, false},
};

ScalarEmitter *nvptx_scalar(const Op *op) {
  const Better *row = &better[op->kind];
  return row->emit && (row->f64 || !is_double(op)) ? row->emit : NULL;
}

// Through the intrinsic: of fptrunc LLVM makes arithmetic in bf16, and rounds
// at other places than we do.
LLVMValueRef nvptx_round(Emit *e, Elem elem, LLVMValueRef f32,
                         Rounding rounding) {
  if (!e->target->is_gpu || !target_can(e->target, CAP_MMA_BF16)) return NULL;
  if (elem != ELEM_bf16) return NULL;
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

// LLVM leaves it to ptxas to find this.
LLVMValueRef nvptx_insert(Emit *e, LLVMValueRef x, uint32_t mask,
                          uint32_t bits) {
  LLVMTypeRef i32 = LLVMTypeOf(x);
  LLVMValueRef args[] = {x, const_int(i32, (int32_t)mask),
                         const_int(i32, (int32_t)bits)};
  return assemble(e, "lop3.b32 $0, $1, $2, $3, 0xea;", "=r,r,n,n", i32, 3,
                  args);
}

// LLVM would make an addition of x * 1 + y, which only later chips have.
LLVMValueRef nvptx_add_bf16(Emit *e, LLVMValueRef x, LLVMValueRef y) {
  LLVMTypeRef i32 = LLVMTypeOf(x);
  LLVMValueRef args[] = {x, const_int(i32, 0x3f803f80), y};
  return assemble(e, "fma.rn.bf16x2 $0, $1, $2, $3;", "=r,r,r,r", i32, 3, args);
}

LLVMValueRef nvptx_halves_of_f8e4nv(Emit *e, LLVMValueRef bytes) {
  if (!target_can(e->target, CAP_F8_CONVERT)) return NULL;
  return assemble(e, "cvt.rn.f16x2.e4m3x2 $0, $1;", "=r,h", int_type(e, 32), 1,
                  &bytes);
}

LLVMValueRef nvptx_load_f8e4nv(Emit *e, LLVMValueRef byte) {
  if (!e->target->is_gpu) return NULL;
  LLVMValueRef bytes = LLVMBuildZExt(e->b, byte, int_type(e, 16), "");
  LLVMValueRef halves = nvptx_halves_of_f8e4nv(e, bytes);
  if (!halves) return NULL;
  LLVMValueRef low = LLVMBuildTrunc(e->b, halves, int_type(e, 16), "");
  LLVMTypeRef half = LLVMHalfTypeInContext(e->llvm.context);
  LLVMTypeRef single = LLVMFloatTypeInContext(e->llvm.context);
  low = LLVMBuildBitCast(e->b, low, half, "");
  return LLVMBuildFPExt(e->b, low, single, "");
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

LLVMValueRef nvptx_before_rounding(Elem elem, LLVMValueRef x) {
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
