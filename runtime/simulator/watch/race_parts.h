// race_parts.h -- declarations that the files of race.h share.
#ifndef TILE_SIMULATOR_RACE_PARTS_H
#define TILE_SIMULATOR_RACE_PARTS_H

#include "runtime/simulator/watch/race.h"

// The access as it will be remembered.
Past race_past(const RaceAccess *now, Reach reach);
// Whether all lanes of `before` come before the access `now`.
bool race_is_after(const RaceAccess *now, const Past *before);
// Whether both are by lanes of one warp, at one time.
static inline bool race_is_at_once(const Past *a, const Past *b) {
  return a->clock == b->clock && is_same_warp(a, b) &&
         reach_of(a) == reach_of(b);
}
// Remembers an access that the cells have no room for; false: no memory.
bool race_remember_more(const Cells *cells, Other other, uint32_t i,
                        uint32_t count, const Past *past,
                        const RaceAccess *now);
// Remembers the read of `count` cells that are alike, from the i-th on, for
// writes after it.
void race_remember_read(const Cells *cells, uint32_t i, uint32_t count,
                        Past past, const RaceAccess *now);

#endif
