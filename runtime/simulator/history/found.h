// found.h -- who has found which strong writes of a word.
//
// A strong write comes before all that comes after a strong read which has
// found it there, whether or not anything was released: it alone, nothing that
// its thread did before.  No clock can tell that, so it is kept at the word:
// such reads, each with what it has found.
#ifndef TILE_SIMULATOR_FOUND_H
#define TILE_SIMULATOR_FOUND_H

#include "runtime/simulator/history/race_page.h"

// The lane reads the cell, as `who` tells.
void found_read(const Cells *cells, uint32_t i, const Past *who,
                const Warp *warp, int lane);
// A strong write of the cell, of a lane that has found what `last` has and
// those before it; before it is remembered: PAST_FINDS, or nothing.
uint32_t found_write(const Cells *cells, uint32_t i, const Past *write,
                     const Warp *warp, int lane);
// Of the lanes of a write, which the lane does not know, those that it has not
// found either.
uint32_t found_not(const Cells *cells, uint32_t i, const Past *write,
                   uint32_t lanes, const Warp *warp, int lane);

#endif
