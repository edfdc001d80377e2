// scalar.h -- emitters of elementwise operations, and what they share.
#ifndef TILE_CODEGEN_SCALAR_H
#define TILE_CODEGEN_SCALAR_H

#include "codegen/emit.h"

// Operands in compute form, all scalars or all vectors of one length.
typedef LLVMValueRef ScalarEmitter(Emit *e, const Op *op,
                                   LLVMValueRef const *x);

#define SCALAR_OP(name) ScalarEmitter scalar_##name;
#include "codegen/scalar/scalar.def"

// A value of the op's result type from an f32 or f64 computed for it.
LLVMValueRef scalar_finish(Emit *e, const Op *op, LLVMValueRef value);

// The greater or smaller of two floats; a NaN loses.
LLVMValueRef scalar_extreme(Emit *e, bool max, LLVMValueRef const *x);

#endif
