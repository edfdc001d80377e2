// async.h -- running copies: starting them, and waiting for them.
#ifndef TILE_SIMULATOR_ASYNC_H
#define TILE_SIMULATOR_ASYNC_H

#include "runtime/simulator/watch/proxy.h"

// cp.async: ends the lane's copies up to number `serial`.  Each Step here is
// STEP_FAULT after a report.
Step async_finish(Warp *warp, int lane, uint32_t serial);

// cp.async.bulk: ends copies that complete at the mbarrier at that offset, or
// all; with a random schedule the first may leave some for later.
Step bulk_finish_at(Cta *cta, uint32_t mbarrier);
Step bulk_finish_all(Cta *cta);
void bulk_reset(Warp *warp); // forgets the warp's bulk copies

// Reports a tensor map in global memory that the launch has changed and the CTA
// has not acquired since.  The other functions forget the maps of a CTA, and of
// a launch.
void tensormap_check(const Warp *warp, const Inst *inst, int lane,
                     uint64_t address);
void tensormap_reset(Cta *cta);
void tensormap_destroy(Cta *cta);
void tensormap_end(Launch *launch);

// Whether the instruction copies, and the size of the lane's copy: bytes, bytes
// in global memory, and sectors of 32 bytes there.
typedef struct BulkMeasure {
  uint64_t bytes, global_bytes, sectors;
  uint32_t multicast; // CTAs of the cluster that receive it, as bits; 0: no
                      // multicast
  bool is_peers;      // to the shared memory of another CTA
} BulkMeasure;
bool bulk_copies(const Inst *inst);
BulkMeasure bulk_measure(const Warp *warp, const Inst *inst, int lane);

struct Place;
// The place, in the cluster, of the mbarrier whose address `op` holds; false
// after a report, also if there is no mbarrier.
bool mbarrier_place(Warp *warp, const Inst *inst, int lane, const uint32_t *op,
                    struct Place *place);
// Whether the lane's copy may complete at the mbarrier of another CTA, whose
// initialisation it must know; false after a report that ends the launch.
bool mbarrier_may_tell(Warp *warp, const Inst *inst, int lane, Cta *at,
                       uint32_t offset);
// An operation on the CTA has written bytes, and completes them at its
// mbarrier.
Step mbarrier_bytes_came(Cta *cta, AsyncId id, uint32_t bytes);

#endif
