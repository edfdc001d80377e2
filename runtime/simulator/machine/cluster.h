// cluster.h -- CTAs that run together.
#ifndef TILE_SIMULATOR_CLUSTER_H
#define TILE_SIMULATOR_CLUSTER_H

#include "runtime/simulator/machine/run.h"
#include "runtime/simulator/state/exec.h"

// Creates the cluster of that number and returns its first CTA; in a launch
// without clusters, the CTA of that number.  NULL: no memory.
Cta *cluster_create(Launch *launch, uint64_t index);
// Like cta_run(), for all its CTAs.
RunResult cluster_run(Cta *first, uint64_t budget);
// cluster_end(): frees the data that its CTAs, which are kept as spare, shared;
// cluster_destroy(): frees the CTAs, too.
void cluster_end(Cta *first);
void cluster_destroy(Cta *first);
// Checks whether its barrier is complete, after lanes of a warp have exited.
void cluster_check(Cta *cta);
// Whether none of its CTAs can go on until others write, or time has passed.
bool cluster_is_stuck(Cta *first);
void cluster_report_deadlock(Cta *first);

#endif
