// pipeline.h -- rings of buffers through which a load is copied.
#ifndef TILE_PASSES_PIPELINE_H
#define TILE_PASSES_PIPELINE_H

#include "ir/target.h"
#include "passes/analysis/walk.h"

typedef struct {
  Op *load;
  SrcLoc loc;       // of the load, which may be erased
  const Type *slot; // of one buffer of the ring
  Value *ring;
} Ring;

// Bytes of one buffer for a load.
int64_t ring_slot_bytes(const Op *load);
// `count` buffers in the layout that suits the copy and the reads.
Ring ring_create(Builder *b, Op *load, int count, const Target *target);
void ring_free(Builder *b, const Ring *ring);

// The slot of the next trip, and that of the trip before, in a ring of `count`.
Value *ring_next_slot(Builder *b, Value *slot, int count);
Value *ring_last_slot(Builder *b, Value *slot, int count);
// The parity of a barrier's phase in the next trip: it changes when the slots
// start again at 0.  `next` is the result of ring_next_slot().
Value *ring_next_phase(Builder *b, Value *phase, Value *next);
// The view_index of a ring's buffer from which `view` is made, perhaps by a
// transpose; NULL if there is none.
Op *ring_view(const Value *view);
// Is `other` the slot of the trip before?
bool ring_is_last_slot(const Value *other, const Value *slot, int count);

// Copies and their waits have the source location of the load.

// Starts a copy to a slot; `mask` may be NULL.  Returns the token.
Value *ring_copy(Builder *b, const Ring *ring, Value *ptr, Value *mask,
                 Value *slot);
// Starts a bulk copy of the block at `offsets` of the load's descriptor, which
// completes on the barrier.
Op *ring_copy_block(Builder *b, const Ring *ring, Value *const *offsets,
                    Value *mask, Value *slot, Value *barrier);
// Can each of `blocks` blocks copy a part, and multicast it to all of them?
bool ring_is_shareable(const Ring *ring, int blocks);
// `count` barriers with `arrivals` arrivals for each phase, at the start of the
// function.
Value *barriers_create(Function *f, int count, int arrivals);
// The same, for arrivals from each block of a cluster.  Its blocks synchronize
// behind the first barriers and at the end of the function.
Value *barriers_create_shared(Function *f, int count, int arrivals);
// Makes the barriers of an mbarrier_alloc count arrivals of `blocks` blocks.
void barriers_share(Op *alloc, int blocks);
Value *barriers_at(Builder *b, Value *barriers, Value *slot);
void barrier_expect(Builder *b, Value *barrier, Value *mask, int64_t bytes);
// Waits for the end of that phase; NULL: of the next phase that was not
// awaited.
void barrier_await(Builder *b, Value *barrier, Value *phase);
// Adds `count` arrivals: the guarded buffers of the rings were read.
void barrier_arrive(Builder *b, Value *barrier, int count, int num_rings,
                    const Ring *rings);
void ring_commit(Builder *b, int count, Value *const *tokens);
void ring_wait(Builder *b, const Ring *ring, int count);
// Copies of a loop in the trip that reads them: a group of consecutive ones
// starts at the loads, and is waited for before the first of them is needed.
void rings_copy_here(Module *m, Op *loop, Op *const *loads, int count,
                     const Target *target);
// The same for loads that are not copied, and used by products alone: their
// values are stored to the buffers; a load that is alone in its group is left
// unchanged.
void rings_store_loads(Module *m, Op *loop, const Target *target);
// The bytes of the largest group.
int64_t rings_here_bytes(const Op *loop, Op *const *loads, int count);
// All users of the load read the slot instead, through a view made by `b`;
// `read` is the place of the reads, or NULL: at each user.  The load becomes
// unused.
void ring_read(Builder *b, const Ring *ring, Value *slot, Op *read);

// The carried slot of a dot's sum: the loop adds to it by the same dot in the
// next trip, perhaps after a wait and scaled by the mulf `*scale` (else NULL),
// and uses it for nothing else; -1: there is none.
int dot_sum_slot(const Op *dot, const Value *sum, const Op *loop, Op **scale);
// Makes the second product of a trip run while the next trip computes, in a
// role's loop whose second product depends on the first.  Other loops stay.
void dots_overlap(Module *m, Op *loop);

#endif
