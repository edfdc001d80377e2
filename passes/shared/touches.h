// touches.h -- accesses to shared memory between barriers.
#ifndef TILE_PASSES_SHARED_TOUCHES_H
#define TILE_PASSES_SHARED_TOUCHES_H

#include "ir/base/base.h"
#include "ir/op.h"
#include "passes/analysis/analysis.h"

// Slots of so many bytes, each with the same owners.
typedef struct {
  int64_t start, end;
  int64_t slot;
  bool write;
  int age; // of what a dot reads: dots that were started since
  Owners owners;
  bool waited; // for by the thread that starts bulk copies
  bool groups; // of warps read it, each of which waits for itself
} Touch;

typedef Vec(Touch) Touches;

// The bytes of the buffer, or of a view of one, that threads touch, and how:
// they come from `tile` or go to it.
Touch touch_of(const Value *buffer, const Type *tile, TouchKind kind);
// All bytes that `buffer` may be a view of, touched by unknown threads.
Touch touch_of_bytes(const Value *buffer, bool write);

// False if nothing is new.
bool touches_add(Arena *arena, Touches *set, Touch touch);
bool touches_add_all(Arena *arena, Touches *set, const Touches *more);
// Does another thread touch the same bytes as one of the set, and does one of
// the two write?
bool touches_clash(const Touches *set, const Touch *touch);

#endif
