// liveness.h -- live ranges in shared memory.
//
// Ops are numbered in program order; the number of a structured op is followed
// by those of the ops in it.  A buffer lives from its alloc to its free_shared,
// or to the last op of its block that uses it or contains a use; with copies in
// flight and no free, to the end of its block.  Barriers live to the end of the
// function.
#ifndef TILE_PASSES_LIVENESS_H
#define TILE_PASSES_LIVENESS_H

#include "ir/op.h"

typedef struct {
  Op *op;         // allocates, or has scratch memory
  int start, end; // numbers of its first and last op
  int64_t bytes;
  bool patterns; // must consist of whole patterns of lines: a buffer for
                 // async_dot or boxes
} SharedLife;

typedef Vec(SharedLife) SharedLives;

// In program order; layouts are assigned.
void shared_lives(const Function *f, Arena *arena, SharedLives *out);

static inline bool lives_meet(const SharedLife *a, const SharedLife *b) {
  return a->start <= b->end && b->start <= a->end;
}

// The alloc of a buffer or view.
Op *buffer_alloc(const Value *buffer);
// The bytes of a buffer of that shape and element; `type` may also be a tile or
// a descriptor.
int64_t buffer_bytes(const Type *type);

#endif
