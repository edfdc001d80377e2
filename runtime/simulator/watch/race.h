// race.h -- data races: conflicting accesses that nothing orders.
//
// A caller that checks an access holds the page's lock from before the check
// until the access is done.
#ifndef TILE_SIMULATOR_RACE_H
#define TILE_SIMULATOR_RACE_H

#include "runtime/simulator/history/race_page.h"

// An access that is about to happen.
typedef struct RaceAccess {
  Warp *warp;
  const Inst *inst;
  int lane;
  Cta *home;               // the owner of the shared memory
  uint8_t space;           // SPACE_SHARED or SPACE_GLOBAL
  uint64_t offset;         // in shared memory or the allocation
  uint32_t size;           // bytes; within one page
  uint32_t time;           // of the warp; 0: its time now
  const uint8_t *old, *to; // the bytes that a write finds, and leaves where
                           // known; `old` itself: it has left them before
} RaceAccess;

// Check an access and remember it; all report and go on.
void race_read(RacePage *page, uint32_t stamp, const RaceAccess *now);
void race_write(RacePage *page, uint32_t stamp, const RaceAccess *now);
void race_atomic(RacePage *page, uint32_t stamp, const RaceAccess *now);
// The start and the end of a copy, which reads at some time between them.
void race_copy_starts(RacePage *page, uint32_t stamp, const RaceAccess *now);
void race_copy_ends(RacePage *page, uint32_t stamp, const RaceAccess *now);
// Reports a weak read of the cell that races with a write, which does not
// remember it.
void race_check_read(const Cells *cells, uint32_t i, const RaceAccess *now);
// The access of an instruction to its mbarrier, which it reads and writes.
void race_object(RacePage *page, uint32_t stamp, const RaceAccess *now,
                 Reach reach);
// A write that was checked when it began is over, and ordered from here.
void race_wrote(RacePage *page, uint32_t stamp, const RaceAccess *now);

#endif
