// analysis.h -- the door of this room for facts about values: addresses, axes,
// dots, shared memory and registers; walk.h is the door for traversals and
// structural changes.
#ifndef TILE_PASSES_ANALYSIS_H
#define TILE_PASSES_ANALYSIS_H

#include "passes/analysis/address.h"
#include "passes/analysis/axis_info.h"
#include "passes/analysis/dot_chain.h"
#include "passes/analysis/group_operand.h"
#include "passes/analysis/liveness.h"
#include "passes/analysis/loop_registers.h"
#include "passes/analysis/owners.h"
#include "passes/analysis/places.h"

#endif
