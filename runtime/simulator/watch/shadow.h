// shadow.h -- checks an access that is within its memory.
//
// Checks of shared memory: whether it was written, whether a cp.async is
// running there, races.  Checks of global memory: races, and, if wanted,
// whether it was written.
#ifndef TILE_SIMULATOR_SHADOW_H
#define TILE_SIMULATOR_SHADOW_H

#include "runtime/simulator/memory/memory.h"
#include "runtime/simulator/watch/race.h"

// Checks an access, reports errors and goes on.  The caller then accesses the
// memory and calls shadow_exit() with the returned page; until then no other
// host thread accesses the place.  `bytes` are the bytes that a write will
// leave; NULL: they are not known; the address of the place itself: the bytes
// have been written before the check.
RacePage *shadow_check(Warp *warp, const Inst *inst, int lane,
                       const Place *place, uint32_t size, Access access,
                       const uint8_t *bytes);

static inline RacePage *shadow_enter(Warp *warp, const Inst *inst, int lane,
                                     const Place *place, uint32_t size,
                                     Access access, const uint8_t *bytes) {
  if (!warp->cta->launch->checks) return NULL;
  return shadow_check(warp, inst, lane, place, size, access, bytes);
}

static inline void shadow_exit(RacePage *page) {
  if (page) race_unlock(page);
}

// A copy begins to read its source; the read is over, and is ordered like an
// access of the lane at `time`, 0: now.  Both functions return the page like
// shadow_check().
RacePage *shadow_copy_starts(Warp *warp, const Inst *inst, int lane,
                             const Place *place, uint32_t size);
// The same start for a read that shadow_enter() has checked.
RacePage *shadow_copy_marks(Warp *warp, const Inst *inst, int lane,
                            const Place *place, uint32_t size);
RacePage *shadow_copy_ends(Warp *warp, const Inst *inst, int lane,
                           const Place *place, uint32_t size, uint32_t time);
// A copy of cp.async has started; it has arrived.
void shadow_async(Warp *warp, const Inst *inst, int lane, const Place *place,
                  uint32_t size);
void shadow_arrived(Warp *warp, const Inst *inst, int lane, uint64_t offset,
                    uint32_t size);

// An operation is about to access shared memory of the CTA; see proxy.h.
void shadow_async_touch(Cta *cta, Warp *warp, const Inst *inst, int lane,
                        uint32_t offset, uint32_t size, bool is_write);

// An mbarrier is initialised or invalidated, which is a write, or used.
void shadow_mbarrier(Warp *warp, const Inst *inst, int lane, const Place *place,
                     bool is_write);
// Lanes arrive at an mbarrier.
void shadow_mbarrier_arrive(Warp *warp, uint32_t lanes, Cta *cta,
                            uint32_t offset, bool releases);
// An operation has completed bytes at an mbarrier, and leaves its clock there;
// a phase is over; lanes find that it is.
void shadow_mbarrier_left(Cta *cta, uint32_t offset, Clock *clock);
void shadow_mbarrier_over(Cta *cta, uint32_t offset);
void shadow_mbarrier_passed(Warp *warp, uint32_t lanes, uint32_t offset,
                            bool acquires);

#endif
