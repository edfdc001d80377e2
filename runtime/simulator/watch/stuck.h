// stuck.h -- livelock: finds warps that repeat the same state for ever.
//
// A warp that repeatedly has the same registers at one instruction, while its
// CTA writes nothing, is in a loop that only writes by other warps can end.
// Registers derived from clocks do not count; before the warp is reported, time
// advances in leaps, so that a loop that waits for a point in time has ended by
// then.
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
