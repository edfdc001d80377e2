// math.c -- elementary functions: none yet.
#include "codegen/emit.h"

LLVMValueRef math_emit(Emit *e, OpKind kind, LLVMValueRef x) {
  diag_error(e->diags, (SrcLoc){0}, "'%s' is not supported yet",
             op_info[kind].name);
  return x;
}

LLVMValueRef math_remainder(Emit *e, LLVMValueRef x, LLVMValueRef y) {
  (void)y;
  return math_emit(e, OP_remf, x);
}
