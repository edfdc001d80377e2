// run.h -- running a launch, its CTAs and their warps.
#ifndef TILE_SIMULATOR_RUN_H
#define TILE_SIMULATOR_RUN_H

#include "runtime/simulator/state/exec.h"

// Runs the launch to its end; returns the driver's result code.
int launch_run(Launch *launch);

// RUN_STUCK: no warp can go on until another CTA or time changes something.
typedef enum {
  RUN_DONE,
  RUN_ON,
  RUN_GAVE_WAY,
  RUN_STUCK,
  RUN_STOPPED
} RunResult;

Cta *cta_create(Launch *launch, uint64_t linear);
void cta_destroy(Cta *cta);
void cta_enter_cluster(Cta *cta); // after its rank is set
RunResult cta_run(Cta *cta, uint64_t budget);
// Runs each of its warps in turn, once.
RunResult cta_round(Cta *cta, uint64_t *budget);

typedef enum {
  WARP_READY,
  WARP_BLOCKED, // every group waits for other lanes or CTAs
  WARP_DONE,
  WARP_STOPPED,
} WarpState;

// The call stacks (machine/call.c): empties, frees them.
void calls_reset(Warp *warp);
void calls_destroy(Warp *warp);
void warp_start(Warp *warp);
WarpState warp_run(Warp *warp, uint64_t *budget);
// Lanes in `taken` go to `target`, the others to the next instruction.
Step warp_branch(Warp *warp, uint32_t mask, uint32_t taken, uint32_t target);
Step warp_exit(Warp *warp, uint32_t mask);

// Checks whether barriers are complete, after lanes of a warp have exited.
void barrier_check_all(Cta *cta);
// Lets lanes outside the mask skip this instruction.
void warp_split(Warp *warp, uint32_t mask);
// Lets lanes of a waiting group pass its instruction.
void warp_pass(Warp *warp, int i, uint32_t lanes);
// Lets waiting groups of a warp try again.
void warp_wake(Warp *warp);
// Reports why no lane of the warp can go on.
void warp_report_waits(const Warp *warp);
// Whether nothing in the CTA can go on until others write, or time has passed.
bool cta_is_stuck(const Cta *cta);
// The same if neither another CTA nor time can help.
bool cta_is_stuck_alone(const Cta *cta);
// Reports why nothing in the CTA can go on.
void cta_report_deadlock(Cta *cta);

#endif
