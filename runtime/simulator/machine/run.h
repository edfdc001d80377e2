// run.h -- running a launch, its CTAs and their warps.
#ifndef TILE_SIMULATOR_RUN_H
#define TILE_SIMULATOR_RUN_H

#include "runtime/simulator/state/exec.h"

// Runs it to the end; the driver's result code.
int launch_run(Launch *launch);

// RUN_STUCK: nothing in it can go on by itself.
typedef enum {
  RUN_DONE,
  RUN_ON,
  RUN_GAVE_WAY,
  RUN_STUCK,
  RUN_STOPPED
} RunResult;

Cta *cta_create(Launch *launch, uint64_t linear);
void cta_destroy(Cta *cta);
void cta_enter_cluster(Cta *cta); // now that it knows its rank
RunResult cta_run(Cta *cta, uint64_t budget);
// Each of its warps in turn, once.
RunResult cta_round(Cta *cta, uint64_t *budget);

typedef enum {
  WARP_READY,
  WARP_BLOCKED, // every group waits for somebody else
  WARP_DONE,
  WARP_STOPPED,
} WarpState;

// The stacks of calls (machine/call.c): emptied, freed.
void calls_reset(Warp *warp);
void calls_destroy(Warp *warp);
void warp_start(Warp *warp);
WarpState warp_run(Warp *warp, uint64_t *budget);
// Lanes with `taken` go to `target`, the others on.
Step warp_branch(Warp *warp, uint32_t mask, uint32_t taken, uint32_t target);
Step warp_exit(Warp *warp, uint32_t mask);

// A barrier may be complete now that a warp has exited lanes.
void barrier_check_all(Cta *cta);
// Lets lanes outside the mask go past this instruction.
void warp_split(Warp *warp, uint32_t mask);
// Lanes of a group that waits go past its instruction.
void warp_pass(Warp *warp, int i, uint32_t lanes);
// Groups that wait in a warp try again.
void warp_wake(Warp *warp);
// Reports why no lane of it can go on.
void warp_report_waits(const Warp *warp);
// Whether nothing in the CTA can go on until others write, or time has passed.
bool cta_is_stuck(const Cta *cta);
// The same where no other CTA, and no time, can help.
bool cta_is_stuck_alone(const Cta *cta);
// Reports why nothing in the CTA can go on.
void cta_report_deadlock(Cta *cta);

#endif
