// thread_work.h -- the part of a launch that one thread has done.
#ifndef TILE_RUNTIME_COUNTS_THREAD_WORK_H
#define TILE_RUNTIME_COUNTS_THREAD_WORK_H

#include "runtime/counts/events.h"

struct ThreadWork {
  bool counts; // its events are open
  ThreadEvents events;
  uint64_t num_programs; // that have ended
  uint64_t begun, ticks; // of the clock: as a program began; in all of them
  uint64_t sums[WORK_EVENTS];
};

#endif
