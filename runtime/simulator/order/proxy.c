// proxy.c -- the order of accesses beyond a CTA's threads: fences between
// the proxies, and the barrier of a cluster.
#include <string.h>

#include "runtime/simulator/order/parts.h"

// -- Fences ------------------------------------------------------------------

// The clock of a fence by a whole warp: the accesses of its lanes and all that
// any of them knows.  The clock says too much for a single lane, but a thread
// that relies on the fence must know the access itself, too.
static Clock *seen_by_all(const Warp *warp, Clock *common) {
  Clock *all = clock_keep(common);
  for (int i = 0; warp->knowing && i < LANES; i++)
    clock_add(&all, order_known_alone(warp, i));
  uint32_t times[MAX_ACTORS];
  memcpy(times, warp->cta->clocks[warp->index], sizeof times);
  times[warp->index] = warp->now;
  const ClockRow row = order_row(warp->cta, times);
  clock_replace(&all, clock_with(all, &row));
  return all;
}

void order_proxy_fence(Warp *warp, uint32_t lanes, ClockPart part) {
  Clock *common = order_common(warp);
  if (is_whole(warp, lanes)) {
    Clock *all = seen_by_all(warp, common);
    clock_replace(&warp->known, clock_with_part(warp->known, part, all));
    clock_drop(all);
  }
  for (int i = 0; !is_whole(warp, lanes) && i < LANES; i++) {
    if (!in_mask(lanes, i)) continue;
    Clock *now = order_snapshot(warp, i, common);
    order_learn_part(warp, i, part, now);
    clock_drop(now);
  }
  clock_drop(common);
  warp->now++;
}

// -- Clusters ----------------------------------------------------------------

void order_give(Warp *warp, uint32_t lanes, Clock **clock) {
  order_sync(warp, lanes);
  Clock *common = order_common(warp);
  for (int i = 0; i < LANES; i++) {
    if (!in_mask(lanes, i)) continue;
    Clock *now = order_snapshot(warp, i, common);
    clock_add(clock, now);
    clock_drop(now);
  }
  clock_drop(common);
  warp->now++;
}

static Clock *known_inits(const Warp *warp, int lane) {
  return clock_join(clock_part(warp->known, CLOCK_INITS),
                    clock_part(order_known_alone(warp, lane), CLOCK_INITS));
}

void order_give_fenced(Warp *warp, uint32_t lanes, Clock **clock) {
  for (int i = 0; i < LANES; i++) {
    if (!in_mask(lanes, i)) continue;
    Clock *fenced = order_published(warp, i, 0), *inits = known_inits(warp, i);
    clock_add(clock, fenced);
    clock_replace(clock, clock_with_part(*clock, CLOCK_INITS, inits));
    clock_drop(fenced);
    clock_drop(inits);
  }
}

uint32_t order_unknown_init(const Warp *warp, int lane,
                            const Accesses *accesses) {
  Clock *inits = known_inits(warp, lane);
  const uint32_t unknown =
      clock_unknown(inits, accesses->cta, accesses->warp, accesses->time,
                    order_unknown(warp, lane, accesses));
  clock_drop(inits);
  return unknown;
}

void order_take(Warp *warp, uint32_t lanes, Clock *clock) {
  if (is_whole(warp, lanes)) order_learn(warp, clock);
  for (int i = 0; !is_whole(warp, lanes) && i < LANES; i++)
    if (in_mask(lanes, i)) order_learn_alone(warp, i, clock);
}
