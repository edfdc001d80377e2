// poll.c -- who waits for a word, and when the others have their turn.
#include "runtime/simulator/poll.h"

#include <string.h>

// Reads of the same, after which the other warps have a turn.  A schedule lets
// one in RELEASES give way, though nobody seems to wait for it.
enum { POLLS = 8, RELEASES = 4 };

static void pause_for(const RaceAccess *now, Reach reach) {
  const bool is_far = now->space == SPACE_GLOBAL && reach == REACH_GPU;
  now->warp->pause = is_far ? PAUSE_CTAS : PAUSE_WARPS;
}

static bool is_polled(RacePage *page, uint32_t stamp, const RaceAccess *now) {
  if (!page->sync_words) return false;
  return race_sync_word(page, stamp, now->offset)->is_polled;
}

// A schedule stops those, too, who come too late to have waited.
static bool may_have_heard(RacePage *page, uint32_t stamp,
                           const RaceAccess *now, Access access) {
  if (!now->warp->cta->random || access != ACCESS_READ || !page->sync_words)
    return false;
  const SyncWord *word = race_sync_word(page, stamp, now->offset);
  return word->near || word->far;
}

// The lane has found there what it found before.
static void poll_again(RacePage *page, uint32_t stamp, const RaceAccess *now) {
  Warp *warp = now->warp;
  SyncWord *word = race_sync_word(page, stamp, now->offset);
  if (word) word->is_polled = true;
  if (++warp->poll.count % POLLS == 0) warp->pause = PAUSE_POLL;
}

// Of the lanes of an access the first stands for all.
static bool is_first_lane(const RaceAccess *now) {
  const Warp *warp = now->warp;
  const Poll *last = &warp->poll;
  return last->inst != now->inst || now->lane <= last->lane ||
         !in_mask(warp->groups[warp->running].mask, last->lane);
}

void poll_access(RacePage *page, uint32_t stamp, const RaceAccess *now,
                 Reach reach, Access access) {
  if (access == ACCESS_WRITE) {
    if (is_polled(page, stamp, now)) pause_for(now, reach);
    return;
  }
  Poll *last = &now->warp->poll;
  Poll poll = {.inst = now->inst, .at = now->old, .lane = now->lane};
  memcpy(&poll.value, now->old, now->size < 8 ? now->size : 8);
  const bool is_same_place =
      last->inst == poll.inst && last->lane == poll.lane && last->at == poll.at;
  if (is_same_place && last->value == poll.value) {
    poll_again(page, stamp, now);
    return;
  }
  const bool has_waited = is_same_place && last->count;
  if (is_first_lane(now)) *last = poll;
  if (has_waited || (access == ACCESS_ATOMIC && is_polled(page, stamp, now)) ||
      may_have_heard(page, stamp, now, access))
    pause_for(now, reach);
}

void poll_published(const RaceAccess *now, Reach reach) {
  Cta *cta = now->warp->cta;
  if (cta->random && !cta_draw(cta, RELEASES)) pause_for(now, reach);
}
