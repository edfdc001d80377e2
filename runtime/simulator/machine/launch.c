// launch.c -- a grid over the host's threads.
//
// Each thread runs a CTA until it ends or has used its share of instructions;
// then the CTA goes to the end of a queue and the thread takes another.  A new
// CTA starts while fewer are running than the chip could hold, so that CTAs
// that wait for each other all make progress.
//
// For example, with seed 1, eight clusters have the stride 5, which shares no
// factor with 8, and start in the order 1, 6, 3, 0, 5, 2, 7, 4.
#include <assert.h>
#include <sched.h>
#include <stdlib.h>

#include "runtime/base/threads.h"
#include "runtime/simulator/async/async.h"
#include "runtime/simulator/count/counters.h"
#include "runtime/simulator/machine/cluster.h"
#include "runtime/simulator/machine/run.h"
#include "runtime/simulator/memory/memory.h"
#include "runtime/simulator/order/order.h"
#include "runtime/simulator/state/report.h"
#include "runtime/simulator/watch/watch.h"

// Warp instructions of a share; fewer if CTAs may wait for each other.
static const uint64_t cta_share = 400000, cooperative_share = 10000;

static uint64_t common_divisor(uint64_t a, uint64_t b) {
  while (b) {
    const uint64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

// The step from one CTA to the one that starts after it: with a seed any step
// that visits all of them.
static uint64_t draw_stride(const Launch *launch) {
  const uint64_t count = launch->num_clusters;
  if (!launch->seed || count > UINT32_MAX) return 1;
  uint64_t stride = launch->seed * UINT64_C(0x9e3779b97f4a7c15) % count;
  while (common_divisor(stride, count) != 1) stride = (stride + 1) % count;
  return stride;
}

// CTAs start in order, or, with a seed, from a random one on, by the stride.
static uint64_t scheduled(const Launch *launch, uint64_t index) {
  return (index * launch->stride + launch->seed) % launch->num_clusters;
}

// -- Waiting for each other --------------------------------------------------
//
// The functions up to has_deadlock() are called with the lock held.

// Other CTAs may have written the words that the CTA's warps wait for, so it is
// checked again whether they can go on.
static void begin_share(const Launch *launch, Cta *first) {
  first->writes_before = cluster_writes(first);
  if (first->changes_seen == launch->changes) return;
  first->changes_seen = launch->changes;
  for (uint32_t i = 0; i < cluster_size(first); i++) {
    Cta *cta = cluster_at(first, i);
    for (uint32_t j = 0; j < cta->num_warps; j++) stuck_forget(&cta->warps[j]);
  }
}

static bool has_moved(Cta *first) {
  bool result = false;
  for (uint32_t i = 0; i < cluster_size(first); i++) {
    Cta *cta = cluster_at(first, i);
    result = result || cta->has_moved;
    cta->has_moved = false;
  }
  return result;
}

// The warp instructions of all its CTAs.
static uint64_t executed(Cta *first) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < cluster_size(first); i++)
    sum += cluster_at(first, i)->executed;
  return sum;
}

static void note_change(Launch *launch) {
  launch->changes++;
  launch->num_stuck = 0;
}

static void end_share(Launch *launch, Cta *cta) {
  const bool has_written = cluster_writes(cta) != cta->writes_before;
  if (has_moved(cta) || has_written) launch->num_leaps = 0;
  if (has_written) {
    note_change(launch);
  } else if (cta->stuck_at != launch->changes &&
             cta->changes_seen == launch->changes && cluster_is_stuck(cta)) {
    cta->stuck_at = launch->changes;
    cta->stuck_since = executed(cta);
    launch->num_stuck++;
  }
}

// Whether no CTA can go on, or start.  Another host thread may still write to
// memory, but it would do so soon, so some patience is enough.
static bool is_deadlock(const Launch *launch, Cta *cta) {
  const uint64_t patience = launch->budget / (launch->num_leaps ? 4096 : 256);
  const bool may_start = launch->next_cluster < launch->num_clusters &&
                         launch->resident < launch->max_resident;
  return launch->num_stuck == launch->resident && !may_start &&
         !launch->hears_host && cta->stuck_at == launch->changes &&
         executed(cta) - cta->stuck_since > patience;
}

// If only time passes, clocks leap ahead, each time further than before, until
// no thread can still be waiting for a time.
static bool leap(Launch *launch) {
  static const uint8_t leaps[] = {12, 16, 20, 24, 27, 30, 31, 36, 42, 48, 54};
  if (!launch->code->reads_clock || launch->num_leaps == sizeof leaps)
    return false;
  launch->leapt += UINT64_C(1) << leaps[launch->num_leaps++];
  note_change(launch);
  return true;
}

// Called after a CTA's share; reports a deadlock.
static bool has_deadlock(Launch *launch, Cta *cta) {
  pthread_mutex_lock(&launch->lock);
  end_share(launch, cta);
  const bool result = is_deadlock(launch, cta) && !leap(launch);
  pthread_mutex_unlock(&launch->lock);
  if (result) cluster_report_deadlock(cta);
  return result;
}

// -- The queue ---------------------------------------------------------------

// Whether a turn of the CTA would only find the same values as before.  Now and
// then the warp has a turn all the same, since it may count its attempts.
static bool may_pass_over(const Launch *launch, Cta *cta) {
  enum { TIMES = 4096 };
  if (launch->hears_host || cta->passed_over >= TIMES || cta->cluster ||
      !poll_all_vain(cta))
    return false;
  cta->passed_over++;
  return true;
}

// The first CTA that can go on; if all only wait, the first.
static Cta *take_waiting(Launch *launch) {
  Cta *last = NULL, *cta = launch->waiting;
  while (cta && may_pass_over(launch, cta)) {
    last = cta;
    cta = cta->next;
  }
  if (!cta) {
    last = NULL;
    cta = launch->waiting;
  }
  *(last ? &last->next : &launch->waiting) = cta->next;
  if (launch->waiting_last == cta) launch->waiting_last = last;
  cta->passed_over = 0;
  launch->num_waiting--;
  return cta;
}

static bool may_create(const Launch *launch) {
  return launch->next_cluster < launch->num_clusters &&
         launch->resident < launch->max_resident;
}

// Called with the lock: waits until a CTA can run or be created.  False: the
// launch ends; all other waiting threads are woken.
static bool wait_for_turn(Launch *launch) {
  while (!launch->stop) {
    if (launch->waiting || may_create(launch)) return true;
    if (launch->next_cluster >= launch->num_clusters) break;
    pthread_cond_wait(&launch->turn, &launch->lock);
  }
  pthread_cond_broadcast(&launch->turn);
  return false;
}

static Cta *give_up(Launch *launch) {
  pthread_mutex_lock(&launch->lock);
  if (!launch->error) launch->error = 2; // out of memory
  launch->stop = true;
  pthread_cond_broadcast(&launch->turn);
  pthread_mutex_unlock(&launch->lock);
  return NULL;
}

// A CTA to run, or NULL if none is left.
static Cta *take(Launch *launch) {
  pthread_mutex_lock(&launch->lock);
  Cta *cta = NULL;
  uint64_t index = 0;
  const bool any = wait_for_turn(launch), create = any && may_create(launch);
  if (create) {
    index = scheduled(launch, launch->next_cluster++);
    launch->resident++;
  } else if (any) {
    cta = take_waiting(launch);
    begin_share(launch, cta);
  }
  pthread_mutex_unlock(&launch->lock);
  if (!create) return cta;
  cta = cluster_create(launch, index);
  return cta ? cta : give_up(launch);
}

// Returns whether others may meanwhile write the words that the CTA waits for.
static bool put_back(Launch *launch, Cta *cta) {
  cta->next = NULL;
  pthread_mutex_lock(&launch->lock);
  if (launch->waiting_last)
    launch->waiting_last->next = cta;
  else
    launch->waiting = cta;
  launch->waiting_last = cta;
  const bool others_run = ++launch->num_waiting < launch->resident;
  pthread_cond_signal(&launch->turn);
  pthread_mutex_unlock(&launch->lock);
  return others_run || launch->hears_host;
}

static void retire(Launch *launch, Cta *cta) {
  pthread_mutex_lock(&launch->lock);
  assert(launch->resident && "a CTA that did not run ends"); // I5
  launch->resident--;
  launch->num_leaps = 0;
  note_change(launch);
  launch->executed += executed(cta);
  for (uint32_t i = 0; i < cluster_size(cta); i++) {
    Cta *spare = cluster_at(cta, i);
    clock_use_end(launch->clock_use, spare->linear);
    spare->next = launch->spare;
    launch->spare = spare;
  }
  cluster_end(cta);
  pthread_cond_signal(&launch->turn);
  pthread_mutex_unlock(&launch->lock);
}

// The warp's last group that can go on; NULL: all groups wait.
static const Group *last_ready(const Warp *warp) {
  const Group *last = NULL;
  for (int i = 0; i < warp->num_groups; i++) {
    const Group *group = &warp->groups[i];
    if (group->state == GROUP_READY &&
        (!last || group->last_run > last->last_run))
      last = group;
  }
  return last;
}

// The warp with the most executed instructions, among those that can go on.
static const Warp *busiest(const Cta *cta) {
  const Warp *most = NULL;
  for (uint32_t i = 0; i < cta->num_warps; i++) {
    const Warp *warp = &cta->warps[i];
    if (last_ready(warp) && (!most || warp->executed > most->executed))
      most = warp;
  }
  return most;
}

static bool is_over_budget(Launch *launch, Cta *cta) {
  const Warp *warp = busiest(cta);
  if (cta->executed < launch->budget || !warp) return false;
  const Group *group = last_ready(warp);
  report(warp, &launch->code->insts[group->place], __builtin_ctz(group->mask),
         KIND_BUDGET, "after %llu instructions of one CTA",
         (unsigned long long)cta->executed);
  return true;
}

static bool over_budget(Launch *launch, Cta *first) {
  for (uint32_t i = 0; i < cluster_size(first); i++)
    if (is_over_budget(launch, cluster_at(first, i))) return true;
  return false;
}

static void add_counts(Launch *launch, Count *counts) {
  pthread_mutex_lock(&launch->lock);
  for (uint32_t i = 0; counts && i < launch->code->num_insts; i++)
    count_add(&launch->counts[i], &counts[i]);
  pthread_mutex_unlock(&launch->lock);
  free(counts);
}

// The budget is divided into several shares, so that a CTA which waits for
// another does not use it up first.
static uint64_t share_of(const Launch *launch) {
  const uint64_t share = launch->budget / 4 + 1;
  const uint64_t most = launch->workspace ? cooperative_share : cta_share;
  return share < most ? share : most;
}

static void *work(void *argument) {
  Launch *launch = argument;
  Count *counts =
      launch->counts ? calloc(launch->code->num_insts, sizeof *counts) : NULL;
  for (Cta *cta; (cta = take(launch));) {
    for (uint32_t i = 0; i < cluster_size(cta); i++)
      cluster_at(cta, i)->counts = counts;
    const RunResult result = cluster_run(cta, share_of(launch));
    if (result == RUN_GAVE_WAY && !has_deadlock(launch, cta) &&
        !over_budget(launch, cta)) {
      if (put_back(launch, cta)) sched_yield();
    } else {
      retire(launch, cta);
    }
  }
  add_counts(launch, counts);
  return NULL;
}

static int num_threads(const Launch *launch) {
  const int count = launch->num_threads;
  if ((uint64_t)count > launch->num_clusters) return (int)launch->num_clusters;
  return count > MAX_RUN_THREADS ? MAX_RUN_THREADS : count;
}

static void destroy_list(Cta *cta) {
  for (Cta *next; cta; cta = next) {
    next = cta->next;
    cluster_destroy(cta);
  }
}

static void start_counting(Launch *launch) {
  launch->works = works_create(launch->code);
  launch->counts = calloc(launch->code->num_insts, sizeof *launch->counts);
  if (launch->works && launch->counts) return;
  free(launch->works);
  free(launch->counts);
  launch->works = NULL;
  launch->counts = NULL;
}

static void stop_counting(Launch *launch) {
  if (launch->counts) counters_write(launch, launch->stats);
  free(launch->works);
  free(launch->counts);
}

int launch_run(Launch *launch) {
  pthread_t threads[MAX_RUN_THREADS];
  if (launch->stats) start_counting(launch);
  const int count = num_threads(launch);
  int started = 0;
  launch->changes = 1;
  launch->stride = draw_stride(launch);
  launch->clock_use = clock_use_create(launch->num_ctas, &launch->far);
  pthread_mutex_init(&launch->lock, NULL);
  pthread_mutex_init(&launch->map_lock, NULL);
  pthread_cond_init(&launch->turn, NULL);
  while (started < count - 1 &&
         threads_start(&threads[started], 0, work, launch))
    started++;
  work(launch);
  for (int i = 0; i < started; i++) pthread_join(threads[i], NULL);
  destroy_list(launch->waiting);
  destroy_list(launch->spare);
  pthread_cond_destroy(&launch->turn);
  pthread_mutex_destroy(&launch->lock);
  pthread_mutex_destroy(&launch->map_lock);
  tensormap_end(launch);
  clock_use_finish(launch->clock_use);
  stop_counting(launch);
  return launch->error;
}
