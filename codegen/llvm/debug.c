// debug.c -- device_print and device_assert: the common part of all targets.
#include "ir/debug_text.h"

#include "codegen/emit.h"

#include <string.h>

enum { SPACE_GLOBAL_PTX = 1 };

LLVMValueRef debug_text(Emit *e, const char *text) {
  LLVMModuleRef module = e->llvm.module;
  LLVMValueRef bytes = LLVMConstStringInContext(e->llvm.context, text,
                                                (unsigned)strlen(text), false);
  const unsigned space = e->target->is_gpu ? SPACE_GLOBAL_PTX : 0;
  LLVMValueRef global = LLVMAddGlobalInAddressSpace(module, LLVMTypeOf(bytes),
                                                    "tile_text", space);
  LLVMSetInitializer(global, bytes);
  LLVMSetGlobalConstant(global, true);
  LLVMSetLinkage(global, LLVMInternalLinkage);
  if (!space) return global;
  return LLVMConstAddrSpaceCast(global,
                                LLVMPointerTypeInContext(e->llvm.context, 0));
}

LLVMValueRef debug_value(Emit *e, const Op *op, int operand, LLVMValueRef x) {
  const Type *element = type_element(op_operand(op, operand)->type);
  LLVMTypeRef i64 = int_type(e, 64);
  if (element->kind == TYPE_POINTER) return LLVMBuildPtrToInt(e->b, x, i64, "");
  if (type_is_float(element)) {
    if (element->elem == ELEM_f64) return x;
    LLVMTypeRef f64 = LLVMDoubleTypeInContext(e->llvm.context);
    return LLVMBuildFPExt(e->b, x, f64, "");
  }
  if (type_element_bits(element) == 64) return x;
  const bool bare = op_int(op, ATTR_hex) || debug_is_unsigned(op, operand);
  LLVMTypeRef i32 = int_type(e, 32);
  return bare ? LLVMBuildZExt(e->b, x, i32, "")
              : LLVMBuildSExt(e->b, x, i32, "");
}

LLVMValueRef debug_format_text(Emit *e, const Op *op, int operand) {
  Str format = str_in(e->arena);
  debug_print_format(op, operand, false, &format);
  return debug_text(e, str_text(&format));
}
