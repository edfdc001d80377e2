// verify.h -- is this IR well formed?
#ifndef TILE_IR_VERIFY_H
#define TILE_IR_VERIFY_H

#include "ir/op.h"

// Checks operand and result counts, groups, regions, attributes, type rules,
// visibility of operands, terminators.  Each finding is a diagnostic at the op.
bool module_verify(const Module *m);
bool function_verify(const Function *f);

#endif
