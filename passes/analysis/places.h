// places.h -- addresses of global memory that can be proved different.
//
// A *place* is the address of a tile of pointers as a sum: scalars times
// constants, a constant, and positions along axes times constants.
#ifndef TILE_PASSES_PLACES_H
#define TILE_PASSES_PLACES_H

#include "ir/op.h"

typedef struct AddressSum AddressSum;

// The sum for a pointer or a tile of pointers; NULL if it has another form.
AddressSum *place_of(Arena *arena, const Value *ptr);

// Are all addresses of `a` different from all of `b`, if scalars keep their
// values?  NULL is allowed, for an unknown place.
bool places_apart(const AddressSum *a, const AddressSum *b);

// May addresses of the first trip of a loop and other ones of the next trip be
// equal?  No if both trips have the same addresses, or the answer is unknown.
bool place_meets_next(Arena *arena, const Value *ptr, const Op *loop);
// Sets `*step` to the distance by which a scalar moves from the first trip to
// the next one; false: it is unknown.  A value that the loop's body computes
// otherwise, for example by a load, counts as a value that does not move.
bool place_step(Arena *arena, const Value *scalar, const Op *loop,
                int64_t *step);
// The same for the offset of a block pointer.
bool block_step(const Value *block, int dim, const Op *loop, int64_t *step);

// Does each address that both contain belong to one thread, for any values of
// scalars? Layouts are assigned.
bool places_by_one_thread(const AddressSum *a, const AddressSum *b);

#endif
