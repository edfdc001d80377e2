// accesses.h -- accesses to global memory between barriers.
#ifndef TILE_PASSES_SHARED_ACCESSES_H
#define TILE_PASSES_SHARED_ACCESSES_H

#include "ir/op.h"
#include "passes/analysis/analysis.h"

typedef struct {
  const Value *base, *ptr; // NULL: unknown
  const AddressSum *place; // NULL: unknown
  bool write, atomic;
  Motion motion;  // by the loops since
  const Op *loop; // the one that moved it; NULL: several
} GlobalAccess;

typedef Vec(GlobalAccess) Accesses;

// False if the set has the access already.
bool accesses_add(Arena *arena, Accesses *set, GlobalAccess access);
// Would another thread than that of one of the set be at the same element, one
// of them to write it?
bool accesses_clash(const Accesses *set, const GlobalAccess *access);
// Makes an access of a trip of the loop what it is to the next trip.
void access_move(GlobalAccess *access, const Op *loop);

#endif
