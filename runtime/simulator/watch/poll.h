// poll.h -- warps that wait for a word, and when the others have their turn.
//
// A warp that reads the same of a word again and again waits for what another
// writes.  If it came late, it would read what was written after what it waits
// for, and a barrier that is missing would look like one that is there.  So a
// warp that writes such a word, or finds it changed, gives way at once.
#ifndef TILE_SIMULATOR_POLL_H
#define TILE_SIMULATOR_POLL_H

#include "runtime/simulator/memory/memory.h"
#include "runtime/simulator/watch/race.h"

// Notes a strong access, before it happens.
void poll_access(RacePage *page, uint32_t stamp, const RaceAccess *now,
                 Reach reach, Access access);
// Notes a write that releases what the warp knows, which no other warp may have
// acquired yet.
void poll_published(const RaceAccess *now, Reach reach);
// Notes that a lane has read an object in shared memory and must read it again.
void poll_object(Warp *warp, const Inst *inst, int lane, const uint8_t *at,
                 uint64_t value);

// Whether each warp waits for others of the CTA, or has found a word of global
// memory the same again, at least one of them: other CTAs may write it.
bool poll_waits_far(const Cta *cta);
// Whether the words that the warp waits for still are the same; those of all
// warps of the CTA that wait so.
bool poll_is_vain(const Warp *warp);
bool poll_all_vain(const Cta *cta);

// Reports what the lanes of the group wait for.
void poll_report(const Warp *warp, const Group *group);

#endif
