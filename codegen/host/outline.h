// outline.h -- parts of a kernel that become functions of their own.
//
// LLVM's time grows faster than the size of a function.  So a kernel of many
// loops calls functions for them; functions with equal code, except for
// constants, are merged (codegen/llvm/output.c).
#ifndef TILE_CODEGEN_HOST_OUTLINE_H
#define TILE_CODEGEN_HOST_OUTLINE_H

#include "codegen/host/host.h"

// A part starts in a block without predecessors, and ends with `last`, which
// has no terminator.
typedef struct {
  LLVMBasicBlockRef first, last;
} Part;

// Moves the part into a function, and adds a call of it at the end of `caller`,
// a block without terminator.  Values from before that the part uses become
// arguments; `results`, which it computes, become results of the call.
void host_outline(Host *h, const Part *part, LLVMBasicBlockRef caller,
                  LLVMValueRef **results, int num_results);

// A function for a part, and a call of it at the builder's place.
LLVMValueRef host_part_function(Host *h, LLVMTypeRef result,
                                LLVMTypeRef *params, int num_params);
LLVMValueRef host_part_call(Host *h, LLVMValueRef function, LLVMValueRef *args,
                            int num_args);

// In parts that differ only in constants, these become arguments (share.c).
void host_share_parts(Host *h);

#endif
