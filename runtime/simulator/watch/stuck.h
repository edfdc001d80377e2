// stuck.h -- who does the same for ever.
//
// A warp whose registers are the same time and again at one place, while its
// CTA writes nothing, goes round until others write, and so for ever where
// nobody does.  What clocks said is left out; before such warps are given up,
// time goes on in leaps, so that who waits for a time has waited long enough.
#ifndef TILE_SIMULATOR_STUCK_H
#define TILE_SIMULATOR_STUCK_H

#include "runtime/simulator/state/exec.h"

void stuck_start(Warp *warp);
// When the warp is about to go on at a place, and its time has come.
void stuck_look(Warp *warp);
// The memory that it waits for may have changed.
void stuck_forget(Warp *warp);
// Whether the warp goes round for ever, unless others write; `alone`: whatever
// is in global memory.
bool stuck_is(const Warp *warp, bool alone);

#endif
