// role_loops.h -- the loops whose blocks are copied by a separate thread.
#ifndef TILE_PASSES_ROLE_LOOPS_H
#define TILE_PASSES_ROLE_LOOPS_H

#include "passes/pipeline/schedule.h"

typedef struct {
  Schedule schedule;
  bool goes_on; // continues with the loads of the loop before
} RoleLoop;

typedef Vec(RoleLoop) RoleLoops;

// The number of barriers for empty slots of the loop's ring: a product that
// runs on needs one more, for the trip before the first.
static inline int role_num_empty(const Schedule *s) {
  return schedule_ring(s) + s->runs_on;
}

// May the rings live while tiles outside of the loops are stored, and as many
// programs be on an SM as before, without spills?
bool role_loops_may_go_on(const Function *f, const Target *target,
                          const RoleLoops *loops);

// The loops, in program order.  False if the function has no roles.
bool role_loops_find(Function *f, const Target *target, RoleLoops *out);

#endif
