// proxy.h -- what asynchronous units do to shared memory, and what orders it.
//
// A copy, or a product of matrices, goes on by itself once an instruction has
// started it: an operation.  What it touches it may touch at any time until it
// is over.  An operation comes after what its lane knows when it starts it; of
// what threads have written, only after what a fence.proxy.async has passed on
// that the lane knows of, whosesoever.  What comes after an operation knows
// that it is over:
// - an mbarrier's, who has found over the phase that its bytes came to, or a
//   later one, and whoever knows that: the mbarrier's copies have a time, as a
//   warp has, which clocks are told of;
// - another's, by a wait of a warp that started it, and whoever knows what that
//   warp did from then on.
// Operations on one CTA, or cluster, are numbered together.
#ifndef TILE_SIMULATOR_PROXY_H
#define TILE_SIMULATOR_PROXY_H

#include "runtime/simulator/state/exec.h"

typedef uint32_t AsyncId; // 0: there is no memory for another

// What it touches are multiples of so many bytes; or of so few where the code
// has st.async or red.async.
enum { ASYNC_BYTES = 16, SMALL_ASYNC_BYTES = 4 };

// The lane starts an operation that waits of its warp, or its warp group, end.
AsyncId async_begin(Warp *warp, const Inst *inst, int lane);
// The warp starts one that it, and the other warps of its group, wait for.
AsyncId async_begin_group(Warp *warp, const Inst *inst);
// One that tells the mbarrier at `offset` of the CTA so many bytes, in one or
// several pieces: mbarrier_bytes_came() of async.h ends it.
AsyncId async_begin_at(Warp *warp, const Inst *inst, int lane, Cta *at,
                       uint32_t offset, uint32_t bytes);

// It is a reduction: those of a place do not disturb each other.
void async_reduces(Cta *cta, AsyncId id);
// It is a thread's late store or reduction, which wants no fence.
void async_is_generic(Cta *cta, AsyncId id, bool reduces);

// It reads, or writes, such bytes of the CTA's shared memory, from now until it
// is over; called when it starts, they report and go on.
void async_reads(Cta *cta, AsyncId id, uint32_t offset, uint32_t bytes);
void async_writes(Cta *cta, AsyncId id, uint32_t offset, uint32_t bytes);

// It is over, or reads no more if nobody asks for the rest, as the lanes that
// have waited know.  Other warps of the group may wait for it, too.
void async_awaited(Warp *warp, AsyncId id, uint32_t lanes);
// So many of its bytes came, and with the last ones it is over; whoever passes
// the mbarrier's phase from now on is told.
void async_came(Cta *cta, AsyncId id, uint32_t bytes);
// The lane that started an operation, and the mbarrier that it tells; `at` is
// NULL: none.
typedef struct AsyncStart {
  Warp *warp;
  const Inst *inst;
  int lane;
  Cta *at;
  uint32_t mbarrier;
} AsyncStart;
AsyncStart async_start(const Cta *cta, AsyncId id);

struct RaceAccess;
// A lane is about to touch shared memory.
void async_check(const struct RaceAccess *now, bool is_write);
// Raises the times of the CTA's actors to those of what its mbarriers' copies,
// which are over, have written there; `last` is the writer that came last.
void async_raise_times(const Cta *cta, uint32_t offset, uint32_t size,
                       AsyncId *last, uint32_t *times);
// A copy of an asynchronous unit is about to read global memory, `skip` bytes
// from what `now` says on; `write`, which the lane knows, was there: by a
// thread, or NULL.
struct Past;
void async_check_source(const struct RaceAccess *now, const struct Past *write,
                        uint32_t skip);
// Describes an operation on the way to the CTA's mbarrier at `offset`; false:
// there is none.
bool async_describe(const Cta *cta, uint32_t offset, char *out, size_t room);

// The operations of others that touch the CTA's shared memory, of which the
// clock does not know that they are over: `tell` hears of each, by the byte.
typedef void (*AsyncTell)(const Cta *cta, const AsyncStart *start, uint32_t at);
void async_each_unknown(Cta *cta, const Clock *known, AsyncTell tell);

void async_reset(Cta *cta); // forgets all operations
void async_destroy(Cta *cta);

#endif
