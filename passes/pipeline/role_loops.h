// role_loops.h -- the loops whose blocks a thread of its own is to copy.
#ifndef TILE_PASSES_ROLE_LOOPS_H
#define TILE_PASSES_ROLE_LOOPS_H

#include "passes/pipeline/schedule.h"

typedef struct {
  Schedule schedule;
  bool goes_on; // with what the loop before loads
} RoleLoop;

typedef Vec(RoleLoop) RoleLoops;

// In program order.  False if the function has no roles.
bool role_loops_find(Function *f, const Target *target, RoleLoops *out);

#endif
