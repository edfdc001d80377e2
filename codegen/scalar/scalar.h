// scalar.h -- emitters of elementwise operations.
#ifndef TILE_CODEGEN_SCALAR_H
#define TILE_CODEGEN_SCALAR_H

#include "codegen/emit.h"

// Operands in compute form, all scalars or all vectors of one length.
typedef LLVMValueRef ScalarEmitter(Emit *e, const Op *op,
                                   LLVMValueRef const *x);

#define SCALAR_OP(name) ScalarEmitter scalar_##name;
#include "codegen/scalar/scalar.def"

// A value of the op's result type, from the f32 or f64 computed for it.
LLVMValueRef scalar_finish(Emit *e, const Op *op, LLVMValueRef value);

// The greater or smaller of two floats; a number is preferred to a NaN.
LLVMValueRef scalar_extreme(Emit *e, bool max, LLVMValueRef const *x);

// -- Elementwise operations with special instructions in PTX -----------------

// NULL: the common implementation is used.
ScalarEmitter *nvptx_scalar(const Op *op);

// convert_round() by an instruction; NULL if the target has none.
LLVMValueRef nvptx_round(Emit *e, Elem elem, LLVMValueRef f32,
                         Rounding rounding);

// The f16 values of two fp8e4nv, as a word with the lower byte's in the lower
// half; NULL if the chip has no such conversion.
LLVMValueRef nvptx_halves_of_f8e4nv(Emit *e, LLVMValueRef bytes);
// The f32 value of the byte of an fp8e4nv; or NULL.
LLVMValueRef nvptx_load_f8e4nv(Emit *e, LLVMValueRef byte);

// The byte of `x`, a value of that format; NULL if the chip has no instruction
// for it, or the instruction would change an infinity.
LLVMValueRef nvptx_store_f8(Emit *e, Elem elem, LLVMValueRef x);
// Two such bytes as 16 bits, x[0] the lower; or NULL.
LLVMValueRef nvptx_pack_f8(Emit *e, Elem elem, LLVMValueRef const *x);

// The f32 that convert_round() rounded to `x`, in f16, bf16 or, by an
// instruction, fp8; or NULL.
LLVMValueRef nvptx_before_rounding(Elem elem, LLVMValueRef x);

// The f16 from which an f32 was widened, or NULL.
LLVMValueRef nvptx_half_of(LLVMValueRef x);
// The halves as one vector.
LLVMValueRef nvptx_join_halves(Emit *e, LLVMValueRef const *halves);

// (x & mask) | bits.
LLVMValueRef nvptx_insert(Emit *e, LLVMValueRef x, uint32_t mask,
                          uint32_t bits);
// The given bits that x does not have.
LLVMValueRef nvptx_without(Emit *e, uint32_t bits, LLVMValueRef x);
// An f32 without sign, with the sign of another.
LLVMValueRef nvptx_copy_sign(Emit *e, LLVMValueRef size, LLVMValueRef x);
// x * y + z for bf16 as bits, 16 or a word of two, rounded once; for chips with
// CAP_MMA_BF16.
LLVMValueRef nvptx_fma_bf16(Emit *e, LLVMValueRef x, LLVMValueRef y,
                            LLVMValueRef z);
// -x for the same.
LLVMValueRef nvptx_neg_bf16(Emit *e, LLVMValueRef x);

// Two values of a narrow format as one word, the first in the low half, if both
// were just rounded to it: one instruction rounds and packs them.  NULL if
// there is none.
LLVMValueRef nvptx_pack_rounded(Emit *e, Elem elem, LLVMValueRef const *x);

#endif
