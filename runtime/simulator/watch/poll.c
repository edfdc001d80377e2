// poll.c -- finds warps that poll a word, and lets the other warps run.
//
// For example, a warp reads a flag in shared memory again and again, and finds
// 0.  The first read remembers the value, and each further one counts: the
// ninth read makes the count 8, which is POLLS, so the warp gives way behind
// it, and behind the tenth.  A read that finds 1 sets the count to 0.
#include "runtime/simulator/watch/poll.h"

#include <string.h>

#include "runtime/simulator/order/ledger.h"
#include "runtime/simulator/state/report.h"

// A warp gives way after POLLS reads of the same value, and after each
// further one; at a word that other CTAs may write, after FAR_POLLS.  With a
// random schedule one release in RELEASES gives way although no warp seems to
// wait for it.
enum { POLLS = 8, FAR_POLLS = 2, RELEASES = 4 };

static void pause_for(const RaceAccess *now, Reach reach) {
  const bool is_far = now->space == SPACE_GLOBAL && reach == REACH_GPU;
  now->warp->pause = is_far ? PAUSE_CTAS : PAUSE_WARPS;
}

static bool is_polled(const RacePage *page, const RaceAccess *now) {
  const SyncWord *word = race_sync_word_if_any(page, now->offset);
  return word && word->is_polled;
}

// With a random schedule, a warp gives way, too, if it reads a word that others
// have released before, so that it does not need to wait.
static bool may_have_heard(const RacePage *page, const RaceAccess *now,
                           Access access) {
  if (!now->warp->cta->random || access != ACCESS_READ) return false;
  const SyncWord *word = race_sync_word_if_any(page, now->offset);
  return word &&
         (word->clocks.near[0] || word->clocks.far || word->clocks.is_common);
}

// Counts a read that has found the same value as the lane's last read.
static void poll_again(Warp *warp, Polled *word) {
  Poll *poll = &warp->poll;
  word->again = warp->executed + 1;
  poll->last = (uint32_t)(word - poll->words);
  if (++poll->count >= (word->page ? FAR_POLLS : POLLS))
    warp->pause = PAUSE_POLL;
}

static void note_polled(RacePage *page, uint32_t stamp, const RaceAccess *now) {
  SyncWord *word = race_sync_word(page, stamp, now->offset);
  if (word) word->is_polled = true;
}

// The first lane of an access stands for all.
static bool is_first_lane(const Warp *warp, const Polled *now) {
  const Polled *last = &warp->poll.words[warp->poll.last];
  return last->inst != now->inst || now->lane <= last->lane ||
         !in_mask(warp->groups[warp->running].mask, last->lane);
}

// The last read of the same place; NULL: none lately.
static Polled *find(Poll *poll, const Polled *now) {
  for (uint32_t i = 0; i < poll->num_words; i++) {
    Polled *word = &poll->words[i];
    if (word->inst == now->inst && word->lane == now->lane &&
        word->at == now->at)
      return word;
  }
  return NULL;
}

// Whether the lane finds the same value as the first lane, which has found no
// change.
static bool is_as_vain(const Warp *warp, const Polled *now) {
  const Polled *last = &warp->poll.words[warp->poll.last];
  return last->again > warp->executed && last->inst == now->inst &&
         last->at == now->at && last->value == now->value;
}

// Remembers a new value, in place of the oldest one.
static void remember(Poll *poll, Polled *word, const Polled *now) {
  poll->count = 0;
  if (!word && poll->num_words < MOST_POLLED)
    word = &poll->words[poll->num_words++];
  if (!word) word = &poll->words[poll->oldest++ % MOST_POLLED];
  *word = *now;
  poll->last = (uint32_t)(word - poll->words);
}

void poll_object(Warp *warp, const Inst *inst, int lane, const uint8_t *at,
                 uint64_t value) {
  const Polled now = {.inst = inst, .at = at, .lane = lane, .value = value};
  Polled *word = find(&warp->poll, &now);
  if (word && word->value == value)
    poll_again(warp, word);
  else if (word || is_first_lane(warp, &now))
    remember(&warp->poll, word, &now);
}

void poll_access(RacePage *page, uint32_t stamp, const RaceAccess *now,
                 Reach reach, Access access) {
  if (access == ACCESS_WRITE) {
    if (is_polled(page, now)) pause_for(now, reach);
    return;
  }
  Warp *warp = now->warp;
  Polled read = {.inst = now->inst,
                 .at = now->old,
                 .page = now->space == SPACE_GLOBAL ? page : NULL,
                 .size = now->size < 8 ? now->size : 8,
                 .lane = now->lane};
  memcpy(&read.value, now->old, read.size);
  Polled *word = find(&warp->poll, &read);
  if (word && word->value == read.value) {
    note_polled(page, stamp, now);
    poll_again(warp, word);
    return;
  }
  if (is_as_vain(warp, &read)) return;
  const bool has_waited = word && word->again;
  if (word || is_first_lane(warp, &read)) remember(&warp->poll, word, &read);
  if (has_waited || (access == ACCESS_ATOMIC && is_polled(page, now)) ||
      may_have_heard(page, now, access))
    pause_for(now, reach);
}

void poll_published(const RaceAccess *now, Reach reach) {
  Cta *cta = now->warp->cta;
  if (cta->random && !cta_draw(cta, RELEASES)) pause_for(now, reach);
}

// The number of groups that can go on.
static int num_ready(const Warp *warp) {
  int count = 0;
  for (int i = 0; i < warp->num_groups; i++)
    count += warp->groups[i].state == GROUP_READY;
  return count;
}

static bool has_polled_far(const Warp *warp) {
  return warp->pause == PAUSE_POLL && num_ready(warp) == 1 &&
         warp->poll.words[warp->poll.last].page;
}

bool poll_waits_far(const Cta *cta) {
  bool result = false;
  for (uint32_t i = 0; i < cta->num_warps; i++) {
    const Warp *warp = &cta->warps[i];
    if (has_polled_far(warp))
      result = true;
    else if (num_ready(warp))
      return false;
  }
  return result;
}

// Whether the word still has its value.  Another host thread may hold the
// page's lock and write.
static bool is_unchanged(const Polled *word) {
  if (!race_try_lock(word->page)) return false;
  const bool result = !memcmp(&word->value, word->at, word->size);
  race_unlock(word->page);
  return result;
}

bool poll_is_vain(const Warp *warp) {
  return has_polled_far(warp) &&
         is_unchanged(&warp->poll.words[warp->poll.last]);
}

bool poll_all_vain(const Cta *cta) {
  if (!poll_waits_far(cta)) return false;
  for (uint32_t i = 0; i < cta->num_warps; i++) {
    const Warp *warp = &cta->warps[i];
    if (has_polled_far(warp) && !poll_is_vain(warp)) return false;
  }
  return true;
}

static void report_mbarrier(const Warp *warp, const Group *group,
                            const Polled *word) {
  const uint32_t offset = (uint32_t)(word->at - warp->cta->shared);
  const Book *book = ledger_book(warp->cta, offset);
  const int parity = book ? book->questions[warp->index].parity : 0;
  char what[300], repeat[600];
  mbarrier_describe(warp->cta, offset, what, sizeof what);
  ledger_describe_repeat(warp->cta, repeat, sizeof repeat);
  report(warp, word->inst, word->lane, KIND_ENDLESS_WAIT,
         "lanes 0x%08x wait for parity %d of %s%s", group->mask, parity, what,
         repeat);
}

static void report_word(const Warp *warp, const Group *group,
                        const Polled *word) {
  const Cta *cta = warp->cta;
  const uintptr_t at = (uintptr_t)word->at, shared = (uintptr_t)cta->shared;
  if (!word->size) {
    report_mbarrier(warp, group, word);
    return;
  }
  char where[80] = "shared memory";
  uint64_t offset = at - shared;
  if (at < shared || at >= shared + cta->shared_end) {
    const Allocation *found = memory_find(cta->launch->memory, at);
    memory_describe(cta->launch, found, where, sizeof where);
    offset = at - found->start;
  }
  report(warp, word->inst, word->lane, KIND_DEADLOCK,
         "lanes 0x%08x wait for a change of byte %llu of %s", group->mask,
         (unsigned long long)offset, where);
}

void poll_report(const Warp *warp, const Group *group) {
  const Poll *poll = &warp->poll;
  const Inst *here = &warp->cta->launch->code->insts[group->place];
  bool is_known = false;
  for (uint32_t i = 0; i < poll->num_words; i++) {
    const Polled *word = &poll->words[i];
    if (word->again <= warp->look.since || !in_mask(group->mask, word->lane))
      continue;
    is_known = true;
    report_word(warp, group, word);
  }
  if (!is_known)
    report(warp, here, __builtin_ctz(group->mask), KIND_DEADLOCK,
           "lanes 0x%08x go round here for ever", group->mask);
}
