// watch.h -- the checks of accesses, waits and ends of CTAs.
//
// The header of this room for other rooms, except for proxy.h, which has the
// asynchronous operations.
#ifndef TILE_SIMULATOR_WATCH_H
#define TILE_SIMULATOR_WATCH_H

#include "runtime/simulator/watch/poll.h"
#include "runtime/simulator/watch/race.h"
#include "runtime/simulator/watch/shadow.h"
#include "runtime/simulator/watch/stuck.h"

// Reports accesses by other CTAs of the cluster that may come after all threads
// of the CTA have returned (visits.c).
void visits_check(Cta *cta);

#endif
