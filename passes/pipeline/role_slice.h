// role_slice.h -- the ops that a role computes for itself to copy blocks.
#ifndef TILE_PASSES_ROLE_SLICE_H
#define TILE_PASSES_ROLE_SLICE_H

#include "ir/op.h"

// Can one thread, which sees nothing of what the others compute, find out which
// blocks the load reads, and when?  Its place is in loops alone, and what it
// needs comes of scalars, without loads.
bool role_can_copy(Arena *arena, const Op *load);

// Are they, and the trips of the loops around it, surely the same in all blocks
// of a cluster?
bool role_copies_alike(Arena *arena, const Op *load);

#endif
