// liveness.h -- live ranges in shared memory.
//
// Ops are numbered in program order; a structured op's number is followed by
// those of what it contains.  A buffer lives from its alloc to its free_shared,
// or to the last op of its block that uses it or contains such a use; with
// copies in flight and no free, to the end of its block.  Barriers live to the
// end of the function.
#ifndef TILE_PASSES_LIVENESS_H
#define TILE_PASSES_LIVENESS_H

#include "ir/op.h"

typedef struct {
  Op *op;         // one that allocates, or has scratch memory
  int start, end; // numbers of ops, both included
  int64_t bytes;
  bool patterns; // of lines: a buffer for async_dot or boxes
} SharedLife;

typedef Vec(SharedLife) SharedLives;

// In program order; layouts are assigned.
void shared_lives(const Function *f, Arena *arena, SharedLives *out);

static inline bool lives_meet(const SharedLife *a, const SharedLife *b) {
  return a->start <= b->end && b->start <= a->end;
}

// The alloc that a buffer or view of one comes from.
Op *buffer_alloc(const Value *buffer);
// The bytes of a buffer of that shape and element; `type` may be that of a tile
// or a descriptor, too.
int64_t buffer_bytes(const Type *type);

#endif
