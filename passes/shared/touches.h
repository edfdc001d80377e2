// touches.h -- what is touched of shared memory between barriers.
#ifndef TILE_PASSES_SHARED_TOUCHES_H
#define TILE_PASSES_SHARED_TOUCHES_H

#include "ir/base/vec.h"
#include "passes/analysis/owners.h"

// Slots of so many bytes, each with the same owners.
typedef struct {
  int64_t start, end;
  int64_t slot;
  bool write;
  int age; // of what a dot reads: dots that were started since
  Owners owners;
} Touch;

typedef Vec(Touch) Touches;

// False if nothing is new.
bool touches_add(Arena *arena, Touches *set, Touch touch);
bool touches_add_all(Arena *arena, Touches *set, const Touches *more);
// Does another thread touch the same bytes as one of the set, and does one of
// the two write?
bool touches_clash(const Touches *set, const Touch *touch);

#endif
