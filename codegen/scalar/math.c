// math.c -- elementary functions as LLVM IR: the common part.
#include "codegen/scalar/math.h"

#include <assert.h>
#include <string.h>

#define POLY(name, ...)                                                        \
  static const double items_##name[] = {__VA_ARGS__};                          \
  const Poly poly_##name = {items_##name,                                      \
                            sizeof items_##name / sizeof *items_##name};
#include "codegen/scalar/math_poly.def"

Math math_of(Emit *e, LLVMValueRef like) {
  LLVMTypeRef type = LLVMTypeOf(like);
  LLVMTypeRef f64 = LLVMDoubleTypeInContext(e->llvm.context);
  const bool wide = type == type_like(type, f64);
  return (Math){.e = e,
                .b = e->b,
                .type = type,
                .ints = type_like(type, int_type(e, wide ? 64 : 32)),
                .wide = wide,
                .mantissa = wide ? 52 : 23,
                .bias = wide ? 1023 : 127};
}

LLVMValueRef math_const(Math *k, double value) {
  return const_float(k->type, value);
}

LLVMValueRef math_int(Math *k, int64_t value) {
  return const_int(k->ints, value);
}

LLVMValueRef math_bits(Math *k, LLVMValueRef x) {
  return LLVMBuildBitCast(k->b, x, k->ints, "");
}

LLVMValueRef math_float(Math *k, LLVMValueRef x) {
  return LLVMBuildBitCast(k->b, x, k->type, "");
}

LLVMValueRef math_fma(Math *k, LLVMValueRef x, LLVMValueRef y, LLVMValueRef z) {
  return emit_intrinsic(k->e, "llvm.fmuladd", 3, (LLVMValueRef[]){x, y, z});
}

LLVMValueRef math_poly(Math *k, const Poly *narrow, const Poly *wide,
                       LLVMValueRef x) {
  const Poly *p = k->wide ? wide : narrow;
  LLVMValueRef sum = math_const(k, p->items[p->count - 1]);
  for (int i = p->count - 1; i-- > 0;) {
    sum = math_fma(k, sum, x, math_const(k, p->items[i]));
  }
  return sum;
}

LLVMValueRef math_abs(Math *k, LLVMValueRef x) {
  return emit_intrinsic(k->e, "llvm.fabs", 1, &x);
}

LLVMValueRef math_sign_of(Math *k, LLVMValueRef magnitude, LLVMValueRef sign) {
  return emit_intrinsic(k->e, "llvm.copysign", 2,
                        (LLVMValueRef[]){magnitude, sign});
}

typedef LLVMValueRef MathEmitter(Math *k, LLVMValueRef x);

static MathEmitter *const functions[OP_COUNT] = {
#define MATH(name, ...) [OP_##name] = math_##name,
#include "codegen/scalar/math.def"
};

LLVMValueRef math_emit(Emit *e, OpKind kind, LLVMValueRef x) {
  Math k = math_of(e, x);
  assert(kind < OP_COUNT && functions[kind] && "no elementary function"); // I3
  return functions[kind](&k, x);
}

// -- Functions of our own ----------------------------------------------------

static const char *type_name(Emit *e, const char *name, LLVMTypeRef type) {
  char *text = LLVMPrintTypeToString(type);
  const char *full = arena_printf(e->arena, "tile.%s.%s", name, text);
  LLVMDisposeMessage(text);
  return full;
}

LLVMValueRef math_call(Emit *e, const char *name, LLVMTypeRef type,
                       MathBuild *build, LLVMValueRef *args, int num_args) {
  const char *full = type_name(e, name, LLVMTypeOf(args[0]));
  LLVMValueRef function = LLVMGetNamedFunction(e->llvm.module, full);
  if (!function) {
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->b);
    function = LLVMAddFunction(e->llvm.module, full, type);
    LLVMSetLinkage(function, LLVMInternalLinkage);
    emit_function_attributes(e, function);
    LLVMPositionBuilderAtEnd(e->b, LLVMAppendBasicBlockInContext(
                                       e->llvm.context, function, "entry"));
    build(e, function);
    LLVMPositionBuilderAtEnd(e->b, here);
  }
  return LLVMBuildCall2(e->b, type, function, args, (unsigned)num_args, "");
}
