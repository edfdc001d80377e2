// pipelined.h -- whether the loads of loops have become copies.
#ifndef TILE_PASSES_PIPELINED_H
#define TILE_PASSES_PIPELINED_H

#include "ir/op.h"
#include "ir/target.h"

// Whether no loop of the function has loads left that pipeline_loops would copy
// trips ahead.  A loop with copies is done.
bool loops_pipelined(const Function *f, const Target *target);

#endif
