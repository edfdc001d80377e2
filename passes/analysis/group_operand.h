// group_operand.h -- operands that groups of warps read from shared memory.
#ifndef TILE_PASSES_ANALYSIS_GROUP_OPERAND_H
#define TILE_PASSES_ANALYSIS_GROUP_OPERAND_H

#include "ir/op.h"
#include "ir/target.h"

// The layout of a buffer for `value`, with neighbours along axis `fast`, from
// which a dot can read it as an operand; NULL if none can.
const Layout *group_operand(Module *m, const Value *value, const Target *target,
                            int fast);

// May groups of warps multiply in the function?  Not if it calls functions of
// the driver, or if a loop of products has no room for the sums that it carries
// and one more: ptxas would serialize the products.
bool groups_multiply(const Function *f, const Target *target);

// The last op that calls a function of the driver: it prints or asserts; NULL:
// there is none.
const Op *find_debug_call(const Function *f);

// The axis along which a thread has the longest runs; of equal ones, the last.
int longest_axis(const Layout *layout);

#endif
