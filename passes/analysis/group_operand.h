// group_operand.h -- operands that groups of warps find in shared memory.
#ifndef TILE_PASSES_ANALYSIS_GROUP_OPERAND_H
#define TILE_PASSES_ANALYSIS_GROUP_OPERAND_H

#include "ir/op.h"
#include "ir/target.h"

// The layout of a buffer for `value`, with neighbours along axis `fast`, in
// which a dot that takes it reads it there; NULL if none does.
const Layout *group_operand(Module *m, const Value *value, const Target *target,
                            int fast);

// Do groups of warps multiply in the function?  Not where it calls functions of
// the driver, or where a loop of products has no room for the sums that it
// carries and one more: ptxas would take no two of their products at once.
bool groups_multiply(const Function *f, const Target *target);

// The axis along which a thread has the longest runs, the last of equals.
int longest_axis(const Layout *layout);

#endif
