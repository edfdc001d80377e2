// places.h -- addresses of global memory that can be told apart.
//
// A *place* is the sum that a tile of pointers is: scalars times constants, a
// constant, and positions along axes times constants.
#ifndef TILE_PASSES_PLACES_H
#define TILE_PASSES_PLACES_H

#include "ir/op.h"

typedef struct AddressSum AddressSum;

// The sum of scalars and strides that a pointer, or a tile of them, is; NULL:
// it has another form.
AddressSum *place_of(Arena *arena, const Value *ptr);

// Are all addresses of one other than all of the other, as long as scalars keep
// their values?  Takes NULL for what is not known.
bool places_apart(const AddressSum *a, const AddressSum *b);

// Are some addresses of the first trip of a loop those of others in the next
// one?  Not if all are the same, nor if it is not known.
bool place_meets_next(Arena *arena, const Value *ptr, const Op *loop);
// How far a scalar moves from the first trip to the next one.  False: that is
// not known.  A value that the loop's body makes, by a load say, counts as one
// that does not move.
bool place_step(Arena *arena, const Value *scalar, const Op *loop,
                int64_t *step);
// The same of the offset of a block pointer.
bool block_step(const Value *block, int dim, const Op *loop, int64_t *step);

// Is each address that both have in the hands of one thread, whatever the
// scalars are?  Layouts are assigned.
bool places_by_one_thread(const AddressSum *a, const AddressSum *b);

#endif
