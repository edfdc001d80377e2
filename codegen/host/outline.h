// outline.h -- parts of a kernel that become functions of their own.
//
// LLVM takes time that grows faster than a function does.  A kernel of many
// loops therefore calls functions for them; those of the same code, which may
// differ in constants, are merged (codegen/llvm/output.c).
#ifndef TILE_CODEGEN_HOST_OUTLINE_H
#define TILE_CODEGEN_HOST_OUTLINE_H

#include "codegen/host/host.h"

// A part starts in a block that nothing leads to, and ends where `last` does,
// which has no terminator.
typedef struct {
  LLVMBasicBlockRef first, last;
} Part;

// Moves it into a function, which `caller`, a block without terminator, calls
// at its end.  Values from before that the part uses are arguments; `results`,
// which it computes, become what the call returns.
void host_outline(Host *h, const Part *part, LLVMBasicBlockRef caller,
                  LLVMValueRef **results, int num_results);

// A function for a part, and a call of it where the builder is.
LLVMValueRef host_part_function(Host *h, LLVMTypeRef result,
                                LLVMTypeRef *params, int num_params);
LLVMValueRef host_part_call(Host *h, LLVMValueRef function, LLVMValueRef *args,
                            int num_args);

// Constants in which parts that are else the same differ become arguments
// (share.c).
void host_share_parts(Host *h);

#endif
