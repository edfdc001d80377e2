// cluster.c -- CTAs that run together, and their barrier.
//
// A round has a turn of each CTA.  With `early` the last CTA runs first, as far
// as it can without the others; with `late` each runs one round of its warps,
// in order; with a seed the first CTA and the length of each turn are random.
#include "runtime/simulator/machine/cluster.h"

#include <assert.h>
#include <stdlib.h>

#include "runtime/simulator/code/pick.h"
#include "runtime/simulator/memory/memory.h"
#include "runtime/simulator/order/order.h"
#include "runtime/simulator/state/report.h"
#include "runtime/simulator/watch/watch.h"

// -- Making ------------------------------------------------------------------

// The number of the CTA of a rank.  For example, a grid of 4 x 2 CTAs has four
// clusters of 2 x 1; cluster 3 begins at x = 2, y = 1: its CTAs are 6 and 7.
static uint64_t linear_of(const Launch *launch, uint64_t index, uint32_t rank) {
  const uint32_t *size = launch->cluster, *grid = launch->grid;
  const uint64_t across = grid[0] / size[0], down = grid[1] / size[1];
  const uint64_t x = index % across * size[0] + rank % size[0];
  const uint64_t y = index / across % down * size[1] + rank / size[0] % size[1];
  const uint64_t z =
      index / (across * down) * size[2] + rank / (size[0] * size[1]);
  assert(x < grid[0] && y < grid[1] && z < grid[2]); // I7
  return x + grid[0] * (y + grid[1] * z);
}

static void destroy(Cluster *cluster) {
  clock_drop(cluster->arriving);
  clock_drop(cluster->over);
  free(cluster);
}

static void destroy_ctas(Cluster *cluster) {
  for (uint32_t i = 0; i < cluster->num_ctas; i++)
    cta_destroy(cluster->ctas[i]);
  destroy(cluster);
}

Cta *cluster_create(Launch *launch, uint64_t index) {
  if (launch->cluster_size == 1 && !launch->code->meets_cluster)
    return cta_create(launch, index);
  Cluster *cluster = calloc(1, sizeof *cluster);
  const uint64_t first = linear_of(launch, index, 0);
  for (uint32_t i = 0; cluster && i < launch->cluster_size; i++) {
    Cta *cta = cta_create(launch, linear_of(launch, index, i));
    if (!cta) {
      destroy_ctas(cluster);
      return NULL;
    }
    cta->cluster = cluster;
    cta->rank = i;
    cta->first = (uint32_t)first;
    cluster->ctas[cluster->num_ctas++] = cta;
  }
  for (uint32_t i = 0; cluster && i < cluster->num_ctas; i++)
    cta_enter_cluster(cluster->ctas[i]);
  return cluster ? cluster->ctas[0] : NULL;
}

void cluster_end(Cta *first) {
  Cluster *cluster = first->cluster;
  if (!cluster) return;
  for (uint32_t i = 0; i < cluster->num_ctas; i++)
    cluster->ctas[i]->cluster = NULL;
  destroy(cluster);
}

void cluster_destroy(Cta *first) {
  if (first->cluster)
    destroy_ctas(first->cluster);
  else
    cta_destroy(first);
}

// -- Running -----------------------------------------------------------------

bool cluster_is_stuck(Cta *first) {
  for (uint32_t i = 0; i < cluster_size(first); i++) {
    const Cta *cta = cluster_at(first, i);
    if (!cta->is_done && !cta_is_stuck(cta)) return false;
  }
  return true;
}

void cluster_report_deadlock(Cta *first) {
  for (uint32_t i = 0; i < cluster_size(first); i++)
    if (!cluster_at(first, i)->is_done)
      cta_report_deadlock(cluster_at(first, i));
}

// The number of rounds that a CTA's warps may have in its turn.
static uint32_t draw_rounds(Cta *first) {
  enum { FAR = 64 };
  if (first->launch->early) return FAR;
  return first->random && !cta_draw(first, 4) ? FAR : 1;
}

static RunResult run_cta(Cta *cta, uint32_t rounds, uint64_t *budget) {
  RunResult result = RUN_ON;
  for (uint32_t i = 0; i < rounds && result == RUN_ON && *budget; i++)
    result = cta_round(cta, budget);
  if (result == RUN_DONE) {
    cta->is_done = true;
    visits_check(cta);
  }
  return result;
}

// The result of a round of the CTAs.
typedef struct Round {
  bool any_on, any_gave_way, all_done;
} Round;

static bool run_round(Cta *first, uint64_t *budget, Round *round) {
  const uint32_t count = cluster_size(first);
  const uint32_t start = first->random ? cta_draw(first, count) : 0;
  *round = (Round){.all_done = true};
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t at = (start + i) % count;
    Cta *cta = cluster_at(first, first->launch->early ? count - 1 - at : at);
    if (cta->is_done) continue;
    const RunResult result = run_cta(cta, draw_rounds(first), budget);
    if (result == RUN_STOPPED) return false;
    round->any_on = round->any_on || result == RUN_ON || result == RUN_DONE;
    round->any_gave_way = round->any_gave_way || result == RUN_GAVE_WAY;
    round->all_done = round->all_done && result == RUN_DONE;
  }
  return true;
}

// Whether no CTA of the cluster can go on by itself.  A CTA that was stuck may
// have been released since.
static bool is_stuck_alone(Cta *first) {
  for (uint32_t i = 0; i < cluster_size(first); i++) {
    const Cta *cta = cluster_at(first, i);
    if (!cta->is_done && !cta_is_stuck_alone(cta)) return false;
  }
  return true;
}

RunResult cluster_run(Cta *first, uint64_t budget) {
  if (!first->cluster) return cta_run(first, budget);
  while (budget) {
    Round round;
    const uint64_t before = budget;
    if (!run_round(first, &budget, &round)) return RUN_STOPPED;
    if (round.all_done) return RUN_DONE;
    if (round.any_on || !budget) continue;
    if (round.any_gave_way) return RUN_GAVE_WAY;
    if (budget < before && !is_stuck_alone(first)) continue;
    cluster_report_deadlock(first);
    return RUN_STOPPED;
  }
  return RUN_GAVE_WAY;
}

// -- Addresses ---------------------------------------------------------------

static const uint64_t own_bits = (UINT64_C(1) << RANK_SHIFT) - 1;

// An address is no access: if there is no such rank, nvcc may compute its
// address before the branch that would not use it.
static uint64_t mapped(uint64_t address, uint32_t rank, uint32_t size) {
  if (rank >= size) rank = NO_RANK;
  const uint64_t window = address & ~(WINDOW_SIZE - 1);
  return window | (uint64_t)(rank + 1) << RANK_SHIFT | (address & own_bits);
}

static Step exec_mapa(Warp *warp, const Inst *inst, uint32_t mask) {
  const uint32_t *rank = reg(warp, inst->op[2]);
  const uint32_t size = type_table[inst->type].bytes;
  for (int lane = 0; lane < LANES; lane++) {
    if (!in_mask(mask, lane)) continue;
    const uint64_t address = lane_get(warp, inst->op[1], size, lane);
    lane_set(warp, inst->op[0], size, lane,
             mapped(address, rank[lane], warp->cta->launch->cluster_size));
  }
  return STEP_NEXT;
}

static Step exec_getctarank(Warp *warp, const Inst *inst, uint32_t mask) {
  uint32_t *d = reg(warp, inst->op[0]);
  const uint32_t size = type_table[inst->type].bytes;
  for (int lane = 0; lane < LANES; lane++) {
    const uint64_t address = lane_get(warp, inst->op[1], size, lane);
    const uint64_t rank = (address & (WINDOW_SIZE - 1)) >> RANK_SHIFT;
    if (in_mask(mask, lane))
      d[lane] = rank ? (uint32_t)rank - 1 : warp->cta->rank;
  }
  return STEP_NEXT;
}

static bool is_address(const Form *form) {
  const TypeId type = (TypeId)form->types[0];
  const WordId space = WORD_OF(form, SPACE);
  return (type == TYPE_U32 || type == TYPE_U64 || type == TYPE_S32 ||
          type == TYPE_S64) &&
         (!space || space == WORD_SHARED_CLUSTER);
}

ExecFn pick_mapa(const Form *form, Inst *inst) {
  (void)inst;
  return is_address(form) ? exec_mapa : NULL;
}

ExecFn pick_getctarank(const Form *form, Inst *inst) {
  (void)inst;
  return is_address(form) ? exec_getctarank : NULL;
}

// -- The barrier -------------------------------------------------------------

static bool is_complete(const Cluster *cluster) {
  bool any = false;
  for (uint32_t i = 0; i < cluster->num_ctas; i++) {
    const Cta *cta = cluster->ctas[i];
    for (uint32_t j = 0; j < cta->num_warps; j++) {
      const Warp *warp = &cta->warps[j];
      const uint32_t come = warp->cluster_arrived & ~warp->cluster_over;
      if (warp->live & ~come) return false;
      any = any || come;
    }
  }
  return any;
}

static void leave(Warp *warp, uint32_t lanes) {
  assert(!(lanes & ~warp->cluster_arrived) && "they have not come"); // I8
  warp->cluster_arrived &= ~lanes;
  warp->cluster_over &= ~lanes;
}

// Lets the waiting lanes go on.
static void release_warp(Warp *warp, Clock *known) {
  uint32_t lanes = 0;
  warp->cluster_over |= warp->cluster_arrived;
  for (int i = 0; i < warp->num_groups; i++) {
    Group *group = &warp->groups[i];
    if (group->state != GROUP_AT_CLUSTER) continue;
    order_take(warp, group->mask, known);
    group->state = GROUP_READY;
    group->place++;
    lanes |= group->mask;
  }
  leave(warp, lanes);
}

void cluster_check(Cta *cta) {
  Cluster *cluster = cta->cluster;
  if (!cluster || !is_complete(cluster)) return;
  clock_drop(cluster->over);
  cluster->over = cluster->arriving;
  cluster->arriving = NULL;
  for (uint32_t i = 0; i < cluster->num_ctas; i++)
    for (uint32_t j = 0; j < cluster->ctas[i]->num_warps; j++)
      release_warp(&cluster->ctas[i]->warps[j], cluster->over);
}

static Step exec_arrive(Warp *warp, const Inst *inst, uint32_t mask) {
  Cluster *cluster = warp->cta->cluster;
  const uint32_t twice = mask & warp->cluster_arrived;
  const Step step = warp_assemble_if_aligned(warp, inst, mask);
  if (step != STEP_NEXT) return step;
  if (twice)
    return report(warp, inst, __builtin_ctz(twice), KIND_BARRIER_DIVERGENCE,
                  "lanes 0x%08x come to the cluster's barrier again without "
                  "having waited there",
                  twice);
  warp->cluster_arrived |= mask;
  warp->cta->writes++;
  if (inst->order == WORD_RELAXED)
    order_give_fenced(warp, mask, &cluster->arriving);
  else
    order_give(warp, mask, &cluster->arriving);
  cluster_check(warp->cta);
  return STEP_NEXT;
}

static Step exec_wait(Warp *warp, const Inst *inst, uint32_t mask) {
  const uint32_t early = mask & ~warp->cluster_arrived;
  const Step step = warp_assemble_if_aligned(warp, inst, mask);
  if (step != STEP_NEXT) return step;
  if (early)
    return report(warp, inst, __builtin_ctz(early), KIND_BARRIER_DIVERGENCE,
                  "lanes 0x%08x wait at the cluster's barrier without having "
                  "come there",
                  early);
  warp_split(warp, mask);
  Group *group = &warp->groups[warp->running];
  if (mask & ~warp->cluster_over) {
    group->state = GROUP_AT_CLUSTER;
    return STEP_MOVED;
  }
  order_take(warp, mask, warp->cta->cluster->over);
  leave(warp, mask);
  group->place++;
  return STEP_MOVED;
}

// `trans` stands for .aligned, as in other barriers.
ExecFn pick_cluster_barrier(const Form *form, Inst *inst) {
  const WordId mode = WORD_OF(form, MODE), order = WORD_OF(form, ORDER);
  if (WORD_OF(form, SCOPE) != WORD_CLUSTER) return NULL;
  inst->trans = WORD_OF(form, ALIGNED) != WORD_NONE;
  if (mode == WORD_ARRIVE &&
      (!order || order == WORD_RELEASE || order == WORD_RELAXED))
    return exec_arrive;
  return mode == WORD_WAIT && (!order || order == WORD_ACQUIRE) ? exec_wait
                                                                : NULL;
}

bool is_aligned_cluster_barrier(const Inst *inst) {
  return inst->trans && (inst->exec == exec_arrive || inst->exec == exec_wait);
}
