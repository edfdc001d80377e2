// warp.c -- divergence: groups of lanes that split and reconverge.
//
// Groups have disjoint masks, so there are at most 32.  Two groups with the
// same state at the same instruction are merged.
//
// For example, a warp branches to B for its lanes 16 to 31: one group of lanes
// 0 to 15 at the next instruction, one of 16 to 31 at B.  The first group runs
// on; when both are at the same instruction behind the branch, they become one
// group of 32 lanes.
#include <assert.h>
#include <string.h>

#include "runtime/simulator/count/counters.h"
#include "runtime/simulator/machine/cluster.h"
#include "runtime/simulator/machine/run.h"
#include "runtime/simulator/matrix/wgmma.h"
#include "runtime/simulator/state/report.h"
#include "runtime/simulator/watch/watch.h"

// Instructions that the first group runs before another group's turn.
enum { PATIENCE = 2000 };

void warp_start(Warp *warp) {
  const uint32_t first = warp->index * LANES;
  assert(first < warp->cta->num_threads && "a warp without a thread"); // I4
  const uint32_t rest = warp->cta->num_threads - first;
  warp->live = rest >= LANES ? ALL_LANES : (UINT32_C(1) << rest) - 1;
  warp->num_groups = 1;
  warp->groups[0] = (Group){.mask = warp->live};
  warp->favoured = -1;
  warp->poll = (Poll){.num_words = 0};
  warp->far = warp->executed = 0;
  stuck_start(warp);
  warp->pause = PAUSE_NONE;
  warp->cluster_arrived = warp->cluster_over = 0;
  memset(warp->passed, 0, sizeof warp->passed);
}

void warp_wake(Warp *warp) {
  for (int i = 0; i < warp->num_groups; i++) {
    if (warp->groups[i].state == GROUP_WAITING)
      warp->groups[i].state = GROUP_READY;
  }
}

static void remove_group(Warp *warp, int i) {
  assert(i >= 0 && i < warp->num_groups); // I1
  warp->groups[i] = warp->groups[--warp->num_groups];
}

// Whether other lanes may release the group.
static bool awaits_others(const Group *group) {
  return group->state == GROUP_AT_BARRIER || group->state == GROUP_AT_CLUSTER ||
         group->state == GROUP_AT_POOL || group->state == GROUP_AT_WGMMA;
}

static bool can_merge(const Group *a, const Group *b) {
  return a->place == b->place && !awaits_others(a) && !awaits_others(b);
}

static void merge(Warp *warp) {
  for (int i = 0; i < warp->num_groups; i++) {
    Group *group = &warp->groups[i];
    for (int j = warp->num_groups - 1; j > i; j--) {
      if (!can_merge(group, &warp->groups[j])) continue;
      assert(!(group->mask & warp->groups[j].mask)); // I1
      group->mask |= warp->groups[j].mask;
      group->state = GROUP_READY;
      remove_group(warp, j);
    }
  }
}

static Group *add_group(Warp *warp, uint32_t place, uint32_t mask) {
  assert(mask && warp->num_groups < LANES && "groups overlap"); // I1
  Group *group = &warp->groups[warp->num_groups++];
  *group = (Group){.place = place, .mask = mask};
  return group;
}

void warp_split(Warp *warp, uint32_t mask) {
  Group *group = &warp->groups[warp->running];
  const uint32_t rest = group->mask & ~mask;
  assert(mask && !(mask & ~group->mask) && "another group's lanes"); // I2
  if (!rest) return;
  group->mask = mask;
  add_group(warp, group->place + 1, rest);
}

void warp_pass(Warp *warp, int i, uint32_t lanes) {
  Group *group = &warp->groups[i];
  assert(!(lanes & ~group->mask) && "another group's lanes"); // I2
  if (lanes == group->mask) {
    group->state = GROUP_READY;
    group->place++;
  } else if (lanes) {
    group->mask &= ~lanes;
    add_group(warp, group->place + 1, lanes);
  }
}

Step warp_branch(Warp *warp, uint32_t mask, uint32_t taken, uint32_t target) {
  Group *group = &warp->groups[warp->running];
  (void)mask;
  assert(!(taken & ~group->mask) && "another group's lanes"); // I2
  if (taken == group->mask) {
    group->place = target;
    return STEP_MOVED;
  }
  group->place++;
  if (!taken) return STEP_MOVED;
  group->mask &= ~taken;
  add_group(warp, target, taken);
  return STEP_MOVED;
}

Step warp_exit(Warp *warp, uint32_t mask) {
  Group *group = &warp->groups[warp->running];
  assert(!(mask & ~group->mask) && "another group's lanes"); // I2
  warp->live &= ~mask;
  group->mask &= ~mask;
  group->place++;
  if (!group->mask) remove_group(warp, warp->running);
  warp_wake(warp);
  barrier_check_all(warp->cta);
  cluster_check(warp->cta);
  return STEP_MOVED;
}

// -- Choosing ----------------------------------------------------------------

static uint32_t rank_of(const Warp *warp, int i) {
  const Code *code = warp->cta->launch->code;
  assert(warp->groups[i].place < code->num_insts); // I3
  return code->insts[warp->groups[i].place].rank;
}

static int first_ready(const Warp *warp) {
  int best = -1;
  for (int i = 0; i < warp->num_groups; i++) {
    const Group *group = &warp->groups[i];
    if (group->state == GROUP_READY &&
        (best < 0 || rank_of(warp, i) < rank_of(warp, best)))
      best = i;
  }
  return best;
}

static int oldest_ready(const Warp *warp) {
  int best = -1;
  for (int i = 0; i < warp->num_groups; i++) {
    const Group *group = &warp->groups[i];
    if (group->state == GROUP_READY &&
        (best < 0 || group->last_run < warp->groups[best].last_run))
      best = i;
  }
  return best;
}

static int favoured_group(const Warp *warp) {
  for (int i = 0; i < warp->num_groups; i++) {
    const Group *group = &warp->groups[i];
    if (group->state == GROUP_READY && in_mask(group->mask, warp->favoured))
      return i;
  }
  return -1;
}

static int random_ready(Warp *warp) {
  const int first = (int)cta_draw(warp->cta, (uint32_t)warp->num_groups);
  for (int i = 0; i < warp->num_groups; i++) {
    const int group = (first + i) % warp->num_groups;
    if (warp->groups[group].state == GROUP_READY) return group;
  }
  return -1;
}

// The first group in the code's order; now and then the one that has waited
// longest.
static int choose(Warp *warp) {
  if (warp->num_groups == 1) {
    warp->streak = 0;
    return warp->groups[0].state == GROUP_READY ? 0 : -1;
  }
  // not always, since lanes that never meet again would make it slow
  if (warp->cta->random && !cta_draw(warp->cta, 4)) return random_ready(warp);
  if (warp->streak > PATIENCE) {
    warp->streak = 0;
    const int oldest = oldest_ready(warp);
    warp->favoured = warp->favoured >= 0 || oldest < 0
                         ? -1
                         : __builtin_ctz(warp->groups[oldest].mask);
  }
  const int favoured = warp->favoured >= 0 ? favoured_group(warp) : -1;
  return favoured >= 0 ? favoured : first_ready(warp);
}

// -- Running -----------------------------------------------------------------

static uint32_t guarded(const Warp *warp, const Inst *inst, uint32_t mask) {
  if (inst->guard == NO_GUARD) return mask;
  const uint32_t guard = *pred(warp, inst->guard);
  return mask & (inst->guard_not ? ~guard : guard);
}

// The next instruction at which another group stands, where to merge.
static uint32_t meeting_place(const Warp *warp, const Group *group) {
  uint32_t best = UINT32_MAX;
  for (int i = 0; i < warp->num_groups; i++) {
    const uint32_t place = warp->groups[i].place;
    if (place > group->place && place < best) best = place;
  }
  return best;
}

static Step run_inst(Warp *warp, const Inst *inst, const Group *group) {
  const uint32_t mask = guarded(warp, inst, group->mask);
  if (inst->is_branch)
    return warp_branch(warp, group->mask, mask, inst->target);
  if (!mask) return STEP_NEXT;
  warp->at = inst;
  Step step = STEP_NEXT;
  if (warp->flies || inst->feeds) step = wgmma_registers_free(warp, inst, mask);
  if (step == STEP_NEXT) step = inst->exec(warp, inst, mask);
  if (step == STEP_BLOCK) {
    Group *running = &warp->groups[warp->running];
    if (running->state == GROUP_READY) running->state = GROUP_WAITING;
    warp_split(warp, mask);
  }
  return step;
}

static Step run_counted(Warp *warp, const Inst *inst, const Group *group) {
  const uint32_t standing = group->mask;
  const uint32_t mask = guarded(warp, inst, standing);
  Count count = count_one(warp, inst, mask, standing);
  Cta *cta = warp->cta;
  const Step step = run_inst(warp, inst, group);
  count.waits = count_waits(warp, inst, mask);
  if (step != STEP_BLOCK)
    count_add(&cta->counts[inst - cta->launch->code->insts], &count);
  return step;
}

// Runs a group until it leaves its straight line, waits, meets another group
// or, if there are other groups, comes to a block that may be behind theirs.
static Step run_group(Warp *warp, uint64_t *budget) {
  const Inst *insts = warp->cta->launch->code->insts;
  Group *group = &warp->groups[warp->running];
  const uint32_t meeting = meeting_place(warp, group);
  const uint64_t before = *budget;
  const bool counts = warp->cta->counts, alone = warp->num_groups == 1;
  Step step = STEP_NEXT;
  group->last_run = ++warp->turn;
  while (*budget && step == STEP_NEXT && !warp->pause) {
    --*budget;
    step = counts ? run_counted(warp, &insts[group->place], group)
                  : run_inst(warp, &insts[group->place], group);
    if (step != STEP_NEXT) break;
    if (++group->place == meeting) break;
    if (!alone && insts[group->place].leads) break;
  }
  warp->streak += before - *budget;
  warp->executed += before - *budget;
  warp->cta->executed += before - *budget;
  return step;
}

// Notes that lanes may go on behind an instruction at which others wait for
// them: the waiting lanes check again.
static void note_passing(Warp *warp) {
  const Group *running = &warp->groups[warp->running];
  const Inst *insts = warp->cta->launch->code->insts;
  const uint8_t code = insts[running->place].begins;
  if (!code || !(running->mask & ~warp->passed[code - 1])) return;
  warp->passed[code - 1] |= running->mask;
  for (int i = 0; i < warp->num_groups; i++) {
    Group *group = &warp->groups[i];
    if (group->state == GROUP_WAITING && insts[group->place].behind == code)
      group->state = GROUP_READY;
  }
}

static void report_group(const Warp *warp, const Group *group) {
  const Inst *inst = &warp->cta->launch->code->insts[group->place];
  const int lane = __builtin_ctz(group->mask);
  if (group->state == GROUP_READY)
    poll_report(warp, group);
  else if (group->state == GROUP_WAITING)
    report(warp, inst, lane, KIND_BARRIER_DIVERGENCE,
           "lanes 0x%08x wait for the others, 0x%08x, that will not come",
           group->mask, warp->live & ~group->mask);
  else if (group->state == GROUP_AT_CLUSTER)
    report(warp, inst, lane, KIND_DEADLOCK,
           "lanes 0x%08x wait at the cluster's barrier", group->mask);
  else if (group->state == GROUP_AT_POOL)
    report(warp, inst, lane, KIND_DEADLOCK,
           "lanes 0x%08x wait for %lld registers each; the warp has %u, and "
           "the CTA %u for all to give",
           group->mask, (long long)inst->imm, warp->registers, warp->cta->pool);
  else if (group->state == GROUP_AT_WGMMA)
    report(warp, inst, lane, KIND_DEADLOCK,
           "lanes 0x%08x wait for other warps of the warpgroup to come to its "
           "wgmma",
           group->mask);
  else
    report(warp, inst, lane, KIND_DEADLOCK, "lanes 0x%08x wait at barrier %d",
           group->mask, group->barrier);
}

void warp_report_waits(const Warp *warp) {
  for (int i = 0; i < warp->num_groups; i++)
    report_group(warp, &warp->groups[i]);
}

// WARP_BLOCKED if another warp can release lanes: those at a barrier, or those
// that need memory of the pool.  Else all lanes wait for lanes of this warp.
static WarpState blocked(const Warp *warp) {
  for (int i = 0; i < warp->num_groups; i++)
    if (awaits_others(&warp->groups[i])) return WARP_BLOCKED;
  warp_report_waits(warp);
  return WARP_STOPPED;
}

// Lanes that poll a word give way to the other lanes of their warp, too.
static void resume(Warp *warp) {
  if (warp->pause == PAUSE_POLL) {
    warp->streak = PATIENCE + 1;
    warp->favoured = -1;
  }
  warp->pause = PAUSE_NONE;
}

WarpState warp_run(Warp *warp, uint64_t *budget) {
  resume(warp);
  for (;;) {
    if (warp->num_groups > 1) merge(warp);
    if (!warp->num_groups) return WARP_DONE;
    warp->running = choose(warp);
    if (warp->running < 0) return blocked(warp);
    if (warp->executed >= warp->look.next) stuck_look(warp);
    if (!*budget || warp->pause) return WARP_READY;
    if (warp->num_groups > 1) note_passing(warp);
    if (run_group(warp, budget) == STEP_FAULT) return WARP_STOPPED;
  }
}
