// race.h -- data races: conflicting accesses that nothing orders.
//
// A caller that checks an access holds the page's lock from before the check
// until the access is done.
#ifndef TILE_SIMULATOR_RACE_H
#define TILE_SIMULATOR_RACE_H

#include "runtime/simulator/history/race_page.h"

// An access before it happens.
typedef struct RaceAccess {
  Warp *warp;
  const Inst *inst;
  int lane;
  Cta *home;               // the owner of the shared memory
  uint8_t space;           // SPACE_SHARED or SPACE_GLOBAL
  uint64_t offset;         // in shared memory or the allocation
  uint32_t size;           // bytes; within one page
  uint32_t time;           // of the warp; 0: now
  const uint8_t *old, *to; // bytes before and after a write, if known; `old` ==
                           // `to`: the write has happened
} RaceAccess;

// Checks an access and remembers it; reports races and goes on.
void race_read(RacePage *page, uint32_t stamp, const RaceAccess *now);
void race_write(RacePage *page, uint32_t stamp, const RaceAccess *now);
void race_atomic(RacePage *page, uint32_t stamp, const RaceAccess *now);
// The start and the end of a copy, which reads at any time between them.
void race_copy_starts(RacePage *page, uint32_t stamp, const RaceAccess *now);
// The start of a read that was checked as another access.
void race_copy_marks(RacePage *page, uint32_t stamp, const RaceAccess *now);
void race_copy_ends(RacePage *page, uint32_t stamp, const RaceAccess *now);
// Reports if a weak read of the cell races with a write; the read is not
// remembered.
void race_check_read(const Cells *cells, uint32_t i, const RaceAccess *now);
// The access of an instruction to its mbarrier, a read and a write.
void race_object(RacePage *page, uint32_t stamp, const RaceAccess *now,
                 Reach reach);
// A write that was checked at its beginning is over; it is ordered from here.
void race_wrote(RacePage *page, uint32_t stamp, const RaceAccess *now);

#endif
