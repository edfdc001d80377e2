// poll.c -- who waits for a word, and when the others have their turn.
#include "runtime/simulator/poll.h"

#include <string.h>

#include "runtime/simulator/report.h"

// Reads of the same, after which the other warps have a turn.  A schedule lets
// one in RELEASES give way, though nobody seems to wait for it.
enum { POLLS = 8, RELEASES = 4 };

// Reads of the same, after which a warp is looked at, and how often it must be
// found the same.
enum { READS = 64, LOOKS = 4 };

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

static uint64_t mix(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
  return hash ^ hash >> 29;
}

// Of the registers, and of where the lanes stand.
static uint64_t state_of(const Warp *warp) {
  const uint32_t size = warp->cta->launch->code->file_size;
  uint64_t hash = warp->carry, word;
  for (uint32_t i = 0; i < size; i += sizeof word) {
    memcpy(&word, warp->file + i, sizeof word);
    hash = mix(hash, word);
  }
  for (int i = 0; i < warp->num_groups; i++) {
    const Group *group = &warp->groups[i];
    hash += mix((uint64_t)group->mask << 32 | group->place, group->state);
  }
  return hash;
}

static void look_at(Warp *warp) {
  Poll *poll = &warp->poll;
  const uint64_t state = state_of(warp), writes = warp->cta->writes;
  const bool is_same = poll->state == state && poll->writes == writes;
  poll->same = is_same ? poll->same + 1 : 0;
  poll->same_alone = is_same && poll->far == warp->far ? poll->same : 0;
  if (!is_same) poll->turn = warp->turn;
  poll->state = state;
  poll->writes = writes;
  poll->far = warp->far;
}

void poll_forget(Warp *warp) {
  warp->poll.same = 0;
  warp->poll.turn = warp->turn;
}

bool poll_is_stuck(const Warp *warp, bool alone) {
  const Poll *poll = &warp->poll;
  for (int i = 0; i < warp->num_groups; i++) {
    const Group *group = &warp->groups[i];
    if (group->state == GROUP_READY && group->last_run <= poll->turn)
      return false;
  }
  return poll->writes == warp->cta->writes &&
         (alone ? poll->same_alone : poll->same) >= LOOKS;
}

// The lane has found there what it found before.
static void poll_again(Warp *warp) {
  const uint32_t count = ++warp->poll.count;
  if (count % POLLS == 0) warp->pause = PAUSE_POLL;
  if (count % READS == 0) look_at(warp);
}

static void note_polled(RacePage *page, uint32_t stamp, const RaceAccess *now) {
  SyncWord *word = race_sync_word(page, stamp, now->offset);
  if (word) word->is_polled = true;
}

// Of the lanes of an access the first stands for all.
static bool is_first_lane(const Warp *warp, const Poll *now) {
  const Poll *last = &warp->poll;
  return last->inst != now->inst || now->lane <= last->lane ||
         !in_mask(warp->groups[warp->running].mask, last->lane);
}

static bool is_same_place(const Poll *a, const Poll *b) {
  return a->inst == b->inst && a->lane == b->lane && a->at == b->at;
}

void poll_object(Warp *warp, const Inst *inst, int lane, const uint8_t *at,
                 uint64_t value) {
  const Poll poll = {.inst = inst, .at = at, .lane = lane, .value = value};
  if (is_same_place(&warp->poll, &poll) && warp->poll.value == value)
    poll_again(warp);
  else if (is_first_lane(warp, &poll))
    warp->poll = poll;
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
  const bool is_again = is_same_place(last, &poll);
  if (is_again && last->value == poll.value) {
    note_polled(page, stamp, now);
    poll_again(now->warp);
    return;
  }
  const bool has_waited = is_again && last->count;
  if (is_first_lane(now->warp, &poll)) *last = poll;
  if (has_waited || (access == ACCESS_ATOMIC && is_polled(page, stamp, now)) ||
      may_have_heard(page, stamp, now, access))
    pause_for(now, reach);
}

void poll_published(const RaceAccess *now, Reach reach) {
  Cta *cta = now->warp->cta;
  if (cta->random && !cta_draw(cta, RELEASES)) pause_for(now, reach);
}

void poll_report(const Warp *warp, const Group *group) {
  const Cta *cta = warp->cta;
  const Poll *poll = &warp->poll;
  const bool is_known = poll->inst && in_mask(group->mask, poll->lane);
  const Inst *inst =
      is_known ? poll->inst : &cta->launch->code->insts[group->place];
  const uintptr_t at = (uintptr_t)poll->at, shared = (uintptr_t)cta->shared;
  char where[80] = "shared memory";
  uint64_t offset = at - shared;
  if (at < shared || at >= shared + cta->shared_end) {
    const Allocation *found = memory_find(launch_memory(cta->launch), at);
    memory_describe(cta->launch, found, where, sizeof where);
    offset = at - found->start;
  }
  report(warp, inst, __builtin_ctz(group->mask), KIND_DEADLOCK,
         "lanes 0x%08x wait for a change of byte %llu of %s", group->mask,
         (unsigned long long)offset, where);
}
