// stuck.h -- livelock: finds warps that repeat the same state for ever.
//
// A warp whose registers are the same again and again at one place, while its
// CTA writes nothing, loops until others write, and for ever if none does.
// Registers derived from clocks are left out; before such warps are given up,
// time advances in leaps, so that a warp that waits for a time has waited long
// enough.
#ifndef TILE_SIMULATOR_STUCK_H
#define TILE_SIMULATOR_STUCK_H

#include "runtime/simulator/state/exec.h"

void stuck_start(Warp *warp);
// Looks at the warp's state before it continues at a place.
void stuck_look(Warp *warp);
// Forgets the state: the memory that the warp waits for may have changed.
void stuck_forget(Warp *warp);
// Whether the warp loops for ever, unless others write; `alone`: even if others
// write global memory.
bool stuck_is(const Warp *warp, bool alone);

#endif
