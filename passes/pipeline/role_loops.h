// role_loops.h -- the loops whose blocks a thread of its own is to copy.
#ifndef TILE_PASSES_ROLE_LOOPS_H
#define TILE_PASSES_ROLE_LOOPS_H

#include "passes/pipeline/schedule.h"

typedef struct {
  Schedule schedule;
  bool goes_on; // with what the loop before loads
} RoleLoop;

typedef Vec(RoleLoop) RoleLoops;

// The number of barriers that tell that slots of the loop's ring are empty: a
// product that runs on has one more, for the trip before the first.
static inline int role_num_empty(const Schedule *s) {
  return schedule_ring(s) + s->runs_on;
}

// In program order.  False if the function has no roles.
bool role_loops_find(Function *f, const Target *target, RoleLoops *out);

#endif
