// watch.h -- the checks of accesses, waits and ends of CTAs.
//
// The door of the room: operations that run on by themselves are proxy.h's, all
// else is in headers that only this one shows to other rooms.
#ifndef TILE_SIMULATOR_WATCH_H
#define TILE_SIMULATOR_WATCH_H

#include "runtime/simulator/watch/poll.h"
#include "runtime/simulator/watch/race.h"
#include "runtime/simulator/watch/shadow.h"
#include "runtime/simulator/watch/stuck.h"
#include "runtime/simulator/watch/visits.h"

#endif
