// verify.h -- is this IR well formed?
#ifndef TILE_IR_VERIFY_H
#define TILE_IR_VERIFY_H

#include "ir/op.h"

// Checks counts of operands and results, groups, regions, attributes, type
// rules, visibility of operands, and terminators.  Each error is a diagnostic
// at the op.
bool module_verify(const Module *m);
bool function_verify(const Function *f);

#endif
