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
#include "runtime/simulator/watch/visits.h"

#endif
