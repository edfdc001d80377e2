// poll.h -- who waits for a word, and when the others have their turn.
//
// A warp that reads the same of a word again and again waits for what another
// writes.  If it came late, it would read what was written after what it waits
// for, and a barrier that is missing would look like one that is there.  So who
// writes such a word, and who finds it changed, gives way at once.
#ifndef TILE_SIMULATOR_POLL_H
#define TILE_SIMULATOR_POLL_H

#include "runtime/simulator/memory/memory.h"
#include "runtime/simulator/watch/race.h"

// A strong access, before it happens.
void poll_access(RacePage *page, uint32_t stamp, const RaceAccess *now,
                 Reach reach, Access access);
// A write that leaves to others what the warp knows, of which nobody may have
// heard yet.
void poll_published(const RaceAccess *now, Reach reach);
// A lane has looked at an object in shared memory, and must look again.
void poll_object(Warp *warp, const Inst *inst, int lane, const uint8_t *at,
                 uint64_t value);

// Whether each warp waits for others of the CTA, or has found a word of global
// memory the same again, at least one of them: other CTAs may write it.
bool poll_waits_far(const Cta *cta);
// Whether these words still are the same: of one warp that waits so, of all.
bool poll_is_vain(const Warp *warp);
bool poll_all_vain(const Cta *cta);

// Reports what the lanes of the group wait for.
void poll_report(const Warp *warp, const Group *group);

#endif
