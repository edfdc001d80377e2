// together.c -- lanes of a warp that use an mbarrier in one instruction.
//
// The lanes mostly know the same, so that one clock is left at the
// mbarrier, or learnt, for all of them.
//
// For example, all lanes of warp 1 arrive at time 7, and the warp's clock knows
// warp 0 up to 3.  The mbarrier gets the clock {3, 7}, as from 32 arrivals of
// which each adds a lane to {3, 6}.
#include "runtime/simulator/order/parts.h"

static int first_of(uint32_t lanes) {
  return __builtin_ctz(lanes);
}

// Whether the lanes know the same, but for their own accesses.
static bool know_alike(const Warp *warp, uint32_t lanes) {
  const Clock *known = order_known_alone(warp, first_of(lanes));
  bool alike = !warp->parted && !order_recalls(warp, lanes);
  for (uint32_t left = lanes; alike && left; left &= left - 1)
    alike = order_known_alone(warp, first_of(left)) == known;
  return alike;
}

// All accesses that the lanes know now, their own included.
static Clock *snapshot(const Warp *warp, uint32_t lanes) {
  Clock *common = order_common(warp);
  Clock *now = clock_join(common, order_known_alone(warp, first_of(lanes)));
  clock_replace(&now, clock_with_lanes(now, warp->cta->linear, warp->index,
                                       lanes, warp->now));
  clock_drop(common);
  return now;
}

void order_write_together(Warp *warp, uint32_t lanes, WordClocks *word,
                          Strength strength) {
  assert(lanes && strength.reach == REACH_CTA && "lanes of no CTA");
  if (strength.releases && !warp->cta->launch->code->releases_again &&
      know_alike(warp, lanes)) {
    Clock *now = snapshot(warp, lanes);
    warp->released = true;
    order_leave_at(warp, word, now, NULL, true);
    clock_drop(now);
    return;
  }
  for (uint32_t left = lanes; left; left &= left - 1)
    order_write(warp, first_of(left), word, strength, true);
}

void order_read_together(Warp *warp, uint32_t lanes, const WordClocks *word,
                         Strength strength) {
  assert(lanes && strength.reach == REACH_CTA && "lanes of no CTA");
  if (strength.acquires && !(warp->live & ~lanes) && !word->is_common &&
      !order_recalls(warp, lanes)) {
    order_learn(warp, word_clocks_near(word, warp->cta->first));
    return;
  }
  for (uint32_t left = lanes; left; left &= left - 1)
    order_read(warp, first_of(left), word, strength, false);
}
