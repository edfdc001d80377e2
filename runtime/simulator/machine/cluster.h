// cluster.h -- CTAs that run together.
#ifndef TILE_SIMULATOR_CLUSTER_H
#define TILE_SIMULATOR_CLUSTER_H

#include "runtime/simulator/machine/run.h"
#include "runtime/simulator/state/exec.h"

// Makes the cluster of that number and returns its first CTA; in a launch
// without clusters, the CTA of that number.  NULL: no memory.
Cta *cluster_create(Launch *launch, uint64_t index);
// The same as cta_run(): done when all its CTAs are.
RunResult cluster_run(Cta *first, uint64_t budget);
// Frees what its CTAs, which go on to be spare, shared; or them, too.
void cluster_end(Cta *first);
void cluster_destroy(Cta *first);
// Its barrier may be complete now that a warp has exited lanes.
void cluster_check(Cta *cta);
// Whether nothing in it can go on until others write, or time has passed.
bool cluster_is_stuck(Cta *first);
void cluster_report_deadlock(Cta *first);

#endif
