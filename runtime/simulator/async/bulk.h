// bulk.h -- shared by plain bulk copies and copies of tensors.
#ifndef TILE_SIMULATOR_BULK_H
#define TILE_SIMULATOR_BULK_H

#include "runtime/simulator/async/async.h"
#include "runtime/simulator/memory/memory.h"
#include "runtime/simulator/tensor/box.h"

// A step of the copy for bytes of global memory within one page of the race
// checker.  For a tensor, `at` counts its rows in the order of the box.
typedef void (*PieceFn)(Warp *warp, const BulkCopy *copy, uint32_t at,
                        const Place *place, uint32_t size);
// The same for shared memory; `at` counts from the copy's first byte there.
typedef void (*SharedFn)(Warp *warp, const BulkCopy *copy, uint32_t at,
                         uint32_t size);

// Runs a step for the bytes of one place, page by page.
void bulk_each_page(Warp *warp, const BulkCopy *copy, uint32_t at,
                    const Place *place, uint32_t size, PieceFn run);

// Starts a copy like `plan`, with a copy of its box.
Step bulk_start(Warp *warp, const BulkCopy *plan);
// Whether the lane's copy is the same as that of earlier lanes in this
// instruction; then it joins their copy.
bool bulk_joins(Warp *warp, const BulkCopy *plan);
// Adds the copy to the lanes' open group.
void bulk_commit(const Warp *warp, BulkCopy *copy, uint32_t lanes);
// The lanes for which the copy is in none of the last `but` groups.
uint32_t bulk_lanes_past(const Warp *warp, const BulkCopy *copy, uint32_t lanes,
                         int64_t but);

// A copy reads its map at some time between the two (map_reads.c).
void map_read_starts(Warp *warp, const BulkCopy *copy);
void map_read_ends(Warp *warp, BulkCopy *copy);

// Lets the copy complete at that mbarrier, which must be in the CTA of its
// target; false after a report.
bool bulk_may_tell(const Warp *warp, BulkCopy *plan, const Place *mbarrier);
// The CTAs of the cluster that a multicast writes to, as bits, from operand
// `at`; 0: no multicast.
static inline uint32_t bulk_ctas(const Warp *warp, const Inst *inst, int at,
                                 int lane) {
  return inst->is_multicast ? (uint32_t)lane_get(warp, inst->op[at], 2, lane)
                            : 0;
}
// Starts a copy for each CTA of the cluster in the mask; each has a copy of the
// box.
Step bulk_multicast(Warp *warp, const BulkCopy *plan, uint32_t mask);

// For a copy between shared memories: finds the source, in the thread's own
// CTA; false after a report.
bool bulk_find_own(Warp *warp, BulkCopy *plan);
void bulk_take_own(const Warp *warp, const BulkCopy *copy);

// Runs a step for the elements inside the tensor; false after a report.
bool tensor_each_global(Warp *warp, const BulkCopy *copy, Access access,
                        PieceFn run);
// Runs a step for the box in shared memory, if there are gaps between its rows.
void tensor_each_shared(Warp *warp, const BulkCopy *copy, SharedFn run);
// Copies elements from global memory into the copy's data, and out of it.
void tensor_take(const BulkCopy *copy, uint32_t at, const uint8_t *from,
                 uint32_t size);
void tensor_give(const BulkCopy *copy, uint32_t at, uint8_t *to, uint32_t size);
// bulk_copies() and bulk_measure() for copies of tensors.
bool tensor_copies(const Inst *inst);
BulkMeasure tensor_measure(const Warp *warp, const Inst *inst, int lane);
// Fills the data with the padding before elements are copied.
void tensor_fill(const BulkCopy *copy);

// The steps of reductions; each element is an atomic operation.
void bulk_reduce_global(Warp *warp, const BulkCopy *copy, uint32_t at,
                        const Place *place, uint32_t size);
void bulk_reduce_own(Warp *warp, const BulkCopy *copy, uint32_t at,
                     uint32_t size);
// Whether cp.reduce.async.bulk to shared memory of the cluster has the form.
bool bulk_may_reduce_shared(const Form *form);

// The number of sectors of 32 bytes that contain the bytes.
static inline uint64_t bulk_sectors(uint64_t address, uint64_t bytes) {
  return bytes ? (address + bytes - 1) / 32 - address / 32 + 1 : 0;
}

#endif
