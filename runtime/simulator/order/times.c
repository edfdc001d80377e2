// times.c -- the times of one CTA in a clock.
//
//     warps 5 2; lanes of warp 1: mask 1 << 4, later by 4
//
// knows all accesses of warp 0 up to its time 5, of warp 1 up to 2, but of its
// lane 4 up to 6.  If all lanes of a warp have later times, the warp's time is
// raised.
#include "runtime/simulator/order/times.h"

#include <assert.h>
#include <string.h>

#include "runtime/simulator/state/exec.h"

// The times of a CTA all of whose accesses are known.
Times *times_all(void) {
  static const Times everything = {.references = 0};
  return (Times *)(uintptr_t)&everything;
}

bool times_are_reducible(const ClockUse *use, const Times *times) {
  return times && times != times_all() && clock_use_has_ended(use, times->cta);
}

Times *times_keep(Times *times) {
  if (times && times != times_all())
    __atomic_add_fetch(&times->references, 1, __ATOMIC_RELAXED);
  return times;
}

void times_drop(ClockUse *use, Times *times) {
  if (!times || times == times_all() ||
      __atomic_sub_fetch(&times->references, 1, __ATOMIC_ACQ_REL))
    return;
  clock_free(use, times, times->bytes);
}

// -- Looking up --------------------------------------------------------------

static const uint32_t *masks_of(const Times *times) {
  return times->words + times->num_times;
}

static uint32_t mask_of(const Times *times, uint32_t warp) {
  return warp < times->num_masks ? masks_of(times)[warp] : 0;
}

// The number of single lanes in the warps before.
static uint32_t lanes_before(const Times *times, uint32_t warp) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < warp; i++) count += count_bits(masks_of(times)[i]);
  return count;
}

static uint32_t later_at(const Times *times, uint32_t i) {
  const uint8_t *at = (const uint8_t *)(masks_of(times) + times->num_masks);
  uint32_t wide;
  uint16_t narrow;
  switch (times->later_bytes) {
  case 1: return at[i];
  case 2: memcpy(&narrow, at + (size_t)2 * i, 2); return narrow;
  default: memcpy(&wide, at + (size_t)4 * i, 4); return wide;
  }
}

uint32_t times_of_warp(const Times *times, uint32_t warp) {
  if (times == times_all()) return UINT32_MAX;
  assert(warp < times->num_times && "a warp that no clock has"); // I2
  return times->words[warp];
}

uint32_t times_of_lane(const Times *times, uint32_t thread) {
  if (times == times_all()) return UINT32_MAX;
  const uint32_t warp = thread / LANES, bit = UINT32_C(1) << thread % LANES;
  const uint32_t mask = mask_of(times, warp);
  if (!(mask & bit)) return times->words[warp];
  return times->words[warp] + later_at(times, lanes_before(times, warp) +
                                                  count_bits(mask & (bit - 1)));
}

uint32_t times_unknown(const Times *times, uint32_t warp, uint32_t time,
                       uint32_t lanes) {
  if (times == times_all() || times->words[warp] >= time) return 0;
  const uint32_t mask = mask_of(times, warp) & lanes;
  if (!mask) return lanes;
  uint32_t i = lanes_before(times, warp);
  for (uint32_t left = mask_of(times, warp); left; left &= left - 1, i++)
    if (times->words[warp] + later_at(times, i) >= time)
      lanes &= ~(left & -left);
  return lanes;
}

static bool are_equal(const Times *a, const Times *b) {
  return a->bytes == b->bytes && a->num_masks == b->num_masks &&
         a->later_bytes == b->later_bytes &&
         !memcmp(a->words, b->words, a->bytes - sizeof *a);
}

// Whether `a` covers the lanes of `b` from number `i` on, those of a warp.
static bool covers_warp(const Times *a, const Times *b, uint32_t warp,
                        uint32_t i) {
  const uint32_t mask = mask_of(a, warp);
  uint32_t first = 0;
  bool is_counted = false;
  for (uint32_t left = masks_of(b)[warp]; left; left &= left - 1, i++) {
    const uint32_t bit = left & -left;
    const uint32_t time = b->words[warp] + later_at(b, i);
    if (a->words[warp] >= time) continue;
    if (!(mask & bit)) return false;
    if (!is_counted) first = lanes_before(a, warp);
    is_counted = true;
    if (a->words[warp] + later_at(a, first + count_bits(mask & (bit - 1))) <
        time)
      return false;
  }
  return true;
}

bool times_cover(const Times *a, const Times *b) {
  if (!b || a == b || a == times_all()) return true;
  if (!a || b == times_all()) return false;
  for (uint32_t i = 0; i < b->num_times; i++)
    if (b->words[i] > a->words[i]) return false;
  if (!b->num_masks || are_equal(a, b)) return true;
  for (uint32_t i = 0, at = 0; i < b->num_masks; i++) {
    if (!covers_warp(a, b, i, at)) return false;
    at += count_bits(masks_of(b)[i]);
  }
  return true;
}

// -- Making ------------------------------------------------------------------

// The same with an entry for each lane.  Lanes without a bit in the mask have
// no time.
typedef struct Draft {
  uint32_t cta, num_threads, num_times;
  uint32_t times[MAX_ACTORS], masks[MAX_WARPS], lanes[MAX_WARPS][LANES];
} Draft;

static uint32_t num_warps(const Draft *draft) {
  return (draft->num_threads + LANES - 1) / LANES;
}

static void start(Draft *draft, uint32_t cta, uint32_t num_threads,
                  uint32_t num_times) {
  draft->cta = cta;
  draft->num_threads = num_threads;
  draft->num_times = num_times;
  memset(draft->times, 0, num_times * sizeof *draft->times);
  memset(draft->masks, 0, num_warps(draft) * sizeof *draft->masks);
}

static void raise_lane(Draft *draft, uint32_t warp, int lane, uint32_t time) {
  const uint32_t bit = UINT32_C(1) << lane;
  uint32_t *at = &draft->lanes[warp][lane];
  if (!(draft->masks[warp] & bit) || *at < time) *at = time;
  draft->masks[warp] |= bit;
}

static void raise_times(Draft *draft, const uint32_t *times) {
  for (uint32_t i = 0; i < draft->num_times; i++)
    if (times[i] > draft->times[i]) draft->times[i] = times[i];
}

static void add(Draft *draft, const Times *times) {
  if (!times) return;
  assert(times->num_times == draft->num_times &&
         "clocks of different launches"); // I2
  raise_times(draft, times->words);
  uint32_t at = 0;
  for (uint32_t i = 0; i < times->num_masks; i++)
    for (uint32_t left = masks_of(times)[i]; left; left &= left - 1)
      raise_lane(draft, i, __builtin_ctz(left),
                 times->words[i] + later_at(times, at++));
}

// The mask of the warp's lanes.
static uint32_t all_lanes(const Draft *draft, uint32_t warp) {
  const uint32_t rest = draft->num_threads - warp * LANES;
  return rest < LANES ? (UINT32_C(1) << rest) - 1 : UINT32_MAX;
}

// If all lanes have later times, raises the warp's time to the earliest of
// them; with `whole`, to the latest time of any lane.
static void settle_warp(Draft *draft, uint32_t warp, bool whole) {
  const uint32_t *lanes = draft->lanes[warp];
  uint32_t *time = &draft->times[warp], *mask = &draft->masks[warp];
  uint32_t later = 0, least = UINT32_MAX;
  for (uint32_t left = *mask; left; left &= left - 1) {
    const uint32_t lane = lanes[__builtin_ctz(left)];
    if (lane > *time) later |= left & -left;
    if (lane < least) least = lane;
    if (whole && lane > *time) *time = lane;
  }
  if (later == all_lanes(draft, warp) && least > *time) *time = least;
  for (uint32_t left = later; left; left &= left - 1)
    if (lanes[__builtin_ctz(left)] <= *time) later &= ~(left & -left);
  *mask = later;
}

// The number of single lanes, and the largest difference to a warp's time.
static uint32_t settle(Draft *draft, bool whole, uint32_t *most) {
  uint32_t count = 0;
  *most = 0;
  for (uint32_t i = 0; i < num_warps(draft); i++) {
    if (!draft->masks[i]) continue;
    settle_warp(draft, i, whole);
    for (uint32_t left = draft->masks[i]; left; left &= left - 1, count++) {
      const uint32_t later =
          draft->lanes[i][__builtin_ctz(left)] - draft->times[i];
      if (later > *most) *most = later;
    }
  }
  return count;
}

static void put_lanes(const Draft *draft, Times *times) {
  uint8_t *at = (uint8_t *)(times->words + times->num_times + times->num_masks);
  for (uint32_t i = 0; i < times->num_masks; i++)
    for (uint32_t left = draft->masks[i]; left; left &= left - 1) {
      const uint32_t wide =
          draft->lanes[i][__builtin_ctz(left)] - draft->times[i];
      const uint16_t narrow = (uint16_t)wide;
      if (times->later_bytes == 4) memcpy(at, &wide, 4);
      if (times->later_bytes == 2) memcpy(at, &narrow, 2);
      if (times->later_bytes == 1) *at = (uint8_t)wide;
      at += times->later_bytes;
    }
}

static Times *pack(ClockUse *use, Draft *draft) {
  uint32_t most;
  const uint32_t count =
      settle(draft, clock_use_is_full(use, CLOCKS_BY_WARP), &most);
  const uint32_t num_masks = count ? num_warps(draft) : 0;
  const uint32_t each = most > UINT16_MAX ? 4 : most > UINT8_MAX ? 2 : 1;
  const uint32_t num_words =
      draft->num_times + num_masks + (count * each + 3) / 4;
  const uint32_t bytes =
      (uint32_t)(sizeof(Times) + num_words * sizeof(uint32_t));
  Times *times = clock_alloc(use, bytes);
  if (!times) return NULL;
  *times = (Times){1,
                   draft->cta,
                   (uint8_t)draft->num_times,
                   (uint8_t)num_masks,
                   (uint8_t)each,
                   bytes};
  memcpy(times->words, draft->times, draft->num_times * sizeof(uint32_t));
  memcpy(times->words + draft->num_times, draft->masks,
         num_masks * sizeof(uint32_t));
  if (count) times->words[num_words - 1] = 0;
  put_lanes(draft, times);
  return times;
}

Times *times_join(ClockUse *use, uint32_t num_threads, Times *a, Times *b) {
  if (clock_use_is_full(use, CLOCKS_BY_CTA) &&
      (times_are_reducible(use, a) || times_are_reducible(use, b)))
    return times_all();
  if (times_cover(a, b)) return times_keep(a);
  if (times_cover(b, a)) return times_keep(b);
  Draft draft;
  start(&draft, a->cta, num_threads, a->num_times);
  add(&draft, a);
  add(&draft, b);
  return pack(use, &draft);
}

static bool covers_row(const Times *a, const ClockRow *row) {
  if (a == times_all()) return true;
  for (uint32_t i = 0; a && i < row->num_times; i++)
    if (row->times[i] > a->words[i]) return false;
  return a;
}

Times *times_with_row(ClockUse *use, Times *a, const ClockRow *row) {
  if (covers_row(a, row)) return times_keep(a);
  Draft draft;
  start(&draft, row->cta, row->num_threads, row->num_times);
  add(&draft, a);
  raise_times(&draft, row->times);
  return pack(use, &draft);
}

Times *times_with_lanes(ClockUse *use, uint32_t num_threads, Times *a,
                        uint32_t warp, uint32_t lanes, uint32_t time) {
  Draft draft;
  start(&draft, a->cta, num_threads, a->num_times);
  add(&draft, a);
  for (; lanes; lanes &= lanes - 1)
    raise_lane(&draft, warp, __builtin_ctz(lanes), time);
  return pack(use, &draft);
}
