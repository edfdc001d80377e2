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

// -- Elementwise operations for which PTX has better ones --------------------

// NULL: what all targets do is right.
ScalarEmitter *nvptx_scalar(const Op *op);

// convert_round() by an instruction; NULL if the target has none.
LLVMValueRef nvptx_round(Emit *e, Elem elem, LLVMValueRef f32,
                         Rounding rounding);

// The two f16 that two fp8e4nv are, the lower byte's the lower, as a word; NULL
// if the chip does not convert them.
LLVMValueRef nvptx_halves_of_f8e4nv(Emit *e, LLVMValueRef bytes);
// The f32 that the byte of an fp8e4nv is; NULL likewise.
LLVMValueRef nvptx_load_f8e4nv(Emit *e, LLVMValueRef byte);

// The byte of `x`, which is of that format; NULL if the chip has no instruction
// for it, or it would change an infinity.
LLVMValueRef nvptx_store_f8(Emit *e, Elem elem, LLVMValueRef x);
// Two of them as 16 bits, x[0] the lower; NULL likewise.
LLVMValueRef nvptx_pack_f8(Emit *e, Elem elem, LLVMValueRef const *x);

// The f32 that convert_round() made `x` of, in f16, bf16 or by an instruction
// fp8; NULL if it did not.
LLVMValueRef nvptx_before_rounding(Elem elem, LLVMValueRef x);

// The f16 that an f32 was, or NULL.
LLVMValueRef nvptx_half_of(LLVMValueRef x);
// Gives the halves as one vector.
LLVMValueRef nvptx_join_halves(Emit *e, LLVMValueRef const *halves);

// (x & mask) | bits.
LLVMValueRef nvptx_insert(Emit *e, LLVMValueRef x, uint32_t mask,
                          uint32_t bits);
// The bits that x does not have.
LLVMValueRef nvptx_without(Emit *e, uint32_t bits, LLVMValueRef x);
// An f32 of no sign, with the sign of another.
LLVMValueRef nvptx_copy_sign(Emit *e, LLVMValueRef size, LLVMValueRef x);
// x * y + z of bf16 as bits, 16 or a word of two, rounded once; for chips with
// CAP_MMA_BF16.
LLVMValueRef nvptx_fma_bf16(Emit *e, LLVMValueRef x, LLVMValueRef y,
                            LLVMValueRef z);
// -x of the same.
LLVMValueRef nvptx_neg_bf16(Emit *e, LLVMValueRef x);

// Two values of a narrow format as one word, the first in the low half, where
// both were just rounded to it: one instruction rounds and packs them.  NULL if
// there is none.
LLVMValueRef nvptx_pack_rounded(Emit *e, Elem elem, LLVMValueRef const *x);

#endif
