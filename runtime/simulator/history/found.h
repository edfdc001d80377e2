// found.h -- the strong writes of a word that each lane has read (found).
//
// A strong write comes before all that follows a strong read which has found
// it, even if nothing was released; but this orders the write alone, not the
// earlier accesses of its thread.  A clock cannot express that, so each word
// has a list of such reads, with the writes that they have found.
#ifndef TILE_SIMULATOR_FOUND_H
#define TILE_SIMULATOR_FOUND_H

#include "runtime/simulator/history/race_page.h"

// Records that a lane reads the cell; `who` is the read.
void found_read(const Cells *cells, uint32_t i, const Past *who,
                const Warp *warp, int lane);
// Called before a strong write of the cell is remembered: PAST_FINDS if its
// lane has found the last write and those before it, else 0.
uint32_t found_write(const Cells *cells, uint32_t i, const Past *write,
                     const Warp *warp, int lane);
// `lanes` are those of a write that the lane does not know by its clock.
// Returns the lanes whose write the lane has not found, either.
uint32_t found_not(const Cells *cells, uint32_t i, const Past *write,
                   uint32_t lanes, const Warp *warp, int lane);

// Whether the lane has found any strong write there, or this is unknown.
bool found_any(const Cells *cells, uint32_t i, const Warp *warp, int lane);

#endif
