// poll.h -- finds warps that poll a word, and lets the other warps run.
//
// A warp that reads the same value again and again waits for a write by another
// warp.  If the waiting warp ran too late, it would read data that was written
// after the write that it waits for, and a missing barrier would not be
// noticed.  So a warp that writes a polled word, or finds it changed, gives way
// at once.
//
// For example, warp 1 reads a flag in shared memory until it is 1.  After nine
// reads of 0, eight of which found no change, warp 1 gives way.  When warp 0
// stores 1 to the flag, warp 0 gives way, and warp 1 goes on before warp 0
// writes anything else.
#ifndef TILE_SIMULATOR_POLL_H
#define TILE_SIMULATOR_POLL_H

#include "runtime/simulator/memory/memory.h"
#include "runtime/simulator/watch/race.h"

// Records a strong access, before it happens.
void poll_access(RacePage *page, uint32_t stamp, const RaceAccess *now,
                 Reach reach, Access access);
// Records a write that releases the warp's clock; no other warp may have
// acquired it yet.
void poll_published(const RaceAccess *now, Reach reach);
// Records that a lane has read an object in shared memory and must read it
// again.
void poll_object(Warp *warp, const Inst *inst, int lane, const uint8_t *at,
                 uint64_t value);

// Whether each warp waits for others of the CTA, or polls an unchanged word of
// global memory, and at least one does the latter: other CTAs may write it.
bool poll_waits_far(const Cta *cta);
// Whether the words that the warp polls are unchanged; the same for all
// polling warps of the CTA.
bool poll_is_vain(const Warp *warp);
bool poll_all_vain(const Cta *cta);

// Reports the words that the lanes of the group wait for.
void poll_report(const Warp *warp, const Group *group);

#endif
