// convert.c -- elementwise conversions and addresses.
#include "codegen/scalar/scalar.h"

static LLVMTypeRef result_like(Emit *e, const Op *op, LLVMValueRef x) {
  const Type *element = type_element(op_result(op)->type);
  return type_like(LLVMTypeOf(x), emit_compute_type(e, element));
}

LLVMValueRef scalar_extui(Emit *e, const Op *op, LLVMValueRef const *x) {
  return LLVMBuildZExt(e->b, x[0], result_like(e, op, x[0]), "");
}

LLVMValueRef scalar_extsi(Emit *e, const Op *op, LLVMValueRef const *x) {
  return LLVMBuildSExt(e->b, x[0], result_like(e, op, x[0]), "");
}

LLVMValueRef scalar_trunci(Emit *e, const Op *op, LLVMValueRef const *x) {
  return LLVMBuildTrunc(e->b, x[0], result_like(e, op, x[0]), "");
}

LLVMValueRef scalar_extf(Emit *e, const Op *op, LLVMValueRef const *x) {
  LLVMTypeRef type = result_like(e, op, x[0]);
  if (type == LLVMTypeOf(x[0])) return x[0];
  return LLVMBuildFPExt(e->b, x[0], type, "");
}

LLVMValueRef scalar_truncf(Emit *e, const Op *op, LLVMValueRef const *x) {
  const Elem from = op_operand(op, 0)->type->elem;
  const Elem to = op_result(op)->type->elem;
  const Rounding rounding = (Rounding)op_int(op, ATTR_rounding);
  if (elem_is_narrow(to)) {
    LLVMValueRef f32 = from == ELEM_f64 ? convert_to_odd(e, x[0]) : x[0];
    return to == ELEM_f16 ? convert_f16(e, f32, rounding)
                          : convert_round(e, to, f32, rounding);
  }
  LLVMValueRef near =
      LLVMBuildFPTrunc(e->b, x[0], result_like(e, op, x[0]), "");
  if (rounding == ROUNDING_rtne) return near;
  return convert_toward_zero(e, x[0]);
}

// Integers with more digits than f32 are not exact in it; f64 has room for 32
// bits; for more, rounding to odd is used.
static LLVMValueRef int_to_float(Emit *e, const Op *op, LLVMValueRef x,
                                 LLVMOpcode cast) {
  const Elem to = op_result(op)->type->elem;
  const int bits = type_element_bits(op_operand(op, 0)->type);
  const bool is_exact = bits <= elem_info[to].mantissa_bits + 1;
  if (is_exact && elem_info[to].bits == 16 && !e->target->is_gpu) {
    return LLVMBuildCast(e->b, cast, x, result_like(e, op, x), "");
  }
  if (!elem_is_narrow(to) || bits < 24) {
    LLVMTypeRef type = result_like(e, op, x);
    return scalar_finish(e, op, LLVMBuildCast(e->b, cast, x, type, ""));
  }
  if (bits == 64) return convert_wide_int(e, to, x, cast == LLVMSIToFP);
  LLVMTypeRef f64 = LLVMDoubleTypeInContext(e->llvm.context);
  LLVMTypeRef wide = type_like(LLVMTypeOf(x), f64);
  LLVMValueRef exact = LLVMBuildCast(e->b, cast, x, wide, "");
  return convert_round(e, to, convert_to_odd(e, exact), ROUNDING_rtne);
}

LLVMValueRef scalar_sitofp(Emit *e, const Op *op, LLVMValueRef const *x) {
  return int_to_float(e, op, x[0], LLVMSIToFP);
}

LLVMValueRef scalar_uitofp(Emit *e, const Op *op, LLVMValueRef const *x) {
  return int_to_float(e, op, x[0], LLVMUIToFP);
}

static LLVMValueRef float_to_int(Emit *e, const Op *op, LLVMValueRef x,
                                 const char *intrinsic) {
  LLVMTypeRef types[] = {result_like(e, op, x), LLVMTypeOf(x)};
  return llvm_call(&e->llvm, intrinsic, types, 2, &x, 1);
}

LLVMValueRef scalar_fptosi(Emit *e, const Op *op, LLVMValueRef const *x) {
  return float_to_int(e, op, x[0], "llvm.fptosi.sat");
}

LLVMValueRef scalar_fptoui(Emit *e, const Op *op, LLVMValueRef const *x) {
  return float_to_int(e, op, x[0], "llvm.fptoui.sat");
}

LLVMValueRef scalar_ptrtoint(Emit *e, const Op *op, LLVMValueRef const *x) {
  return LLVMBuildPtrToInt(e->b, x[0], result_like(e, op, x[0]), "");
}

LLVMValueRef scalar_inttoptr(Emit *e, const Op *op, LLVMValueRef const *x) {
  return LLVMBuildIntToPtr(e->b, x[0], result_like(e, op, x[0]), "");
}

LLVMValueRef scalar_bitcast(Emit *e, const Op *op, LLVMValueRef const *x) {
  const Type *from = type_element(op_operand(op, 0)->type);
  const Type *to = type_element(op_result(op)->type);
  const bool was_ptr = from->kind == TYPE_POINTER;
  const bool is_ptr = to->kind == TYPE_POINTER;
  if (from == to || (was_ptr && is_ptr)) return x[0];
  if (is_ptr) return scalar_inttoptr(e, op, x);
  if (was_ptr) return scalar_ptrtoint(e, op, x);
  if (from->elem == ELEM_i1) return x[0];
  LLVMValueRef bits = convert_store(e, from, x[0]);
  LLVMTypeRef type = type_like(LLVMTypeOf(bits), emit_memory_type(e, to));
  return convert_load(e, to, LLVMBuildBitCast(e->b, bits, type, ""));
}

LLVMValueRef scalar_addptr(Emit *e, const Op *op, LLVMValueRef const *x) {
  const Type *pointee = type_element(op_result(op)->type)->element;
  return LLVMBuildGEP2(e->b, emit_memory_type(e, pointee), x[0],
                       (LLVMValueRef *)&x[1], 1, "");
}
