// async.h -- copies of cp.async, between those who start and who await them.
#ifndef TILE_SIMULATOR_ASYNC_H
#define TILE_SIMULATOR_ASYNC_H

#include "runtime/simulator/exec.h"

// The lane's copies up to that one are over; STEP_FAULT after a report.
Step async_finish(Warp *warp, int lane, uint32_t serial);

#endif
