// race.c -- data races: conflicting accesses that nothing orders.
//
// Happens-before: an access that the clock of the warp does not cover is
// unordered with what the warp does now.  Two strong accesses whose scopes
// reach each other never race.  Where a cell's memory cannot be had, nothing is
// checked and nothing reported.
#include "runtime/simulator/race.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/simulator/memory.h"
#include "runtime/simulator/poll.h"
#include "runtime/simulator/report.h"

enum { WORD_BYTES = 4, PAGE_WORDS = RACE_PAGE_BYTES / WORD_BYTES };

// WEAK_WRITE: the last weak one, where a strong one has come since.
// COPIES: those under way, of which the one that came last is known.
// Readers since the last write are from FIRST_READ on, without a gap: of shared
// memory one for each warp, of global memory FAR_READS.
enum { LAST_WRITE, WEAK_WRITE, COPIES, FIRST_READ, NUM_PASTS = RACE_PASTS };
enum { FAR_READS = 2 };
_Static_assert(NUM_PASTS - FIRST_READ == MAX_WARPS, "each warp is a reader");

// An access that was; all zero: none.
typedef struct Past {
  uint32_t cta;
  uint32_t clock; // the warp's time; of COPIES: how many there are
  uint32_t what;  // the instruction's index and one, the thread, the Reach
} Past;

_Static_assert(MAX_INSTS < 1 << 20, "an instruction's index fits");

static uint32_t pack(uint32_t inst, uint32_t thread, Reach reach) {
  return (inst + 1) << 12 | thread << 2 | (uint32_t)reach;
}

static uint32_t inst_of(const Past *past) {
  return (past->what >> 12) - 1;
}

static uint32_t warp_of(const Past *past) {
  return (past->what >> 2 & 1023) / LANES;
}

static int lane_of(const Past *past) {
  return (int)(past->what >> 2 & 1023) % LANES;
}

static Reach reach_of(const Past *past) {
  return (Reach)(past->what & 3);
}

// -- Pages -------------------------------------------------------------------

static uint64_t num_pages(uint64_t num_bytes) {
  return num_bytes / RACE_PAGE_BYTES + 1;
}

RacePage *race_pages_create(uint64_t num_bytes) {
  return calloc(num_pages(num_bytes), sizeof(RacePage));
}

static void forget(RacePage *page) {
  for (int i = 0; page->sync_words && i < PAGE_WORDS; i++)
    sync_word_clear(&page->sync_words[i]);
  for (int i = 0; i < NUM_PASTS; i++)
    if (page->pasts[i])
      memset(page->pasts[i], 0,
             ((size_t)PAGE_WORDS << page->fine) * sizeof(Past));
}

void race_pages_destroy(RacePage *pages, uint64_t num_bytes) {
  for (uint64_t i = 0; pages && i < num_pages(num_bytes); i++) {
    if (!pages[i].stamp) continue;
    forget(&pages[i]);
    for (int j = 0; j < NUM_PASTS; j++) free(pages[i].pasts[j]);
    free(pages[i].sync_words);
  }
  free(pages);
}

void race_lock(RacePage *page) {
  for (int i = 0; __atomic_exchange_n(&page->lock, 1, __ATOMIC_ACQUIRE); i++)
    if (i > 100) sched_yield();
}

void race_unlock(RacePage *page) {
  if (page) __atomic_store_n(&page->lock, 0, __ATOMIC_RELEASE);
}

// Each cell becomes several that remember the same.
static bool refine(RacePage *page, int fine) {
  Past *finer[NUM_PASTS] = {NULL};
  const int count = PAGE_WORDS << fine, shift = fine - page->fine;
  bool ok = true;
  for (int i = 0; i < NUM_PASTS; i++) {
    if (!page->pasts[i]) continue;
    finer[i] = malloc((size_t)count * sizeof(Past));
    ok = ok && finer[i];
    for (int j = 0; finer[i] && j < count; j++)
      finer[i][j] = page->pasts[i][j >> shift];
  }
  for (int i = 0; i < NUM_PASTS; i++) {
    free(ok ? page->pasts[i] : finer[i]);
    if (ok) page->pasts[i] = finer[i];
  }
  if (ok) page->fine = (uint8_t)fine;
  return ok;
}

static void begin(RacePage *page, uint32_t stamp) {
  if (page->stamp == stamp) return;
  forget(page);
  page->stamp = stamp;
}

typedef struct {
  RacePage *page;
  uint32_t first, count, bytes; // cells; bytes of each
} Cells;

static Cells cells_of(RacePage *page, uint32_t stamp, const RaceAccess *now) {
  const int fine = now->size % 4 == 0 ? 0 : now->size % 2 == 0 ? 1 : 2;
  begin(page, stamp);
  if (fine > page->fine && !refine(page, fine)) return (Cells){.page = page};
  const uint32_t bytes = WORD_BYTES >> page->fine;
  const uint32_t offset = (uint32_t)(now->offset % RACE_PAGE_BYTES);
  return (Cells){page, offset / bytes, now->size / bytes, bytes};
}

// What is remembered of a cell; NULL: nothing.
static Past *past_of(const Cells *cells, int which, uint32_t i) {
  Past *pasts = cells->page->pasts[which];
  return pasts ? &pasts[cells->first + i] : NULL;
}

static void remember(const Cells *cells, int which, uint32_t i, Past past) {
  Past **pasts = &cells->page->pasts[which];
  const size_t count = (size_t)PAGE_WORDS << cells->page->fine;
  if (!*pasts) *pasts = calloc(count, sizeof **pasts);
  if (*pasts) (*pasts)[cells->first + i] = past;
}

SyncWord *race_sync_word(RacePage *page, uint32_t stamp, uint64_t offset) {
  begin(page, stamp);
  if (!page->sync_words)
    page->sync_words = calloc(PAGE_WORDS, sizeof *page->sync_words);
  return page->sync_words
             ? page->sync_words + offset % RACE_PAGE_BYTES / WORD_BYTES
             : NULL;
}

// -- Races -------------------------------------------------------------------

static bool reach_each_other(const Past *before, const Cta *cta, Reach reach) {
  if (!reach_of(before) || !reach) return false;
  return before->cta == cta->linear ||
         (reach_of(before) == REACH_GPU && reach == REACH_GPU);
}

static bool is_unordered(const Past *before, const RaceAccess *now,
                         Reach reach) {
  const Warp *warp = now->warp;
  const Cta *cta = warp->cta;
  if (!before || !before->what || reach_each_other(before, cta, reach))
    return false;
  const uint32_t other = warp_of(before);
  if (before->cta != cta->linear)
    return clock_time(warp->known, before->cta, other) < before->clock;
  const uint32_t *clock = cta->clocks[warp->index];
  if (other != warp->index) return clock[other] < before->clock;
  return lane_of(before) != now->lane && before->clock == clock[other];
}

// A relaxed write after a fence happens, for others, when the fence did.
static uint32_t time_of(const Warp *warp, Reach reach, bool is_write) {
  const uint32_t fence = reach && is_write ? warp->released_at[reach - 1] : 0;
  return fence ? fence : warp->cta->clocks[warp->index][warp->index];
}

static Past make_past(const RaceAccess *now, Reach reach, bool is_write) {
  const Warp *warp = now->warp;
  const Inst *first = warp->cta->launch->code->insts;
  const uint32_t thread = warp->index * LANES + (uint32_t)now->lane;
  return (Past){warp->cta->linear, time_of(warp, reach, is_write),
                pack((uint32_t)(now->inst - first), thread, reach)};
}

static void report_race(const Past *before, const RaceAccess *now,
                        uint32_t skip, Kind kind, const char *what) {
  const Launch *launch = now->warp->cta->launch;
  const Inst *inst = &launch->code->insts[inst_of(before)];
  char where[80] = "shared memory", who[64] = "", place[400];
  if (now->space != SPACE_SHARED) {
    memory_describe(launch, now->warp->last, where, sizeof where);
    uint32_t index[3];
    cta_position(launch, before->cta, index);
    snprintf(who, sizeof who, "CTA %u,%u,%u, ", index[0], index[1], index[2]);
  }
  report_place(launch, inst, place, sizeof place);
  report(now->warp, now->inst, now->lane, kind,
         "%s byte %llu of %s, by %swarp %u, lane %d at %s", what,
         (unsigned long long)now->offset + skip, where, who, warp_of(before),
         lane_of(before), place);
}

static bool is_same_warp(const Past *a, const Past *b) {
  return a->cta == b->cta && warp_of(a) == warp_of(b);
}

// Of the lanes of one warp in one store, which leave the same value.
static bool is_one_store(const Past *last, const Past *now, bool same) {
  return same && last && inst_of(last) == inst_of(now) &&
         is_same_warp(last, now);
}

// Before a strong access: those that are strong, too, hide what was not.
static void check_weak_write(const Cells *cells, uint32_t i,
                             const RaceAccess *now, Reach reach,
                             const char *what) {
  const Past *weak = reach ? past_of(cells, WEAK_WRITE, i) : NULL;
  if (is_unordered(weak, now, reach))
    report_race(weak, now, i * cells->bytes, KIND_RACE, what);
}

static void check_read(const Cells *cells, uint32_t i, const RaceAccess *now,
                       Reach reach) {
  const Past *last = past_of(cells, LAST_WRITE, i);
  if (is_unordered(last, now, reach))
    report_race(last, now, i * cells->bytes, KIND_RACE,
                "a read races with a write of");
  check_weak_write(cells, i, now, reach, "a read races with a write of");
}

// Whether who races with `read` races with what comes now, too.
static bool stands_for(const Past *past, const Past *read,
                       const RaceAccess *now) {
  if (!read || !read->what || is_same_warp(read, past)) return true;
  return read->cta == past->cta && reach_of(past) <= reach_of(read) &&
         !is_unordered(read, now, REACH_NONE);
}

static void remember_read(const Cells *cells, uint32_t i, Past past,
                          const RaceAccess *now) {
  const int most = now->space == SPACE_SHARED ? MAX_WARPS : FAR_READS;
  int which = FIRST_READ;
  while (which < FIRST_READ + most - 1 &&
         !stands_for(&past, past_of(cells, which, i), now))
    which++;
  remember(cells, which, i, past);
}

// Whatever orders the write with the start of a copy, it is before its end.
static void check_copies(const Cells *cells, uint32_t i,
                         const RaceAccess *now) {
  const Past *copy = past_of(cells, COPIES, i);
  if (copy && copy->clock)
    report_race(copy, now, i * cells->bytes, KIND_RACE,
                "a write races with a read by cp.async of");
}

// They are forgotten: what races with them races with the write.
static void check_reads(const Cells *cells, uint32_t i, const RaceAccess *now,
                        Reach reach, bool same) {
  for (int which = FIRST_READ; which < NUM_PASTS; which++) {
    Past *read = past_of(cells, which, i);
    if (!read || !read->what) return;
    if (!same && is_unordered(read, now, reach))
      report_race(read, now, i * cells->bytes, KIND_RACE,
                  "a write races with a read of");
    read->what = 0;
  }
}

// A race of one kind at a cell is told once: what came before is forgotten.
static void write_cell(const Cells *cells, uint32_t i, const RaceAccess *now,
                       Past past, bool same) {
  const Reach reach = reach_of(&past);
  const Past *last = past_of(cells, LAST_WRITE, i);
  const uint32_t skip = i * cells->bytes;
  if (!is_one_store(last, &past, same) && is_unordered(last, now, reach))
    report_race(last, now, skip, same ? KIND_RACE_SAME_VALUE : KIND_RACE,
                same ? "two writes of the same value race at"
                     : "two writes race at");
  check_weak_write(cells, i, now, reach, "two writes race at");
  if (!same) check_copies(cells, i, now);
  check_reads(cells, i, now, reach, same);
  if (reach && last && last->what && !reach_of(last))
    remember(cells, WEAK_WRITE, i, *last);
  remember(cells, LAST_WRITE, i, past);
}

static void write_cells(RacePage *page, uint32_t stamp, const RaceAccess *now,
                        Reach reach) {
  const Cells cells = cells_of(page, stamp, now);
  const Past past = make_past(now, reach, true);
  for (uint32_t i = 0; i < cells.count; i++) {
    const uint32_t skip = i * cells.bytes;
    const bool same =
        now->to && !memcmp(now->old + skip, now->to + skip, cells.bytes);
    write_cell(&cells, i, now, past, same);
  }
}

// -- Accesses ----------------------------------------------------------------

void race_read(RacePage *page, uint32_t stamp, const RaceAccess *now) {
  const Strength strength = strength_of(now->inst, false);
  const Cells cells = cells_of(page, stamp, now);
  if (strength.reach && page->sync_words)
    order_read(now->warp, race_sync_word(page, stamp, now->offset), strength);
  if (strength.reach)
    poll_access(page, stamp, now, strength.reach, ACCESS_READ);
  const Past past = make_past(now, strength.reach, false);
  for (uint32_t i = 0; i < cells.count; i++) {
    check_read(&cells, i, now, strength.reach);
    remember_read(&cells, i, past, now);
  }
}

void race_copy_starts(RacePage *page, uint32_t stamp, const RaceAccess *now) {
  const Cells cells = cells_of(page, stamp, now);
  Past past = make_past(now, REACH_NONE, false);
  for (uint32_t i = 0; i < cells.count; i++) {
    const Past *others = past_of(&cells, COPIES, i);
    check_read(&cells, i, now, REACH_NONE);
    past.clock = (others ? others->clock : 0) + 1;
    remember(&cells, COPIES, i, past);
  }
}

// For a write after it, it has read now.
void race_copy_ends(RacePage *page, uint32_t stamp, const RaceAccess *now) {
  const Cells cells = cells_of(page, stamp, now);
  const Past past = make_past(now, REACH_NONE, false);
  for (uint32_t i = 0; i < cells.count; i++) {
    Past *copies = past_of(&cells, COPIES, i);
    if (copies && copies->clock) copies->clock--;
    remember_read(&cells, i, past, now);
  }
}

static void publish(RacePage *page, uint32_t stamp, const RaceAccess *now,
                    Strength strength, bool is_update) {
  if (!strength.reach) return;
  const bool leaves = order_publishes(now->warp, strength);
  if (leaves) poll_published(now, strength.reach);
  if (!page->sync_words && !leaves) return;
  SyncWord *word = race_sync_word(page, stamp, now->offset);
  if (word) order_write(now->warp, word, strength, is_update);
}

void race_write(RacePage *page, uint32_t stamp, const RaceAccess *now) {
  const Strength strength = strength_of(now->inst, false);
  write_cells(page, stamp, now, strength.reach);
  if (strength.reach)
    poll_access(page, stamp, now, strength.reach, ACCESS_WRITE);
  publish(page, stamp, now, strength, false);
}

void race_atomic(RacePage *page, uint32_t stamp, const RaceAccess *now) {
  const Strength strength = strength_of(now->inst, true);
  begin(page, stamp);
  if (page->sync_words)
    order_read(now->warp, race_sync_word(page, stamp, now->offset), strength);
  write_cells(page, stamp, now, strength.reach);
  poll_access(page, stamp, now, strength.reach, ACCESS_ATOMIC);
  publish(page, stamp, now, strength, true);
}

void race_object(RacePage *page, uint32_t stamp, const RaceAccess *now,
                 Reach reach) {
  write_cells(page, stamp, now, reach);
}

void race_wrote(RacePage *page, uint32_t stamp, const RaceAccess *now) {
  const Cells cells = cells_of(page, stamp, now);
  const Past past = make_past(now, REACH_NONE, true);
  for (uint32_t i = 0; i < cells.count; i++)
    remember(&cells, LAST_WRITE, i, past);
}
