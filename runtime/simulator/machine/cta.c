// cta.c -- the warps of a CTA in turn, and their barriers.
//
// A barrier without a count is complete when every living lane has arrived;
// lanes that have exited do not count.
//
// For example, if warp 1 of two exits, `bar.sync 0` of warp 0 is complete.
// With `bar.sync 0, 64` it awaits 64 arrivals, and the deadlock is reported.
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/simulator/async/async.h"
#include "runtime/simulator/async/remote.h"
#include "runtime/simulator/code/pick.h"
#include "runtime/simulator/machine/run.h"
#include "runtime/simulator/machine/special.h"
#include "runtime/simulator/matrix/wgmma.h"
#include "runtime/simulator/memory/memory.h"
#include "runtime/simulator/order/ledger.h"
#include "runtime/simulator/state/report.h"
#include "runtime/simulator/watch/watch.h"

// The instructions that a warp runs before the next warp's turn.
enum { WARP_SLICE = 4000, SHORT_SLICE = 200 };

// -- Making ------------------------------------------------------------------

static bool allocate(Cta *cta, const Launch *launch) {
  const Code *code = launch->code;
  cta->num_threads = launch->block[0] * launch->block[1] * launch->block[2];
  cta->num_warps = (cta->num_threads + LANES - 1) / LANES;
  cta->num_actors = cta->num_warps + (code->counts_bytes ? NUM_UNITS : 0);
  cta->shared_size = cta->shared_end = launch->shared_size;
  if (code->uses_reserved) {
    cta->reserved_at =
        (cta->shared_size + RESERVED_BYTES) & ~(uint32_t)(RESERVED_BYTES - 1);
    cta->shared_end = cta->reserved_at + RESERVED_BYTES;
  }
  cta->warps = calloc(cta->num_warps, sizeof *cta->warps);
  cta->shared = malloc(cta->shared_end + 64);
  cta->shared_state = malloc(cta->shared_end + 64);
  cta->pages = race_pages_create(cta->shared_end, true);
  if (!cta->warps || !cta->shared || !cta->shared_state || !cta->pages)
    return false;
  for (uint32_t i = 0; i < cta->num_warps; i++) {
    Warp *warp = &cta->warps[i];
    warp->index = i;
    warp->cta = cta;
    warp->file = aligned_alloc(64, code->file_size + 64);
    if (!order_create(warp)) return false;
    warp->local = malloc((size_t)launch->local_size * LANES + 16);
    if (!warp->file || !warp->local) return false;
    memset(warp->file, 0, code->file_size + 64);
  }
  return true;
}

static void fill_constant(Warp *warp, const Constant *constant) {
  if (!constant->size) {
    *pred(warp, constant->offset) = (uint32_t)constant->value;
    return;
  }
  for (int lane = 0; lane < LANES; lane++)
    lane_set(warp, constant->offset, constant->size, lane, constant->value);
}

static void fill_specials(Warp *warp) {
  const Code *code = warp->cta->launch->code;
  for (size_t i = 0; i < code->num_specials; i++)
    special_fill(warp, (SpecialId)code->specials[i].special,
                 code->specials[i].size, code->specials[i].offset);
}

static void start_warp(Warp *warp, const Launch *launch) {
  const Code *code = launch->code;
  warp_start(warp);
  calls_reset(warp);
  warp->registers = code->entry_registers;
  warp->num_copies = warp->num_arrivals = 0;
  bulk_reset(warp);
  remote_reset(warp);
  memset(warp->committed, 0, sizeof warp->committed);
  memset(warp->local, 0, (size_t)launch->local_size * LANES);
  for (size_t i = 0; i < code->num_constants; i++)
    fill_constant(warp, &code->constants[i]);
  fill_specials(warp);
}

static void start(Cta *cta, Launch *launch, uint64_t linear) {
  cta->launch = launch;
  cta->cluster = NULL;
  cta->is_done = cta->is_visited = false;
  cta->rank = 0;
  cta->linear = cta->first = (uint32_t)linear;
  cta_position(launch, linear, cta->index);
  cta->executed = cta->writes = cta->writes_before = 0;
  cta->changes_seen = cta->stuck_at = 0;
  cta->keeps_turn = cta->has_moved = false;
  cta->passed_over = cta->pool = 0;
  cta->random =
      launch->seed ? (launch->seed + cta->linear) * 2654435761u | 1 : 0;
  memset(cta->barriers, 0, sizeof cta->barriers);
  // A pattern, so that code that depends on unwritten memory is noticed.
  memset(cta->shared, 0xdb, cta->shared_end);
  memset(cta->shared_state, SHARED_UNWRITTEN, cta->shared_end);
  // Cooperative groups rely on zeros in the system's shared memory.
  if (cta->reserved_at) {
    memset(cta->shared + cta->reserved_at, 0, RESERVED_BYTES);
    memset(cta->shared_state + cta->reserved_at, SHARED_WRITTEN,
           RESERVED_BYTES);
  }
  cta->stamp++;
  cta->num_loans = 0;
  ledger_reset(cta);
  async_reset(cta);
  tensormap_reset(cta);
  order_start(cta);
  wgmma_start(cta);
  for (uint32_t i = 0; i < cta->num_warps; i++)
    start_warp(&cta->warps[i], launch);
}

// Computes the special registers of the CTA's warps again.
void cta_enter_cluster(Cta *cta) {
  for (uint32_t i = 0; i < cta->num_warps; i++) fill_specials(&cta->warps[i]);
}

Cta *cta_create(Launch *launch, uint64_t linear) {
  pthread_mutex_lock(&launch->lock);
  Cta *cta = launch->spare;
  if (cta) launch->spare = cta->next;
  pthread_mutex_unlock(&launch->lock);
  if (!cta) {
    cta = calloc(1, sizeof *cta);
    if (!cta || !allocate(cta, launch)) {
      cta_destroy(cta);
      return NULL;
    }
    clock_use_allow(launch->clock_use, cta->shared_end);
  }
  start(cta, launch, linear);
  return cta;
}

void cta_destroy(Cta *cta) {
  if (!cta) return;
  order_end(cta);
  wgmma_destroy(cta);
  async_destroy(cta);
  tensormap_destroy(cta);
  ledger_destroy(cta);
  race_pages_destroy(cta->pages, cta->shared_end);
  for (uint32_t i = 0; cta->warps && i < cta->num_warps; i++) {
    free(cta->warps[i].file);
    free(cta->warps[i].local);
    calls_destroy(&cta->warps[i]);
    free(cta->warps[i].copies);
    free(cta->warps[i].arrivals);
    bulk_reset(&cta->warps[i]);
    free(cta->warps[i].bulks);
    remote_destroy(&cta->warps[i]);
  }
  free(cta->warps);
  free(cta->shared);
  free(cta->shared_state);
  free(cta);
}

// -- Running -----------------------------------------------------------------

// Sets the order of the warps: by number, or with a seed at random.
static void draw_order(Cta *cta) {
  cta->turn = 0;
  for (uint32_t i = 0; i < cta->num_warps; i++) {
    const uint32_t at = cta->random ? cta_draw(cta, i + 1) : i;
    cta->order[i] = cta->order[at];
    cta->order[at] = (uint8_t)i;
  }
}

// Sets the warps' order in a round.  After a warp has given way the order is
// kept, so that all others see the warp's write before it writes again.
static uint32_t begin_round(Cta *cta) {
  const bool keeps = cta->keeps_turn && (!cta->random || cta_draw(cta, 8));
  cta->keeps_turn = false;
  if (!keeps) draw_order(cta);
  return cta->turn;
}

static WarpState run_warp(Cta *cta, Warp *warp, uint64_t *budget) {
  const uint32_t most =
      cta->random ? 1 + cta_draw(cta, SHORT_SLICE) : WARP_SLICE;
  uint64_t slice = most < *budget ? most : *budget;
  const uint64_t before = slice;
  const WarpState state = warp_run(warp, &slice);
  assert(slice <= before && "more is left than there was"); // I9
  *budget -= before - slice;
  if (warp->pause > PAUSE_POLL) cta->keeps_turn = true;
  return state;
}

// Whether lanes wait for other warps at barriers.
static bool is_blocked(const Warp *warp) {
  for (int i = 0; i < warp->num_groups; i++)
    if (warp->groups[i].state == GROUP_READY) return false;
  return true;
}

static bool is_stuck(const Cta *cta, bool alone) {
  for (uint32_t i = 0; i < cta->num_warps; i++) {
    const Warp *warp = &cta->warps[i];
    if (!is_blocked(warp) && !stuck_is(warp, alone)) return false;
  }
  return true;
}

bool cta_is_stuck(const Cta *cta) {
  return is_stuck(cta, false);
}

// A warp that reads a clock may be waiting for a time.
bool cta_is_stuck_alone(const Cta *cta) {
  return !cta->launch->code->reads_clock && is_stuck(cta, true);
}

// A warp that waits for other CTAs need not look again in each of the short
// turns of a random schedule, while other warps of its CTA can go on.
static bool may_skip(Cta *cta, const Warp *warp) {
  return cta->random && poll_is_vain(warp) && cta_draw(cta, 8);
}

RunResult cta_round(Cta *cta, uint64_t *budget) {
  uint32_t done = 0;
  bool has_worked = false;
  const uint64_t at_start = *budget;
  const uint32_t first = begin_round(cta);
  const bool may_wait = !poll_waits_far(cta);
  for (uint32_t i = 0; i < cta->num_warps && *budget; i++) {
    const uint32_t at = (first + i) % cta->num_warps;
    Warp *warp = &cta->warps[cta->order[at]];
    if (may_wait && may_skip(cta, warp)) continue;
    const uint64_t before = *budget;
    const WarpState state = run_warp(cta, warp, budget);
    if (state == WARP_STOPPED) return RUN_STOPPED;
    done += state == WARP_DONE;
    has_worked |= *budget < before && warp->pause != PAUSE_POLL;
    if (warp->pause == PAUSE_CTAS && state != WARP_DONE) {
      cta->turn = (at + 1) % cta->num_warps;
      return RUN_GAVE_WAY;
    }
  }
  if (cta->launch->stop) return RUN_STOPPED;
  if (done == cta->num_warps)
    return bulk_finish_all(cta) == STEP_NEXT &&
                   remote_finish_all(cta) == STEP_NEXT
               ? RUN_DONE
               : RUN_STOPPED;
  // A whole round in which no warp could go on.
  if (*budget == at_start || cta_is_stuck_alone(cta)) return RUN_STUCK;
  return has_worked && !poll_waits_far(cta) && !cta_is_stuck(cta)
             ? RUN_ON
             : RUN_GAVE_WAY;
}

RunResult cta_run(Cta *cta, uint64_t budget) {
  while (budget) {
    const RunResult result = cta_round(cta, &budget);
    if (result == RUN_STUCK) cta_report_deadlock(cta);
    if (result != RUN_ON) return result == RUN_STUCK ? RUN_STOPPED : result;
  }
  return RUN_GAVE_WAY;
}

void cta_report_deadlock(Cta *cta) {
  for (uint32_t i = 0; i < cta->num_warps; i++)
    warp_report_waits(&cta->warps[i]);
}

// -- Barriers ----------------------------------------------------------------

static bool is_complete(const Cta *cta, const Barrier *barrier) {
  if (barrier->expected) return barrier->count >= barrier->expected;
  if (!barrier->count) return false;
  for (uint32_t i = 0; i < cta->num_warps; i++) {
    if (cta->warps[i].live & ~barrier->arrived[i]) return false;
  }
  return true;
}

static void finish_reduction(const Warp *warp, const Group *group,
                             const Inst *inst, const Barrier *barrier) {
  assert(barrier->true_lanes <= barrier->asked_lanes); // I8
  uint32_t *out = reg(warp, inst->op[0]);
  if (inst->exec == pick_bar_popc(NULL, NULL)) {
    for (int lane = 0; lane < LANES; lane++)
      if (in_mask(group->mask, lane)) out[lane] = barrier->true_lanes;
  } else if (inst->exec == pick_bar_test(NULL, NULL)) {
    const bool all = barrier->true_lanes == barrier->asked_lanes;
    const bool any = barrier->true_lanes > 0;
    const bool result = inst->bool_op == WORD_AND ? all : any;
    set_pred(warp, inst->op[0], group->mask, result ? ALL_LANES : 0);
  }
}

static void release_warp(Warp *warp, int id, const Barrier *barrier) {
  uint32_t lanes = 0;
  for (int i = 0; i < warp->num_groups; i++) {
    Group *group = &warp->groups[i];
    if (group->state != GROUP_AT_BARRIER || group->barrier != id) continue;
    finish_reduction(warp, group, &warp->cta->launch->code->insts[group->place],
                     barrier);
    group->state = GROUP_READY;
    group->place++;
    lanes |= group->mask;
  }
  if (lanes) order_leave(warp, lanes, id);
}

static void release(Cta *cta, int id) {
  Barrier *barrier = &cta->barriers[id];
  for (uint32_t i = 0; i < cta->num_warps; i++)
    release_warp(&cta->warps[i], id, barrier);
  order_barrier_done(cta, id);
  *barrier = (Barrier){.expected = 0};
}

void barrier_check_all(Cta *cta) {
  for (int i = 0; i < NUM_BARRIERS; i++) {
    if (is_complete(cta, &cta->barriers[i])) release(cta, i);
  }
}

typedef struct {
  uint32_t id, count; // 0: all threads
  uint32_t mask;
} Arrival;

static Step arrive(Warp *warp, const Inst *inst, const Arrival *arrival) {
  const int lane = __builtin_ctz(arrival->mask);
  Cta *cta = warp->cta;
  if (arrival->id >= NUM_BARRIERS)
    return report(warp, inst, lane, KIND_INVALID, "barrier %u of %d",
                  arrival->id, NUM_BARRIERS);
  Barrier *barrier = &cta->barriers[arrival->id];
  if (arrival->count % LANES || arrival->count > cta->num_warps * LANES)
    return report(warp, inst, lane, KIND_BARRIER_COUNT,
                  "%u threads at barrier %u, of %u", arrival->count,
                  arrival->id, cta->num_threads);
  if (barrier->count && barrier->expected != arrival->count)
    return report(warp, inst, lane, KIND_BARRIER_COUNT,
                  "barrier %u awaits %u threads, not %u", arrival->id,
                  barrier->expected, arrival->count);
  assert(!(arrival->mask & ~warp->live) && "lanes that have exited"); // I2
  barrier->expected = arrival->count;
  order_arrive(warp, arrival->mask, (int)arrival->id);
  barrier->arrived[warp->index] |= arrival->mask;
  barrier->count +=
      inst->trans ? LANES : (uint32_t)__builtin_popcount(arrival->mask);
  return STEP_NEXT;
}

static Arrival arrival_of(const Warp *warp, const Inst *inst, uint32_t mask,
                          int first, bool has_count) {
  const int lane = __builtin_ctz(mask);
  const uint32_t *id = reg(warp, inst->op[first]);
  const uint32_t *count = has_count ? reg(warp, inst->op[first + 1]) : NULL;
  return (Arrival){id[lane], count ? count[lane] : 0, mask};
}

static Step wait_at(Warp *warp, const Inst *inst, const Arrival *arrival) {
  const Step step = arrive(warp, inst, arrival);
  if (step != STEP_NEXT) return step;
  warp_split(warp, arrival->mask);
  Group *group = &warp->groups[warp->running];
  group->state = GROUP_AT_BARRIER;
  group->barrier = (uint8_t)arrival->id;
  if (!is_complete(warp->cta, &warp->cta->barriers[arrival->id]))
    return STEP_MOVED;
  release(warp->cta, (int)arrival->id);
  // With a seed, another warp may be the first behind the barrier.
  if (cta_draw(warp->cta, 2)) warp->pause = PAUSE_WARPS;
  return STEP_MOVED;
}

static Step exec_bar_sync(Warp *warp, const Inst *inst, uint32_t mask) {
  const Step step = warp_assemble_if_aligned(warp, inst, mask);
  if (step != STEP_NEXT) return step;
  const Arrival arrival = arrival_of(warp, inst, mask, 0, inst->given > 1);
  return wait_at(warp, inst, &arrival);
}

static Step exec_bar_arrive(Warp *warp, const Inst *inst, uint32_t mask) {
  const Step step = warp_assemble_if_aligned(warp, inst, mask);
  if (step != STEP_NEXT) return step;
  const Arrival arrival = arrival_of(warp, inst, mask, 0, true);
  if (!arrival.count)
    return report(warp, inst, __builtin_ctz(mask), KIND_BARRIER_COUNT,
                  "an arrival at barrier %u, of 0 threads", arrival.id);
  const Step arrived = arrive(warp, inst, &arrival);
  if (arrived == STEP_NEXT) barrier_check_all(warp->cta);
  return arrived;
}

static Step reduce(Warp *warp, const Inst *inst, uint32_t mask, int first) {
  const Step step = warp_assemble_if_aligned(warp, inst, mask);
  if (step != STEP_NEXT) return step;
  const bool has_count = inst->given > 3;
  const Arrival arrival = arrival_of(warp, inst, mask, first, has_count);
  if (arrival.id < NUM_BARRIERS) {
    Barrier *barrier = &warp->cta->barriers[arrival.id];
    const uint32_t asked = source_pred(warp, inst, inst->num_ops - 1) & mask;
    barrier->true_lanes += (uint32_t)__builtin_popcount(asked);
    barrier->asked_lanes += (uint32_t)__builtin_popcount(mask);
  }
  return wait_at(warp, inst, &arrival);
}

static Step exec_bar_popc(Warp *warp, const Inst *inst, uint32_t mask) {
  return reduce(warp, inst, mask, 1);
}

static Step exec_bar_test(Warp *warp, const Inst *inst, uint32_t mask) {
  return reduce(warp, inst, mask, 2);
}

bool is_aligned_barrier(const Inst *inst) {
  const ExecFn exec = inst->exec;
  if (is_aligned_cluster_barrier(inst)) return true;
  return inst->trans && (exec == exec_bar_sync || exec == exec_bar_arrive ||
                         exec == exec_bar_popc || exec == exec_bar_test);
}

static bool is_of_cluster(const Form *form) {
  return WORD_OF(form, SCOPE) == WORD_CLUSTER;
}

ExecFn pick_bar_sync(const Form *form, Inst *inst) {
  (void)inst;
  if (WORD_OF(form, WARP) || WORD_OF(form, OP) || is_of_cluster(form))
    return NULL;
  return !WORD_OF(form, MODE) && WORD_OF(form, SYNC) ? exec_bar_sync : NULL;
}

static bool is_reduction(const Form *form) {
  return WORD_OF(form, MODE) == WORD_RED && !WORD_OF(form, SYNC) &&
         !WORD_OF(form, WARP) && !is_of_cluster(form);
}

ExecFn pick_bar_arrive(const Form *form, Inst *inst) {
  (void)inst;
  return WORD_OF(form, MODE) == WORD_ARRIVE && !WORD_OF(form, OP) &&
                 !WORD_OF(form, SYNC) && !WORD_OF(form, WARP) &&
                 !is_of_cluster(form)
             ? exec_bar_arrive
             : NULL;
}

// The executor, without a form; used to recognise it.
ExecFn pick_bar_popc(const Form *form, Inst *inst) {
  (void)inst;
  if (!form) return exec_bar_popc;
  return is_reduction(form) && WORD_OF(form, OP) == WORD_POPC &&
                 form->types[0] == TYPE_U32
             ? exec_bar_popc
             : NULL;
}

ExecFn pick_bar_test(const Form *form, Inst *inst) {
  (void)inst;
  if (!form) return exec_bar_test;
  const WordId op = WORD_OF(form, OP);
  return is_reduction(form) && (op == WORD_AND || op == WORD_OR) &&
                 form->types[0] == TYPE_PRED
             ? exec_bar_test
             : NULL;
}
