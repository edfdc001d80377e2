// proxy.h -- accesses of asynchronous units to shared memory, and their order.
//
// An operation is a copy or a product of matrices that runs asynchronously once
// an instruction has started it.  The operation may access its memory at any
// time until it is over.  Accesses that the lane knows when it starts the
// operation come before it; writes by threads only if the lane also knows of a
// fence.proxy.async behind them, of any thread.  An access comes after an
// operation if its lane knows that the operation is over:
//  - an operation that completes bytes at an mbarrier: by finding that phase,
//    or a later one, over, or by an order from a thread that did.  The copies
//    of the mbarrier have a time, like a warp, and clocks have that time;
//  - another operation: by a wait of a warp that started it, or by an order
//    from that wait.
// Operations in one CTA, or cluster, are numbered together.
//
// For example, lane 0 of warp 0 starts a copy of 64 bytes to offset 0 of shared
// memory, which completes at the mbarrier at offset 1024: async_begin_at()
// gives its id, and async_writes() records it at four pieces of 16 bytes.  If
// warp 1 reads one of them now, async_check() reports `unawaited`.
// async_came() with 64 bytes ends the copy at a time of the mbarrier.  A warp
// whose wait finds that phase over knows the time, and may read.
#ifndef TILE_SIMULATOR_PROXY_H
#define TILE_SIMULATOR_PROXY_H

#include "runtime/simulator/state/exec.h"

typedef uint32_t AsyncId; // 0: no memory for another

// Operations access multiples of ASYNC_BYTES, or of SMALL_ASYNC_BYTES if the
// code has st.async or red.async.
enum { ASYNC_BYTES = 16, SMALL_ASYNC_BYTES = 4 };

// Begins an operation of the lane; a wait of the lane's warp, or of the warp's
// group, ends the operation.
AsyncId async_begin(Warp *warp, const Inst *inst, int lane);
// Begins an operation of the warp; the warps of its group, this one among them,
// wait for the operation.
AsyncId async_begin_group(Warp *warp, const Inst *inst);
// Notes that the warp has come to the group's operation.  async_is_overtaken():
// whether a warp that had not come yet wrote bytes that the operation reads.
// The write is no race by itself; once all warps have come, the operation's
// reads are checked against it.
void async_joins(Warp *warp, AsyncId id);
bool async_is_overtaken(const Cta *cta, AsyncId id);
// Begins an operation that completes `bytes` bytes at the mbarrier at `offset`
// of the CTA, in one or several pieces; mbarrier_bytes_came() of async.h ends
// it.
AsyncId async_begin_at(Warp *warp, const Inst *inst, int lane, Cta *at,
                       uint32_t offset, uint32_t bytes);

// The same for a delayed store or reduction of a thread, which needs no proxy
// fence.  The stores by one instruction of a warp for one mbarrier in a phase
// are one operation: no lane knows that one of these stores is over before all
// are over.
AsyncId async_store_at(Warp *warp, const Inst *inst, int lane, Cta *at,
                       uint32_t offset, uint32_t bytes, bool reduces);

// Marks a reduction: reductions of one place do not race with each other.
void async_reduces(Cta *cta, AsyncId id);

// Records that the operation reads, or writes, these bytes of the CTA's shared
// memory from now until it is over.  Called when it starts; both report errors
// and go on.
void async_writes(Cta *cta, AsyncId id, uint32_t offset, uint32_t bytes);
// Whether the bytes have the same history as those of the operation's last
// read: the same copy wrote them, and no write by a thread is remembered.
bool async_reads(Cta *cta, AsyncId id, uint32_t offset, uint32_t bytes);

// Records that the lanes have waited until the operation is over, or reads no
// more.  Other warps of the group may wait for it, too.
void async_awaited(Warp *warp, AsyncId id, uint32_t lanes);
// Records that `bytes` of its bytes came.  With the last ones the operation is
// over, and a thread that passes the mbarrier's phase from now on knows that.
void async_came(Cta *cta, AsyncId id, uint32_t bytes);
// The lane that started an operation, and its mbarrier; `at` is NULL: none.
typedef struct AsyncStart {
  Warp *warp;
  const Inst *inst;
  int lane;
  Cta *at;
  uint32_t mbarrier;
} AsyncStart;
AsyncStart async_start(const Cta *cta, AsyncId id);

struct RaceAccess;
// Checks an access of a lane to shared memory before it happens.
void async_check(const struct RaceAccess *now, bool is_write);
// Raises the times of the CTA's actors to those of finished copies of its
// mbarriers that have written there; `last` is the last of the writers.
void async_raise_times(const Cta *cta, uint32_t offset, uint32_t size,
                       AsyncId *last, uint32_t *times);
// Checks a read of global memory by an asynchronous unit, `skip` bytes behind
// the start of `now`; `write` is the last write there, if a thread made it and
// the lane knows it, else NULL.
struct Past;
void async_check_source(const struct RaceAccess *now, const struct Past *write,
                        uint32_t skip);
// Describes a running operation for the CTA's mbarrier at `offset`; false:
// there is none.
bool async_describe(const Cta *cta, uint32_t offset, char *out, size_t room);

// Calls `tell` for each operation of another CTA that accesses this CTA's
// shared memory and that the clock does not know to be over, with the byte.
typedef void (*AsyncTell)(const Cta *cta, const AsyncStart *start, uint32_t at);
void async_each_unknown(Cta *cta, const Clock *known, AsyncTell tell);

void async_reset(Cta *cta); // forgets all operations
void async_destroy(Cta *cta);

#endif
