// one_trip.h -- loops that have no second trip.
#ifndef TILE_PASSES_ONE_TRIP_H
#define TILE_PASSES_ONE_TRIP_H

#include "passes/analysis/walk.h"

// Does the `for` surely end after its first trip, if it has one?
bool loop_runs_once(const Op *loop);

// Replaces such a loop by an `if`, and erases it.
void loop_to_if(Module *m, Op *loop);

#endif
