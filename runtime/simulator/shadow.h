// shadow.h -- what the checks know of each byte of shared memory.
#ifndef TILE_SIMULATOR_SHADOW_H
#define TILE_SIMULATOR_SHADOW_H

#include "runtime/simulator/exec.h"

// Before the access, which is inside shared memory.  They report and go on.
void shadow_read(Warp *warp, const Inst *inst, int lane, uint64_t offset,
                 uint32_t size);
void shadow_write(Warp *warp, const Inst *inst, int lane, uint64_t offset,
                  uint32_t size, const uint8_t *bytes);
void shadow_atomic(Warp *warp, const Inst *inst, int lane, uint64_t offset,
                   uint32_t size);
// cp.async: the copy is under way; it has arrived.
void shadow_async(Warp *warp, const Inst *inst, int lane, uint64_t offset,
                  uint32_t size);
void shadow_arrived(Warp *warp, const Inst *inst, int lane, uint64_t offset,
                    uint32_t size);

// What orders accesses.
void shadow_start(Cta *cta);
void shadow_arrive(Warp *warp, int barrier); // before it waits, if it does
void shadow_leave(Warp *warp, int barrier);  // a warp that has waited
void shadow_barrier_done(Cta *cta, int barrier);
void shadow_fence(Warp *warp);
// An operation on an mbarrier: it releases and acquires.
void shadow_mbarrier(Warp *warp, uint32_t offset, uint32_t size);

#endif
