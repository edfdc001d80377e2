// map_notes.h -- tensor maps in global memory that a launch has changed.
//
// Copies read maps through the tensormap proxy.  A thread that changes a map
// must release it by a fence; then a thread of each CTA that uses the map, and
// knows of the release, must acquire it by another fence.
#ifndef TILE_SIMULATOR_MAP_NOTES_H
#define TILE_SIMULATOR_MAP_NOTES_H

#include "runtime/simulator/state/exec.h"

// The lane changes the map at the address.
void map_changed(Warp *warp, const Inst *inst, int lane, uint64_t address);
// The lane releases the changes that it knows.
void map_released(Warp *warp, int lane);
// The lane acquires the map at the address.
void map_acquired(Warp *warp, int lane, uint64_t address);

#endif
