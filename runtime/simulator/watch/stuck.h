// stuck.h -- warps that do the same for ever.
//
// A warp whose registers are the same time and again at one place, while its
// CTA writes nothing, goes round until others write, and so for ever where
// nobody does.  The values of clocks are left out; before such warps are given
// up, time goes on in leaps, so that a warp that waits for a time has waited
// long enough.
#ifndef TILE_SIMULATOR_STUCK_H
#define TILE_SIMULATOR_STUCK_H

#include "runtime/simulator/state/exec.h"

void stuck_start(Warp *warp);
// Looks at the warp's state, before it goes on at a place.
void stuck_look(Warp *warp);
// Forgets the state: the memory that the warp waits for may have changed.
void stuck_forget(Warp *warp);
// Whether the warp goes round for ever, unless others write; `alone`: no
// matter what others write to global memory.
bool stuck_is(const Warp *warp, bool alone);

#endif
