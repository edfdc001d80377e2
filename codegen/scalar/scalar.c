// scalar.c -- elementwise operations on integers, and the table of all.
//
// Every operation is total: where LLVM's result is undefined or poison
// (division by zero, wide shifts), a select replaces it before any use.
#include "codegen/scalar/scalar.h"

#include "codegen/errors.h"

#include <assert.h>

static ScalarEmitter *const emitters[OP_COUNT] = {
#define SCALAR_OP(name) [OP_##name] = scalar_##name,
#include "codegen/scalar/scalar.def"
};

LLVMValueRef scalar_emit(Emit *e, const Op *op, LLVMValueRef const *operands) {
  ScalarEmitter *emit = e->target->is_gpu ? nvptx_scalar(op) : NULL;
  if (!emit) emit = emitters[op->kind];
  assert(op->num_operands < 2 || op->kind == OP_select ||
         type_lanes(LLVMTypeOf(operands[0])) ==
             type_lanes(LLVMTypeOf(operands[1]))); // I1
  if (emit) return emit(e, op, operands);
  diag_error(e->diags, op->loc, ERROR_scalar_op, op_info[op->kind].name,
             e->target->name);
  return NULL;
}

// An integer operation that has another name in LLVM.
#define DIRECT(name, build)                                                    \
  LLVMValueRef scalar_##name(Emit *e, const Op *op, LLVMValueRef const *x) {   \
    (void)op;                                                                  \
    return build(e->b, x[0], x[1], "");                                        \
  }
DIRECT(addi, LLVMBuildAdd)
DIRECT(subi, LLVMBuildSub)
DIRECT(muli, LLVMBuildMul)
DIRECT(andi, LLVMBuildAnd)
DIRECT(ori, LLVMBuildOr)
DIRECT(xori, LLVMBuildXor)
#undef DIRECT

static LLVMValueRef zero_like(LLVMValueRef x) {
  return LLVMConstNull(LLVMTypeOf(x));
}

static LLVMValueRef high_half(Emit *e, const Op *op, LLVMValueRef const *x,
                              LLVMOpcode extend) {
  const int bits = type_element_bits(op_result(op)->type);
  assert(bits <= 64 && LLVMTypeOf(x[0]) == LLVMTypeOf(x[1])); // I2
  LLVMTypeRef narrow = LLVMTypeOf(x[0]);
  LLVMTypeRef wide = type_like(narrow, int_type(e, 2 * bits));
  LLVMValueRef a = LLVMBuildCast(e->b, extend, x[0], wide, "");
  LLVMValueRef b = LLVMBuildCast(e->b, extend, x[1], wide, "");
  LLVMValueRef product = LLVMBuildMul(e->b, a, b, "");
  LLVMValueRef high = LLVMBuildLShr(e->b, product, const_int(wide, bits), "");
  return LLVMBuildTrunc(e->b, high, narrow, "");
}

LLVMValueRef scalar_mulhsi(Emit *e, const Op *op, LLVMValueRef const *x) {
  return high_half(e, op, x, LLVMSExt);
}

LLVMValueRef scalar_mulhui(Emit *e, const Op *op, LLVMValueRef const *x) {
  return high_half(e, op, x, LLVMZExt);
}

static LLVMValueRef in_range(Emit *e, LLVMValueRef amount, int bits) {
  LLVMValueRef width = const_int(LLVMTypeOf(amount), bits);
  return LLVMBuildICmp(e->b, LLVMIntULT, amount, width, "");
}

LLVMValueRef scalar_shli(Emit *e, const Op *op, LLVMValueRef const *x) {
  const int bits = type_element_bits(op_result(op)->type);
  LLVMValueRef shifted = LLVMBuildShl(e->b, x[0], x[1], "");
  return emit_select(e, in_range(e, x[1], bits), shifted, zero_like(x[0]));
}

LLVMValueRef scalar_shrui(Emit *e, const Op *op, LLVMValueRef const *x) {
  const int bits = type_element_bits(op_result(op)->type);
  LLVMValueRef shifted = LLVMBuildLShr(e->b, x[0], x[1], "");
  return emit_select(e, in_range(e, x[1], bits), shifted, zero_like(x[0]));
}

LLVMValueRef scalar_shrsi(Emit *e, const Op *op, LLVMValueRef const *x) {
  const int bits = type_element_bits(op_result(op)->type);
  if (bits == 1) return x[0];
  LLVMValueRef most = const_int(LLVMTypeOf(x[1]), bits - 1);
  LLVMValueRef by = emit_select(e, in_range(e, x[1], bits), x[1], most);
  return LLVMBuildAShr(e->b, x[0], by, "");
}

static LLVMValueRef pick(Emit *e, LLVMIntPredicate take_x,
                         LLVMValueRef const *x) {
  LLVMValueRef c = LLVMBuildICmp(e->b, take_x, x[0], x[1], "");
  return emit_select(e, c, x[0], x[1]);
}

LLVMValueRef scalar_maxsi(Emit *e, const Op *op, LLVMValueRef const *x) {
  (void)op;
  return pick(e, LLVMIntSGT, x);
}

LLVMValueRef scalar_minsi(Emit *e, const Op *op, LLVMValueRef const *x) {
  (void)op;
  return pick(e, LLVMIntSLT, x);
}

LLVMValueRef scalar_maxui(Emit *e, const Op *op, LLVMValueRef const *x) {
  (void)op;
  return pick(e, LLVMIntUGT, x);
}

LLVMValueRef scalar_minui(Emit *e, const Op *op, LLVMValueRef const *x) {
  (void)op;
  return pick(e, LLVMIntULT, x);
}

LLVMValueRef scalar_absi(Emit *e, const Op *op, LLVMValueRef const *x) {
  (void)op;
  LLVMValueRef minus = LLVMBuildNeg(e->b, x[0], "");
  LLVMValueRef below =
      LLVMBuildICmp(e->b, LLVMIntSLT, x[0], zero_like(x[0]), "");
  return emit_select(e, below, minus, x[0]);
}

LLVMValueRef scalar_clz(Emit *e, const Op *op, LLVMValueRef const *x) {
  (void)op;
  LLVMValueRef defined_at_zero = const_int(int_type(e, 1), 0);
  return emit_intrinsic(e, "llvm.ctlz", 2,
                        (LLVMValueRef[]){x[0], defined_at_zero});
}

LLVMValueRef scalar_popcount(Emit *e, const Op *op, LLVMValueRef const *x) {
  (void)op;
  return emit_intrinsic(e, "llvm.ctpop", 1, x);
}

static LLVMIntPredicate int_predicate(Predicate predicate, bool is_signed) {
  switch (predicate) {
  case PREDICATE_eq: return LLVMIntEQ;
  case PREDICATE_ne: return LLVMIntNE;
  case PREDICATE_lt: return is_signed ? LLVMIntSLT : LLVMIntULT;
  case PREDICATE_le: return is_signed ? LLVMIntSLE : LLVMIntULE;
  case PREDICATE_gt: return is_signed ? LLVMIntSGT : LLVMIntUGT;
  case PREDICATE_ge: return is_signed ? LLVMIntSGE : LLVMIntUGE;
  case PREDICATE_ult: return LLVMIntULT;
  case PREDICATE_ule: return LLVMIntULE;
  case PREDICATE_ugt: return LLVMIntUGT;
  case PREDICATE_uge: return LLVMIntUGE;
  }
  return LLVMIntEQ;
}

LLVMValueRef scalar_cmpi(Emit *e, const Op *op, LLVMValueRef const *x) {
  const Type *type = op_operand(op, 0)->type;
  const bool is_signed = !type_is_pointer(type);
  const Predicate predicate = (Predicate)op_int(op, ATTR_predicate);
  return LLVMBuildICmp(e->b, int_predicate(predicate, is_signed), x[0], x[1],
                       "");
}

LLVMValueRef scalar_select(Emit *e, const Op *op, LLVMValueRef const *x) {
  (void)op;
  return emit_select(e, x[0], x[1], x[2]);
}

LLVMValueRef scalar_hint(Emit *e, const Op *op, LLVMValueRef const *x) {
  (void)e, (void)op;
  return x[0];
}
