// role_slice.h -- the ops that a role computes itself to copy blocks.
#ifndef TILE_PASSES_ROLE_SLICE_H
#define TILE_PASSES_ROLE_SLICE_H

#include "ir/op.h"

// Can one thread compute which blocks the load reads, and when, without values
// of other threads?  The load must be in loops only, and depend on scalars
// without loads.
bool role_can_copy(Arena *arena, const Op *load);

// Are the offsets, and the trips of the loops around, surely the same in all
// blocks of a cluster?
bool role_copies_alike(Arena *arena, const Op *load);

#endif
