// order.c -- happens-before: the order of the accesses of different threads.
//
// All lanes of a warp know each other up to its own time in its row of clocks;
// while the warp is `parted`, each lane's row of `met` has later times.
//
// For example, lane 0 of warp 0 stores at time 1, then warps 0 and 1 meet at
// bar.sync.  Each arrives at time 1, which makes the barrier's clock {1, 1};
// when warp 1 leaves, this clock joins its row, {0, 0}, so that it knows the
// store.  Without the barrier, its row stays {0, 0}, and a load by warp 1 is a
// race.
#include "runtime/simulator/order/order.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/simulator/order/memos.h"
#include "runtime/simulator/order/parts.h"

typedef enum { MEMO_RELEASED, MEMO_SEEN } MemoKind;

typedef struct LaneOrder {
  // The time up to which each lane knows the others; NULL: never parted.
  uint32_t (*met)[LANES];
  Clock *known[LANES];       // besides the warp's clock
  Clock *released[2][LANES]; // published by the last fence, by its reach
  Clock *seen[2][LANES];     // read by relaxed reads, for the next fence
  WordMemos memos[2][LANES]; // by MemoKind
  uint32_t recalling;        // lanes with memos
} LaneOrder;

static uint32_t bit(int lane) {
  return UINT32_C(1) << lane;
}

static uint32_t *own_clock(const Warp *warp) {
  return warp->cta->clocks[warp->index];
}

static void join_times(uint32_t *to, const uint32_t *from, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    if (from[i] > to[i]) to[i] = from[i];
}

// -- A CTA's life ------------------------------------------------------------

bool order_create(Warp *warp) {
  warp->own = calloc(1, sizeof *warp->own);
  return warp->own;
}

static void forget(Warp *warp) {
  LaneOrder *own = warp->own;
  for (int i = 0; own && own->recalling && i < 2 * LANES; i++)
    memos_forget(&own->memos[i / LANES][i % LANES]);
  if (own) own->recalling = 0;
  for (int i = 0; own && i < LANES; i++) {
    clock_replace(&own->known[i], NULL);
    for (int j = 0; j < 2; j++) {
      clock_replace(&own->released[j][i], NULL);
      clock_replace(&own->seen[j][i], NULL);
    }
  }
  clock_replace(&warp->known, NULL);
  warp->knowing = warp->seeing = warp->fenced[0] = warp->fenced[1] = 0;
}

void order_destroy(Warp *warp) {
  forget(warp);
  if (warp->own) free(warp->own->met);
  free(warp->own);
}

void order_start(Cta *cta) {
  memset(cta->clocks, 0, sizeof cta->clocks);
  memset(cta->barrier_clocks, 0, sizeof cta->barrier_clocks);
  for (int i = 0; i < NUM_BARRIERS; i++)
    clock_replace(&cta->barrier_known[i], NULL);
  for (uint32_t i = 0; i < cta->num_warps; i++) {
    Warp *warp = &cta->warps[i];
    forget(warp);
    warp->now = 1;
    warp->released = warp->parted = false;
  }
}

void order_end(Cta *cta) {
  for (uint32_t i = 0; cta->warps && i < cta->num_warps; i++)
    order_destroy(&cta->warps[i]);
  for (int i = 0; i < NUM_BARRIERS; i++)
    clock_replace(&cta->barrier_known[i], NULL);
}

// -- Knowing -----------------------------------------------------------------

// The time of a warp or unit; a unit that no clock has yet has time 0.
static uint32_t now_of(const Cta *cta, uint32_t actor) {
  return actor < cta->num_warps ? cta->warps[actor].now
                                : cta->unit_times[actor - cta->num_warps];
}

// Whether memory is short, so that the lanes of a warp share their knowledge.
static bool is_short(const Warp *warp) {
  return clock_use_is_full(warp->cta->launch->clock_use, CLOCKS_BY_CTA);
}

// Adds the clock to the clock of all lanes.  A clock that knows everything is
// replaced by one with the present times.
void order_learn(Warp *warp, Clock *clock) {
  const Cta *cta = warp->cta;
  if (!clock || clock == warp->known) return;
  clock_add(&warp->known, clock);
  uint32_t *own = own_clock(warp);
  for (uint32_t i = 0; i < cta->num_actors; i++) {
    uint32_t time = clock_warp_time(clock, cta->linear, i);
    if (time > now_of(cta, i)) time = now_of(cta, i);
    if (i != warp->index && time > own[i]) own[i] = time;
  }
}

// Adds the clocks of single lanes to the clock of all lanes.
static void share_known(Warp *warp) {
  Clock *all = NULL, **known = warp->own->known;
  for (int i = 0; warp->knowing && i < LANES; i++) {
    clock_add(&all, known[i]);
    clock_replace(&known[i], NULL);
  }
  warp->knowing = 0;
  order_learn(warp, all);
  clock_drop(all);
}

void order_learn_alone(Warp *warp, int lane, Clock *clock) {
  if (!clock || clock == warp->known) return;
  if (is_whole(warp, bit(lane)) || is_short(warp)) {
    Clock *kept = clock_keep(clock);
    share_known(warp);
    order_learn(warp, kept);
    clock_drop(kept);
    return;
  }
  clock_add(&warp->own->known[lane], clock);
  warp->knowing |= bit(lane);
}

static ClockPart seen_part(int i) {
  return i ? CLOCK_SEEN_GPU : CLOCK_SEEN_CTA;
}

static ClockPart fenced_part(int i) {
  return i ? CLOCK_FENCED_GPU : CLOCK_FENCED_CTA;
}

void order_learn_part(Warp *warp, int lane, ClockPart part, Clock *clock) {
  if (!clock || clock == clock_part(warp->known, part)) return;
  const bool by_all = is_short(warp);
  Clock **known = by_all ? &warp->known : &warp->own->known[lane];
  clock_replace(known, clock_with_part(*known, part, clock));
  if (!by_all) warp->knowing |= bit(lane);
}

ClockRow order_row(const Cta *cta, const uint32_t *times) {
  return (ClockRow){cta->launch->clock_use, cta->linear, cta->num_threads,
                    cta->num_actors, times};
}

// The clock of all warps of the CTA with the accesses that all lanes know.
Clock *order_common(const Warp *warp) {
  uint32_t times[MAX_ACTORS];
  memcpy(times, own_clock(warp), sizeof times);
  if (is_short(warp)) times[warp->index] = warp->now;
  const ClockRow row = order_row(warp->cta, times);
  return clock_with(warp->known, &row);
}

static void add_lanes(const Warp *warp, Clock **clock, uint32_t lanes,
                      uint32_t time) {
  clock_replace(clock, clock_with_lanes(*clock, warp->cta->linear, warp->index,
                                        lanes, time));
}

// All accesses that the lane knows now, its own included.
Clock *order_snapshot(const Warp *warp, int lane, Clock *common) {
  const uint32_t *met = warp->parted ? warp->own->met[lane] : NULL;
  Clock *clock = clock_join(common, warp->own->known[lane]);
  for (int i = 0; met && i < LANES; i++)
    if (met[i] > own_clock(warp)[warp->index])
      add_lanes(warp, &clock, bit(i), met[i]);
  add_lanes(warp, &clock, bit(lane), warp->now);
  return clock;
}

uint32_t order_unknown(const Warp *warp, int lane, const Accesses *accesses) {
  const uint32_t cta = accesses->cta, time = accesses->time;
  const LaneOrder *own = warp->own;
  uint32_t unknown =
      clock_unknown(warp->known, cta, accesses->warp, time, accesses->lanes);
  if (unknown)
    unknown =
        clock_unknown(own->known[lane], cta, accesses->warp, time, unknown);
  if (!warp->parted || cta != warp->cta->linear ||
      accesses->warp != warp->index)
    return unknown;
  for (int i = 0; i < LANES; i++)
    if (own->met[lane][i] >= time) unknown &= ~bit(i);
  return unknown;
}

// -- .sync instructions ------------------------------------------------------

// Joins the clocks of the warp's lanes: each then knows the accesses that any
// of them knew.
static void unite(Warp *warp) {
  share_known(warp);
  warp->parted = false;
  own_clock(warp)[warp->index] = warp->now++;
}

// Gives each lane times of its own; false: no memory.
static bool part(Warp *warp) {
  LaneOrder *own = warp->own;
  if (!own->met) own->met = calloc(LANES, sizeof *own->met);
  if (!own->met) return false;
  const uint32_t time = own_clock(warp)[warp->index];
  for (int i = 0; !warp->parted && i < LANES; i++)
    for (int j = 0; j < LANES; j++) own->met[i][j] = time;
  warp->parted = true;
  return true;
}

static void share_clocks(Warp *warp, uint32_t lanes) {
  Clock *all = NULL, **known = warp->own->known;
  for (int i = 0; i < LANES; i++)
    if (in_mask(lanes, i)) clock_add(&all, known[i]);
  for (int i = 0; i < LANES; i++)
    if (in_mask(lanes, i)) clock_replace(&known[i], clock_keep(all));
  warp->knowing |= lanes;
  clock_drop(all);
}

static void unite_some(Warp *warp, uint32_t lanes) {
  uint32_t all[LANES] = {0};
  if (!part(warp)) {
    unite(warp);
    return;
  }
  for (int i = 0; i < LANES; i++)
    if (in_mask(lanes, i)) join_times(all, warp->own->met[i], LANES);
  for (int i = 0; i < LANES; i++)
    if (in_mask(lanes, i)) all[i] = warp->now;
  for (int i = 0; i < LANES; i++)
    if (in_mask(lanes, i)) memcpy(warp->own->met[i], all, sizeof all);
  if (warp->knowing & lanes) share_clocks(warp, lanes);
  warp->now++;
}

void order_sync(Warp *warp, uint32_t lanes) {
  if (is_whole(warp, lanes))
    unite(warp);
  else if (lanes & (lanes - 1))
    unite_some(warp, lanes);
}

void order_together(Warp *warp, uint32_t lanes) {
  if (!(warp->cta->launch->checks & CHECK_STRICT)) order_sync(warp, lanes);
}

// -- Barriers ----------------------------------------------------------------

void order_arrive(Warp *warp, uint32_t lanes, int barrier) {
  Cta *cta = warp->cta;
  order_sync(warp, lanes);
  if (is_whole(warp, lanes)) {
    join_times(cta->barrier_clocks[barrier], own_clock(warp), cta->num_actors);
    clock_add(&cta->barrier_known[barrier], warp->known);
    return;
  }
  Clock *common = order_common(warp);
  Clock *now = order_snapshot(warp, __builtin_ctz(lanes), common);
  clock_add(&cta->barrier_known[barrier], now);
  clock_drop(common);
  clock_drop(now);
  warp->now++;
}

void order_leave(Warp *warp, uint32_t lanes, int barrier) {
  const Cta *cta = warp->cta;
  if (is_whole(warp, lanes)) {
    join_times(own_clock(warp), cta->barrier_clocks[barrier], cta->num_actors);
    order_learn(warp, cta->barrier_known[barrier]);
    order_sync(warp, lanes);
    return;
  }
  const ClockRow row = order_row(cta, cta->barrier_clocks[barrier]);
  Clock *all = clock_with(cta->barrier_known[barrier], &row);
  for (int i = 0; i < LANES; i++)
    if (in_mask(lanes, i)) order_learn_alone(warp, i, all);
  clock_drop(all);
  order_sync(warp, lanes);
}

void order_barrier_done(Cta *cta, int barrier) {
  memset(cta->barrier_clocks[barrier], 0, sizeof cta->barrier_clocks[barrier]);
  clock_replace(&cta->barrier_known[barrier], NULL);
}

// -- Releasing and acquiring -------------------------------------------------

static void memorise(Warp *warp, MemoKind kind, int lane,
                     const WordClocks *word, Clock *near, Clock *far) {
  memos_keep(&warp->own->memos[kind][lane], word, near, far, is_short(warp));
  warp->own->recalling |= bit(lane);
}

// Remembers a release at the word, if the kernel has writes that continue it.
static void note_release(Warp *warp, int lane, const WordClocks *word,
                         Clock *now, Reach reach) {
  if (now && warp->cta->launch->code->releases_again)
    memorise(warp, MEMO_RELEASED, lane, word, now,
             reach == REACH_GPU ? now : NULL);
}

// Memo number i of the word; NULL: none.
static Clock *recall(const Warp *warp, MemoKind kind, int lane,
                     const WordClocks *word, int i) {
  return in_mask(warp->own->recalling, lane)
             ? memos_recall(&warp->own->memos[kind][lane], word, i)
             : NULL;
}

static void take_seen(Warp *warp, int lane, Reach reach) {
  for (int i = 0; i < (int)reach; i++) {
    Clock **seen = &warp->own->seen[i][lane];
    order_learn_alone(warp, lane, *seen);
    clock_replace(seen, NULL);
  }
}

// A fence acquires the clocks that earlier reads have found: in the total order
// of seq_cst fences the writer's fence comes first, too.
static void take_seen_by_all(Warp *warp, int lane, Reach reach) {
  Clock *own = clock_keep(warp->own->known[lane]);
  for (int i = 0; i < (int)reach; i++) {
    order_learn_alone(warp, lane, clock_part(warp->known, seen_part(i)));
    order_learn_alone(warp, lane, clock_part(own, seen_part(i)));
  }
  clock_drop(own);
}

static void fence_lane(Warp *warp, int lane, Reach reach, Clock *common) {
  LaneOrder *own = warp->own;
  Clock *now = order_snapshot(warp, lane, common);
  for (int i = 0; i < (int)reach; i++) {
    clock_replace(&own->released[i][lane], clock_keep(now));
    warp->fenced[i] |= bit(lane);
  }
  clock_drop(now);
}

static void keep_fenced(Warp *warp, int lane, Reach reach) {
  for (int i = 0; i < (int)reach; i++)
    order_learn_part(warp, lane, fenced_part(i), warp->own->released[i][lane]);
}

void order_fence(Warp *warp, uint32_t lanes, Reach reach, bool is_sc) {
  for (int i = 0; i < LANES; i++) {
    if (in_mask(lanes & warp->seeing, i)) take_seen(warp, i, reach);
    if (in_mask(lanes, i) && is_sc) take_seen_by_all(warp, i, reach);
  }
  Clock *common = order_common(warp);
  for (int i = 0; i < LANES; i++)
    if (in_mask(lanes, i)) fence_lane(warp, i, reach, common);
  clock_drop(common);
  for (int i = 0; is_sc && i < LANES; i++)
    if (in_mask(lanes, i)) keep_fenced(warp, i, reach);
  warp->now++;
}

// Keeps the clock at a word, as far as its write reaches, for the lane's next
// fence.  A fence does not acquire the clock that a reduction has found.
static void see(Warp *warp, int lane, int i, Clock *at_word, bool is_red) {
  order_learn_part(warp, lane, seen_part(i),
                   clock_part(at_word, fenced_part(i)));
  if (is_red) return;
  clock_add(&warp->own->seen[i][lane], at_word);
  warp->seeing |= bit(lane);
}

static void acquire(Warp *warp, int lane, const WordClocks *word, Reach reach) {
  for (int i = 0; i < (int)reach; i++)
    order_learn_alone(warp, lane, recall(warp, MEMO_SEEN, lane, word, i));
}

static void learn_common(Warp *warp, int lane) {
  Clock *common = clock_use_common(warp->cta->launch->clock_use);
  order_learn_alone(warp, lane, common);
  clock_drop(common);
}

void order_read(Warp *warp, int lane, const WordClocks *word, Strength strength,
                bool is_red) {
  if (word->is_common) learn_common(warp, lane);
  Clock *near = word_clocks_near(word, warp->cta->first);
  Clock *far = strength.reach == REACH_GPU ? word->far : NULL;
  if (strength.acquires) acquire(warp, lane, word, strength.reach);
  if (!near && !far) return;
  if (strength.acquires || (is_short(warp) && !is_red)) {
    order_learn_alone(warp, lane, near);
    order_learn_alone(warp, lane, far);
    return;
  }
  see(warp, lane, 0, near, is_red);
  see(warp, lane, 1, far, is_red);
  if (!is_red) memorise(warp, MEMO_SEEN, lane, word, near, far);
}

bool order_publishes(const Warp *warp, int lane, Strength strength) {
  return strength.releases || in_mask(warp->fenced[0], lane) ||
         clock_part(warp->known, CLOCK_FENCED_CTA) ||
         clock_part(warp->own->known[lane], CLOCK_FENCED_CTA);
}

static Clock *release(Warp *warp, int lane) {
  Clock *common = order_common(warp);
  Clock *now = order_snapshot(warp, lane, common);
  clock_drop(common);
  warp->released = true;
  return now;
}

Clock *order_start_operation(Warp *warp, int lane) {
  return release(warp, lane);
}

bool order_recalls(const Warp *warp, uint32_t lanes) {
  return warp->own->recalling & lanes;
}

Clock *order_known_alone(const Warp *warp, int lane) {
  return warp->own->known[lane];
}

// The clock of a relaxed write: that of the lane's last fence, for acquires;
// and as its FENCED part all accesses that the lane knows to precede a fence.
Clock *order_published(const Warp *warp, int lane, int i) {
  Clock *both = clock_join(clock_part(warp->known, fenced_part(i)),
                           clock_part(warp->own->known[lane], fenced_part(i)));
  Clock *result =
      clock_with_part(warp->own->released[i][lane], fenced_part(i), both);
  clock_drop(both);
  return result;
}

// Forgets clocks that CTAs have left for their own threads, once the CTAs have
// ended.
static void forget_ended(const Launch *launch, WordClocks *word) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < NUM_NEARS && word->near[i]; i++) {
    Clock *near = word->near[i];
    word->near[i] = NULL;
    if (clock_use_has_ended(launch->clock_use, word->near_cta[i])) {
      clock_drop(near);
    } else {
      word->near[kept] = near;
      word->near_cta[kept++] = word->near_cta[i];
    }
  }
}

void order_leave_at(Warp *warp, WordClocks *word, Clock *near, Clock *far,
                    bool is_update) {
  const Launch *launch = warp->cta->launch;
  forget_ended(launch, word);
  word_clocks_leave(word, warp->cta->first, near, far, is_update);
  if (word->is_common) word_clocks_make_common(word, launch->clock_use);
}

void order_write(Warp *warp, int lane, WordClocks *word, Strength strength,
                 bool is_update) {
  Clock *now = strength.releases ? release(warp, lane) : NULL;
  Clock *near = now ? clock_keep(now) : order_published(warp, lane, 0);
  Clock *far = now ? clock_keep(now) : order_published(warp, lane, 1);
  note_release(warp, lane, word, now, strength.reach);
  clock_add(&near, recall(warp, MEMO_RELEASED, lane, word, 0));
  clock_add(&far, recall(warp, MEMO_RELEASED, lane, word, 1));
  if (strength.reach != REACH_GPU) clock_replace(&far, NULL);
  order_leave_at(warp, word, near, far, is_update);
  clock_drop(near);
  clock_drop(far);
  clock_drop(now);
}
