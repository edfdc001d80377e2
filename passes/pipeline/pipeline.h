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
// The parity of a barrier's phase in the next trip: it is another when the
// slots start again.  `next` is what ring_next_slot() gave.
Value *ring_next_phase(Builder *b, Value *phase, Value *next);
// The view_index of the buffer of a ring that `view` is, or is turned from;
// NULL: it is none.
Op *ring_view(const Value *view);
// Is `other` the slot of the trip before?
bool ring_is_last_slot(const Value *other, const Value *slot, int count);

// Copies and waits for them have the place of the load in the source.

// Starts a copy to a slot; `mask` may be NULL.  The token.
Value *ring_copy(Builder *b, const Ring *ring, Value *ptr, Value *mask,
                 Value *slot);
// Starts a bulk copy of the block at `offsets` of the load's descriptor: its
// bytes arrive on the barrier.
Op *ring_copy_block(Builder *b, const Ring *ring, Value *const *offsets,
                    Value *mask, Value *slot, Value *barrier);
// Can so many blocks copy a part of it each, which goes to all of them?
bool ring_is_shareable(const Ring *ring, int blocks);
// `count` barriers with so many arrivals a phase, at the start of the function.
Value *barriers_create(Function *f, int count, int arrivals);
// The same for arrivals of each block of a cluster, whose blocks meet behind
// the barriers that were made first and at the end of the function.
Value *barriers_create_shared(Function *f, int count, int arrivals);
Value *barriers_at(Builder *b, Value *barriers, Value *slot);
void barrier_expect(Builder *b, Value *barrier, Value *mask, int64_t bytes);
// For the end of that phase; NULL: the next one that nobody has waited for.
void barrier_await(Builder *b, Value *barrier, Value *phase);
// So many arrivals: what it guards of the rings has been read.
void barrier_arrive(Builder *b, Value *barrier, int count, int num_rings,
                    const Ring *rings);
void ring_commit(Builder *b, int count, Value *const *tokens);
void ring_wait(Builder *b, const Ring *ring, int count);
// Copies of a loop that are not ahead of it: a group of those in a row starts
// where the loads are, and is waited for before the first of them is needed.
void rings_copy_here(Module *m, Op *loop, Op *const *loads, int count,
                     const Target *target);
// The same for loads of a loop that stay, for products alone: their values are
// stored to the buffers; those that are alone in their group are left as they
// are.
void rings_store_loads(Module *m, Op *loop, const Target *target);
// The bytes of the largest group.
int64_t rings_here_bytes(const Op *loop, Op *const *loads, int count);
// Everything that used the load reads the slot, of which a view is made by `b`;
// `read` is where, if not by each user.  The load has no use left.
void ring_read(Builder *b, const Ring *ring, Value *slot, Op *read);

// The slot of the loop by which a dot's sum, which may pass a wait first, is
// what the same dot adds to in the next trip, perhaps scaled by the mulf
// `*scale` (else NULL), and nothing else in the loop; -1: it is none.
int dot_sum_slot(const Op *dot, const Value *sum, const Op *loop, Op **scale);
// Lets the second product of a trip run while the next one computes, in a loop
// of a role whose second product takes what is computed of the first.  Other
// loops stay.
void dots_overlap(Module *m, Op *loop);

#endif
