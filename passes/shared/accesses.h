// accesses.h -- accesses to global memory between barriers.
#ifndef TILE_PASSES_SHARED_ACCESSES_H
#define TILE_PASSES_SHARED_ACCESSES_H

#include "ir/op.h"
#include "passes/analysis/analysis.h"

typedef struct {
  const Value *base, *ptr; // NULL: unknown
  const AddressSum *place; // NULL: unknown
  bool write, atomic;
  Motion motion;  // caused by the loops since the access
  const Op *loop; // the loop that moved it; NULL: several
} GlobalAccess;

typedef Vec(GlobalAccess) GlobalAccesses;

// False if the access is in the set already.
bool accesses_add(Arena *arena, GlobalAccesses *set, GlobalAccess access);
// May another thread access an element of an access in the set, one of the two
// writing it?
bool accesses_clash(const GlobalAccesses *set, const GlobalAccess *access);
// Changes the access of a trip of the loop to its form as seen by the next
// trip.
void access_move(GlobalAccess *access, const Op *loop);

#endif
