// pipelined.h -- have the loads of loops become copies?
#ifndef TILE_PASSES_PIPELINED_H
#define TILE_PASSES_PIPELINED_H

#include "ir/op.h"
#include "ir/target.h"

// Has the function no loop with loads that pipeline_loops would copy ahead?  A
// loop with copies is done.
bool loops_pipelined(const Function *f, const Target *target);

#endif
