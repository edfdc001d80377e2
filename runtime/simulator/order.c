// order.c -- what orders the accesses of different threads.
//
// A warp's own time goes on at each thing that others may wait for, so that
// what comes after is not taken for what came before.
#include "runtime/simulator/order.h"

#include <string.h>

static uint32_t *own_clock(const Warp *warp) {
  return warp->cta->clocks[warp->index];
}

static void replace(Clock **place, Clock *clock) {
  clock_drop(*place);
  *place = clock;
}

static void join_into(Clock **place, Clock *clock) {
  if (clock && clock != *place) replace(place, clock_join(*place, clock));
}

static void join_row(uint32_t to[MAX_WARPS], const uint32_t from[MAX_WARPS]) {
  for (int i = 0; i < MAX_WARPS; i++)
    if (from[i] > to[i]) to[i] = from[i];
}

void sync_word_clear(SyncWord *word) {
  clock_drop(word->far);
  clock_drop(word->near);
  *word = (SyncWord){.far = NULL};
}

// -- A CTA's life ------------------------------------------------------------

void order_start(Cta *cta) {
  memset(cta->clocks, 0, sizeof cta->clocks);
  memset(cta->barrier_clocks, 0, sizeof cta->barrier_clocks);
  for (uint32_t i = 0; i < cta->num_warps; i++) {
    cta->clocks[i][i] = 1;
    cta->warps[i].released_at[0] = cta->warps[i].released_at[1] = 0;
  }
}

void order_end(Cta *cta) {
  for (uint32_t i = 0; cta->warps && i < cta->num_warps; i++) {
    Warp *warp = &cta->warps[i];
    replace(&warp->known, NULL);
    for (int j = 0; j < 2; j++) {
      replace(&warp->released[j], NULL);
      replace(&warp->seen[j], NULL);
    }
  }
  for (int i = 0; i < NUM_BARRIERS; i++) replace(&cta->barrier_known[i], NULL);
}

// -- Barriers ----------------------------------------------------------------

void order_lanes(Warp *warp) {
  own_clock(warp)[warp->index]++;
}

void order_arrive(Warp *warp, int barrier) {
  Cta *cta = warp->cta;
  join_row(cta->barrier_clocks[barrier], own_clock(warp));
  join_into(&cta->barrier_known[barrier], warp->known);
  order_lanes(warp);
}

void order_leave(Warp *warp, int barrier) {
  join_row(own_clock(warp), warp->cta->barrier_clocks[barrier]);
  join_into(&warp->known, warp->cta->barrier_known[barrier]);
  order_lanes(warp);
}

void order_barrier_done(Cta *cta, int barrier) {
  memset(cta->barrier_clocks[barrier], 0, sizeof cta->barrier_clocks[barrier]);
  replace(&cta->barrier_known[barrier], NULL);
}

// -- Releasing and acquiring -------------------------------------------------

// All that the warp knows, itself included, as of now.
static Clock *snapshot(Warp *warp) {
  const Cta *cta = warp->cta;
  Clock *clock =
      clock_with(warp->known, cta->linear, own_clock(warp), cta->num_warps);
  order_lanes(warp);
  return clock;
}

// A clock that knows everything knows no more than there has been.
static void take(Warp *warp, Clock *clock) {
  const Cta *cta = warp->cta;
  if (!clock || clock == warp->known) return;
  join_into(&warp->known, clock);
  uint32_t *own = own_clock(warp);
  for (uint32_t i = 0; i < cta->num_warps; i++) {
    uint32_t time = clock_time(clock, cta->linear, i);
    if (time > cta->clocks[i][i]) time = cta->clocks[i][i];
    if (i != warp->index && time > own[i]) own[i] = time;
  }
}

void order_fence(Warp *warp, Reach reach) {
  for (int i = 0; i < (int)reach; i++) {
    take(warp, warp->seen[i]);
    replace(&warp->seen[i], NULL);
  }
  const uint32_t time = own_clock(warp)[warp->index];
  Clock *now = snapshot(warp);
  for (int i = 0; i < (int)reach; i++) {
    replace(&warp->released[i], clock_keep(now));
    warp->released_at[i] = time;
  }
  clock_drop(now);
}

void order_read(Warp *warp, const SyncWord *word, Strength strength) {
  Clock *near = word->near_cta == warp->cta->linear ? word->near : NULL;
  Clock *far = strength.reach == REACH_GPU ? word->far : NULL;
  if (strength.acquires) {
    take(warp, near);
    take(warp, far);
  } else {
    join_into(&warp->seen[0], near);
    join_into(&warp->seen[1], far);
  }
}

bool order_publishes(const Warp *warp, Strength strength) {
  return strength.releases || warp->released[0];
}

static void leave(Clock **place, Clock *clock, bool is_update) {
  if (is_update)
    join_into(place, clock);
  else
    replace(place, clock_keep(clock));
}

void order_write(Warp *warp, SyncWord *word, Strength strength,
                 bool is_update) {
  Clock *now = strength.releases ? snapshot(warp) : NULL;
  Clock *near = now ? now : warp->released[0];
  Clock *far = now ? now : warp->released[1];
  if (strength.reach != REACH_GPU) far = NULL;
  leave(&word->far, far, is_update);
  leave(&word->near, near,
        is_update && (!near || word->near_cta == warp->cta->linear));
  if (near) word->near_cta = warp->cta->linear;
  clock_drop(now);
}

void order_move(SyncWord *to, SyncWord *from) {
  sync_word_clear(to);
  *to = *from;
  *from = (SyncWord){.far = NULL};
}

// -- Strength ----------------------------------------------------------------

static Reach reach_of(WordId scope, Reach otherwise) {
  switch (scope) {
  case WORD_NONE: return otherwise;
  case WORD_CTA:
  case WORD_CLUSTER: return REACH_CTA;
  default: return REACH_GPU;
  }
}

Strength strength_of(const Inst *inst, bool is_atomic) {
  const WordId order = (WordId)inst->order;
  if (!is_atomic && (order == WORD_NONE || order == WORD_WEAK))
    return (Strength){.reach = REACH_NONE};
  const bool both = order == WORD_ACQ_REL || order == WORD_SC;
  return (Strength){.reach = reach_of((WordId)inst->scope, REACH_GPU),
                    .acquires = both || order == WORD_ACQUIRE,
                    .releases = both || order == WORD_RELEASE};
}
