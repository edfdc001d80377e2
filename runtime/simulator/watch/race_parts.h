// race_parts.h -- declarations that the files of race.h share.
#ifndef TILE_SIMULATOR_RACE_PARTS_H
#define TILE_SIMULATOR_RACE_PARTS_H

#include "runtime/simulator/state/report.h"
#include "runtime/simulator/watch/race.h"

// The access as it is remembered.
Past race_past(const RaceAccess *now, Reach reach);
// The lanes of `before` that race with the access `now` to the same bytes.
uint32_t race_unordered(const Past *before, const RaceAccess *now, Reach reach);
// Reports a race with those lanes of `before`, `skip` bytes behind the start.
void race_report(const Past *before, uint32_t lanes, const RaceAccess *now,
                 uint32_t skip, Kind kind, const char *what);
// Whether the access `now` comes after all lanes of `before`.
bool race_is_after(const RaceAccess *now, const Past *before);
// Whether both are by lanes of one warp, at one time.
static inline bool race_is_at_once(const Past *a, const Past *b) {
  return a->clock == b->clock && is_same_warp(a, b) &&
         reach_of(a) == reach_of(b);
}
// Remembers an access outside of the cells, which have no room for it.
void race_remember_more(const Cells *cells, Other other, uint32_t i,
                        uint32_t count, const Past *past,
                        const RaceAccess *now);
// Remembers a read of `count` equal cells, from the i-th on, for checks of
// later writes.
void race_remember_read(const Cells *cells, uint32_t i, uint32_t count,
                        Past past, const RaceAccess *now);
// A fast path for a strong write of shared memory: adds its lane to the last
// write, if that is by other lanes of the warp, at the same time by the same
// instruction, and the lane races with nothing that is known of the cells.
// False: each cell must be checked.
bool race_remember_lane(RacePage *page, uint32_t stamp, const RaceAccess *now,
                        const Past *past);

// Remembers an access in cells; false: there is no room, and the cells forget
// their accesses.
bool race_keep(const Cells *cells, int which, uint32_t i, uint32_t count,
               const Past *past, const RaceAccess *now);
// Remembers a write as the last one of cells.
void race_remember_write(const Cells *cells, uint32_t i, uint32_t count,
                         const Past *past, const RaceAccess *now);
// Adds an access of cells to a crowd (crowd.h).  The page's accesses move
// there, too, and later ones will, except last writes and copies.
void race_crowd_add(const Cells *cells, Other other, uint32_t i, uint32_t count,
                    const Past *past, const RaceAccess *now);
// Moves the page's accesses to crowds.
void race_crowd_page(const Cells *cells, const RaceAccess *now);
// Shrinks records of the page that have become too large because of finer cells
// or crowds.
void race_crowd_fit(RacePage *page, const RaceAccess *now);
// The cells of an access; finer ones may make the page crowded.
Cells race_cells(RacePage *page, uint32_t stamp, const RaceAccess *now);
// Lets the page use more memory than its share; false: it may not.
bool race_lend(RacePage *page, const RaceAccess *now);
// Reports a race of a read with a write of a crowd, if it is certain; returns
// whether it is.
bool race_crowd_read(const Cells *cells, uint32_t i, const RaceAccess *now,
                     Reach reach);
// The same for a write and accesses of one kind; accesses that it comes after
// are forgotten.
typedef struct CrowdWrite {
  Other other;
  Reach reach;
  Kind kind;
  const char *what;
  bool stays; // an access that races stays remembered
} CrowdWrite;
void race_crowd_write(const Cells *cells, uint32_t i, const RaceAccess *now,
                      const CrowdWrite *write);
// A weak write makes the word of a cell forget its finds.  Strong writes of a
// crowd are forgotten, too, if the writer may have found them, and so comes
// after them.
void race_crowd_overwrite(const Cells *cells, uint32_t i,
                          const RaceAccess *now);

#endif
