// bulk.h -- shared by plain bulk copies and those of tensors.
#ifndef TILE_SIMULATOR_BULK_H
#define TILE_SIMULATOR_BULK_H

#include "runtime/simulator/async/async.h"
#include "runtime/simulator/memory/memory.h"
#include "runtime/simulator/tensor/box.h"

// A step of the copy for bytes of global memory that are within one page of the
// race checker.  `at` counts a tensor's rows as they are one after the other in
// the box.
typedef void (*PieceFn)(Warp *warp, const BulkCopy *copy, uint32_t at,
                        const Place *place, uint32_t size);
// The same of shared memory; `at` counts from the copy's first byte there.
typedef void (*SharedFn)(Warp *warp, const BulkCopy *copy, uint32_t at,
                         uint32_t size);

// The bytes of one place, page by page.
void bulk_each_page(Warp *warp, const BulkCopy *copy, uint32_t at,
                    const Place *place, uint32_t size, PieceFn run);

// Starts a copy like `plan`, whose box it has a copy of.
Step bulk_start(Warp *warp, const BulkCopy *plan);
// Whether the lane does what lanes before it do in this instruction, and has
// become one of them.
bool bulk_joins(Warp *warp, const BulkCopy *plan);
// The lanes' open group has the copy.
void bulk_commit(const Warp *warp, BulkCopy *copy, uint32_t lanes);
// The lanes for which the copy is in none of the last `but` groups.
uint32_t bulk_lanes_past(const Warp *warp, const BulkCopy *copy, uint32_t lanes,
                         int64_t but);

// The copy tells that mbarrier, which must be where its target is; false after
// a report.
bool bulk_may_tell(const Warp *warp, BulkCopy *plan, const Place *mbarrier);
// The CTAs of the cluster that a multicast is for, as bits, which operand `at`
// holds; 0: it is none.
static inline uint32_t bulk_ctas(const Warp *warp, const Inst *inst, int at,
                                 int lane) {
  return inst->is_multicast ? (uint32_t)lane_get(warp, inst->op[at], 2, lane)
                            : 0;
}
// Starts one for each CTA of the cluster that the mask names; of the box they
// have copies.
Step bulk_multicast(Warp *warp, const BulkCopy *plan, uint32_t mask);

// From shared memory to shared memory: the source, which is in the thread's own
// CTA, false after a report; its bytes.
bool bulk_find_own(Warp *warp, BulkCopy *plan);
void bulk_take_own(const Warp *warp, const BulkCopy *copy);

// The elements of a tensor that are inside; false after a report.
bool tensor_each_global(Warp *warp, const BulkCopy *copy, Access access,
                        PieceFn run);
// The box in shared memory, where it leaves room between its rows.
void tensor_each_shared(Warp *warp, const BulkCopy *copy, SharedFn run);
// Elements from global memory into the copy's data, and out of it.
void tensor_take(const BulkCopy *copy, uint32_t at, const uint8_t *from,
                 uint32_t size);
void tensor_give(const BulkCopy *copy, uint32_t at, uint8_t *to, uint32_t size);
// The same for tensors.
bool tensor_copies(const Inst *inst);
BulkMeasure tensor_measure(const Warp *warp, const Inst *inst, int lane);
// Fills the data as it is before any of it was taken.
void tensor_fill(const BulkCopy *copy);

// The steps of reductions, in which each element is an atomic of its own.
void bulk_reduce_global(Warp *warp, const BulkCopy *copy, uint32_t at,
                        const Place *place, uint32_t size);
void bulk_reduce_own(Warp *warp, const BulkCopy *copy, uint32_t at,
                     uint32_t size);
// Whether cp.reduce.async.bulk has the form, to shared memory of the cluster.
bool bulk_may_reduce_shared(const Form *form);

// The number of sectors of 32 bytes that the bytes are in.
static inline uint64_t bulk_sectors(uint64_t address, uint64_t bytes) {
  return bytes ? (address + bytes - 1) / 32 - address / 32 + 1 : 0;
}

#endif
