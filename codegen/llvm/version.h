// version.h -- what releases of LLVM do differently.
#ifndef TILE_CODEGEN_LLVM_VERSION_H
#define TILE_CODEGEN_LLVM_VERSION_H

#include "codegen/emit.h"

// Has this LLVM every intrinsic that code for `target` calls?  False after a
// diagnostic that names one that it has not.
bool version_check(const Target *target, DiagList *diags);

// Waits for all threads of the block.
LLVMValueRef llvm_barrier(Llvm *llvm);

// 2 to the power of an f32, as the GPU's instruction that flushes denormals has
// it.
LLVMValueRef llvm_exp2_approx(Llvm *llvm, LLVMValueRef x);

// Vectors, of which the lanes that `mask` sets are read or written, at
// addresses of any alignment: `ptr` is that of the first lane, or a vector of
// one address a lane.  A lane that is not read is 0.
LLVMValueRef llvm_masked_load(Llvm *llvm, LLVMTypeRef type, LLVMValueRef ptr,
                              LLVMValueRef mask);
void llvm_masked_store(Llvm *llvm, LLVMValueRef x, LLVMValueRef ptr,
                       LLVMValueRef mask);

typedef enum {
  LIMIT_THREADS,   // exactly as many are in a block
  LIMIT_REGISTERS, // of a thread, at most
  LIMIT_BLOCKS,    // on a multiprocessor, at least
} KernelLimit;

void llvm_limit_kernel(Llvm *llvm, LLVMValueRef kernel, KernelLimit limit,
                       int value);

// Says of the parameters from `first` on that the kernel does not write them.
void llvm_keep_constant(Emit *e, LLVMValueRef kernel, int first, int num);

#endif
