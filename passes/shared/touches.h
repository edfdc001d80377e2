// touches.h -- accesses to shared memory between barriers.
#ifndef TILE_PASSES_SHARED_TOUCHES_H
#define TILE_PASSES_SHARED_TOUCHES_H

#include "ir/base/base.h"
#include "ir/op.h"
#include "passes/analysis/analysis.h"

// Accessed bytes: slots of `slot` bytes, each with the same owners.
typedef struct {
  int64_t start, end;
  int64_t slot;
  bool write;
  int age; // for operands of dots: number of dots started since
  Owners owners;
  bool waited; // the thread that starts bulk copies has waited for it
  bool groups; // read by groups of warps, each of which waits for its own
} SlotTouch;

typedef Vec(SlotTouch) Touches;

// The bytes of the buffer, or of a view of one, that threads access to move
// `tile`, and how.
SlotTouch touch_of(const Value *buffer, const Type *tile, TouchKind kind);
// All bytes of which `buffer` may be a view, accessed by unknown threads.
SlotTouch touch_of_bytes(const Value *buffer, bool write);

// False if the set does not grow.
bool touches_add(Arena *arena, Touches *set, SlotTouch touch);
bool touches_add_all(Arena *arena, Touches *set, const Touches *more);
// Does another thread access bytes of an entry of the set, and is one of the
// two a write?
bool touches_clash(const Touches *set, const SlotTouch *touch);

#endif
