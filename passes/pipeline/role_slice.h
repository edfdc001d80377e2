// role_slice.h -- the ops that a role computes itself to copy blocks.
#ifndef TILE_PASSES_ROLE_SLICE_H
#define TILE_PASSES_ROLE_SLICE_H

#include "ir/op.h"

// Can one thread compute which blocks the load reads, and when, without values
// of other threads?  The load must depend on scalars that both roles compute,
// or load from memory that the kernel does not write.
bool role_can_copy(Arena *arena, const Op *load);

// Does the op load a scalar that both roles may use?  The load is at the top,
// from memory that the kernel does not write.
bool role_shares_load(const Op *op);
// Is the op a pure one or such a load, whose result is a scalar, and whose
// operands are parameters or results of keys of `kept`?
bool role_shares_scalar(const Map *kept, const Op *op);

// Are the offsets, and the trips of the loops around, surely the same in all
// blocks of a cluster?
bool role_copies_alike(Arena *arena, const Op *load);

// Values at the top of a function, or of a loop over programs in the role that
// copies.
typedef Vec(const Value *) RoleTops;

// In the role that copies: the values at the top that determine the offsets of
// the copy, and the trips of the loops around it.  `body`: of the loop over
// programs, or NULL.  False: other values determine them, too.
bool role_copy_tops(Arena *arena, const Op *copy, const Block *body,
                    RoleTops *out);
// Only those that determine the trips of the loops around the op.
bool role_trip_tops(Arena *arena, const Op *op, const Block *body,
                    RoleTops *out);

#endif
