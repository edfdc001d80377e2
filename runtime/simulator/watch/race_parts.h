// race_parts.h -- declarations that the files of race.h share.
#ifndef TILE_SIMULATOR_RACE_PARTS_H
#define TILE_SIMULATOR_RACE_PARTS_H

#include "runtime/simulator/state/report.h"
#include "runtime/simulator/watch/race.h"

// The access as it will be remembered.
Past race_past(const RaceAccess *now, Reach reach);
// The lanes of `before` that race with the access `now`, where both touch the
// same.
uint32_t race_unordered(const Past *before, const RaceAccess *now, Reach reach);
// Reports a race with those lanes of `before`, `skip` bytes behind the start.
void race_report(const Past *before, uint32_t lanes, const RaceAccess *now,
                 uint32_t skip, Kind kind, const char *what);
// Whether all lanes of `before` come before the access `now`.
bool race_is_after(const RaceAccess *now, const Past *before);
// Whether both are by lanes of one warp, at one time.
static inline bool race_is_at_once(const Past *a, const Past *b) {
  return a->clock == b->clock && is_same_warp(a, b) &&
         reach_of(a) == reach_of(b);
}
// Remembers an access that the cells have no room for.
void race_remember_more(const Cells *cells, Other other, uint32_t i,
                        uint32_t count, const Past *past,
                        const RaceAccess *now);
// Remembers the read of `count` cells that are alike, from the i-th on, for
// writes after it.
void race_remember_read(const Cells *cells, uint32_t i, uint32_t count,
                        Past past, const RaceAccess *now);

// Remembers an access in cells; false: there is no room, and nothing is known
// of them.
bool race_keep(const Cells *cells, int which, uint32_t i, uint32_t count,
               const Past *past, const RaceAccess *now);
// Remembers a write as the last one of cells.
void race_remember_write(const Cells *cells, uint32_t i, uint32_t count,
                         const Past *past, const RaceAccess *now);
// An access of cells goes to a crowd (crowd.h), as do all of its page that
// there are, and will be, but for last writes and copies.
void race_crowd_add(const Cells *cells, Other other, uint32_t i, uint32_t count,
                    const Past *past, const RaceAccess *now);
// They go there now.
void race_crowd_page(const Cells *cells, const RaceAccess *now);
// Shrinks records of the page that finer cells or crowds have made too large.
void race_crowd_fit(RacePage *page, const RaceAccess *now);
void race_crowd_refined(const Cells *cells, const RaceAccess *now);
// Reports that a read races with a write of a crowd, if it surely does, and
// returns whether.
bool race_crowd_read(const Cells *cells, uint32_t i, const RaceAccess *now,
                     Reach reach);
// The same of a write and one of these accesses; what it comes
// after is forgotten.
typedef struct CrowdWrite {
  Other other;
  Reach reach;
  Kind kind;
  const char *what;
  bool stays; // an access that races stays remembered
} CrowdWrite;
void race_crowd_write(const Cells *cells, uint32_t i, const RaceAccess *now,
                      const CrowdWrite *write);
// A weak write takes from a cell's word what has been found there: strong
// writes of a crowd that it may come after by that are forgotten, too.
void race_crowd_overwrite(const Cells *cells, uint32_t i,
                          const RaceAccess *now);

#endif
