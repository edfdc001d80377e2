// found.h -- the lanes that have found strong writes of a word.
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
// Called before a strong write of the cell is remembered: PAST_FINDS if its
// lane has found the last write and those before it, else 0.
uint32_t found_write(const Cells *cells, uint32_t i, const Past *write,
                     const Warp *warp, int lane);
// `lanes` of a write, which the lane does not know by its clock, less those
// that it has found.
uint32_t found_not(const Cells *cells, uint32_t i, const Past *write,
                   uint32_t lanes, const Warp *warp, int lane);

// Whether the lane has found any strong write there, or that is not known.
bool found_any(const Cells *cells, uint32_t i, const Warp *warp, int lane);

#endif
