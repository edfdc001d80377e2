// pipeline.h -- rings of buffers that a load is copied through.
#ifndef TILE_PASSES_PIPELINE_H
#define TILE_PASSES_PIPELINE_H

#include "ir/target.h"
#include "passes/analysis/walk.h"

typedef struct {
  Op *load;
  SrcLoc loc;       // of the load, which may be gone
  const Type *slot; // of one buffer of the ring
  Value *ring;
} Ring;

// Bytes of one buffer for a load.
int64_t ring_slot_bytes(const Op *load);
// `count` buffers in the layout that suits the copy and who reads them.
Ring ring_create(Builder *b, Op *load, int count, const Target *target);
void ring_free(Builder *b, const Ring *ring);

// The slot of the trip after, and that of the trip before, of a ring of
// `count`.
Value *ring_next_slot(Builder *b, Value *slot, int count);
Value *ring_last_slot(Builder *b, Value *slot, int count);
// Is `other` that?
bool ring_is_last_slot(const Value *other, const Value *slot, int count);

// Copies and waits for them have the place of the load in the source.

// Starts a copy to a slot; `mask` may be NULL.  The token.
Value *ring_copy(Builder *b, const Ring *ring, Value *ptr, Value *mask,
                 Value *slot);
void ring_commit(Builder *b, int count, Value *const *tokens);
void ring_wait(Builder *b, const Ring *ring, int count);
// Copies of a loop that are not ahead of it: a group of those in a row starts
// where the loads are, and is waited for before the first of them is needed.
void rings_copy_here(Module *m, Op *loop, Op *const *loads, int count,
                     const Target *target);
// The same for loads that stay, whose values are stored to the buffers; those
// that are alone in their group are left as they are.
void rings_store_here(Module *m, Op *loop, Op *const *loads, int count,
                      const Target *target);
// The bytes of the largest group.
int64_t rings_here_bytes(const Op *loop, Op *const *loads, int count);
// Everything that used the load reads the slot, of which a view is made by `b`;
// `read` is where, if not by each user.  The load has no use left.
void ring_read(Builder *b, const Ring *ring, Value *slot, Op *read);

#endif
