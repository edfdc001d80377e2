// race.c -- data races: conflicting accesses that nothing orders.
//
// Happens-before: an access that the clock of the lane does not cover is
// unordered with what the lane does now.  Two strong accesses whose scopes
// reach each other never race.  Where a cell's memory cannot be had, nothing is
// checked and nothing reported.
#include "runtime/simulator/race.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/simulator/memory.h"
#include "runtime/simulator/poll.h"
#include "runtime/simulator/readers.h"
#include "runtime/simulator/report.h"

enum { WORD_BYTES = 4, PAGE_WORDS = RACE_PAGE_BYTES / WORD_BYTES };

// WEAK_WRITE: the last weak one, where a strong one has come since.
// COPIES: those under way, of which the one that came last is known.
// Readers since the last write are from FIRST_READ on, without a gap: of shared
// memory one for each warp, of global memory FAR_READS; the others are a
// page's.
enum { LAST_WRITE, WEAK_WRITE, COPIES, FIRST_READ, NUM_PASTS = RACE_PASTS };
enum { FAR_READS = 2 };
_Static_assert(NUM_PASTS - FIRST_READ == MAX_WARPS, "each warp is a reader");

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
  readers_destroy(page->readers);
  page->readers = NULL;
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
  ok = ok && (!page->readers || readers_refine(page->readers, shift));
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

// The lanes of it that race with what comes now, where they touch the same.
static uint32_t unordered(const Past *before, const RaceAccess *now,
                          Reach reach) {
  const Warp *warp = now->warp;
  const Cta *cta = warp->cta;
  if (!before || !before->what || reach_each_other(before, cta, reach))
    return 0;
  const uint32_t other = warp_of(before);
  uint32_t lanes = before->lanes;
  if (before->cta == cta->linear) {
    if (other == warp->index) lanes &= ~(UINT32_C(1) << now->lane);
    if (!lanes || cta->clocks[warp->index][other] >= before->clock) return 0;
  }
  const Accesses accesses = {before->cta, other, before->clock, lanes};
  return order_unknown(warp, now->lane, &accesses);
}

static Past make_past(const RaceAccess *now, Reach reach, bool is_write) {
  const Warp *warp = now->warp;
  const Inst *first = warp->cta->launch->code->insts;
  return (Past){warp->cta->linear, order_time(warp, now->lane, reach, is_write),
                pack_what((uint32_t)(now->inst - first), warp->index, reach),
                UINT32_C(1) << now->lane};
}

static void report_race(const Past *before, uint32_t lanes,
                        const RaceAccess *now, uint32_t skip, Kind kind,
                        const char *what) {
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
         __builtin_ctz(lanes), place);
}

static const char read_raced[] = "a write races with a read of";

// Reports a race with what was, if it is one.
static void check_past(const Cells *cells, int which, uint32_t i,
                       const RaceAccess *now, Reach reach, const char *what) {
  const Past *before = past_of(cells, which, i);
  const uint32_t lanes = unordered(before, now, reach);
  if (lanes) report_race(before, lanes, now, i * cells->bytes, KIND_RACE, what);
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
  if (reach) check_past(cells, WEAK_WRITE, i, now, reach, what);
}

static void check_read(const Cells *cells, uint32_t i, const RaceAccess *now,
                       Reach reach) {
  const char *what = "a read races with a write of";
  check_past(cells, LAST_WRITE, i, now, reach, what);
  check_weak_write(cells, i, now, reach, what);
}

// Of lanes of one warp, at one time.
static bool is_at_once(const Past *a, const Past *b) {
  return a->clock == b->clock && is_same_warp(a, b) &&
         reach_of(a) == reach_of(b);
}

// A read that `past` stands for: whoever races with its lanes races with what
// comes now, too.  Of the lane's own earlier reads nothing remains.
static bool takes_in(Past *read, const Past *past, const RaceAccess *now) {
  if (read->cta != past->cta || reach_of(past) > reach_of(read)) return false;
  if (!is_same_warp(read, past)) return !unordered(read, now, REACH_NONE);
  const uint32_t own = now->warp->index;
  if (now->warp->cta->clocks[own][own] >= read->clock) return true;
  read->lanes &= ~past->lanes;
  return !read->lanes;
}

// What has no place of its own; without memory the last reader gives way.
static void remember_more(const Cells *cells, int last, uint32_t i,
                          const Past *past, Launch *launch) {
  RacePage *page = cells->page;
  if (!readers_add(&page->readers, &launch->reader_bytes, page->fine,
                   cells->first + i, past))
    remember(cells, last, i, *past);
}

static void remember_read(const Cells *cells, uint32_t i, Past past,
                          const RaceAccess *now) {
  const int most = now->space == SPACE_SHARED ? MAX_WARPS : FAR_READS;
  for (int which = FIRST_READ; which < FIRST_READ + most; which++) {
    Past *read = past_of(cells, which, i);
    const bool is_free = !read || !read->what;
    if (!is_free && is_at_once(read, &past)) {
      read->lanes |= past.lanes;
      read->what = past.what;
      return;
    }
    if (is_free || takes_in(read, &past, now)) {
      remember(cells, which, i, past);
      return;
    }
  }
  remember_more(cells, FIRST_READ + most - 1, i, &past, now->warp->cta->launch);
}

// Whatever orders the write with the start of a copy, it is before its end.
static void check_copies(const Cells *cells, uint32_t i,
                         const RaceAccess *now) {
  const Past *copy = past_of(cells, COPIES, i);
  if (copy && copy->clock)
    report_race(copy, copy->lanes, now, i * cells->bytes, KIND_RACE,
                "a write races with a read by cp.async of");
}

// One of the lanes of such a reader has read the cell: where it may be one that
// the write comes after, it is taken to be.
static void check_readers(const Cells *cells, uint32_t i, const RaceAccess *now,
                          Reach reach, bool same) {
  uint32_t at = 0;
  const Past *read;
  while ((read = readers_next(cells->page->readers, cells->first + i, &at))) {
    const uint32_t lanes = same ? 0 : unordered(read, now, reach);
    if (lanes && lanes == read->lanes)
      report_race(read, lanes, now, i * cells->bytes, KIND_RACE, read_raced);
  }
}

// They are forgotten: what races with them races with the write.
static void check_reads(const Cells *cells, uint32_t i, const RaceAccess *now,
                        Reach reach, bool same) {
  if (cells->page->readers) check_readers(cells, i, now, reach, same);
  for (int which = FIRST_READ; which < NUM_PASTS; which++) {
    Past *read = past_of(cells, which, i);
    if (!read || !read->what) return;
    if (!same) check_past(cells, which, i, now, reach, read_raced);
    read->what = 0;
  }
}

static void check_last_write(const Cells *cells, uint32_t i,
                             const RaceAccess *now, const Past *past,
                             bool same) {
  const Past *last = past_of(cells, LAST_WRITE, i);
  const uint32_t lanes =
      is_one_store(last, past, same) ? 0 : unordered(last, now, reach_of(past));
  if (lanes)
    report_race(last, lanes, now, i * cells->bytes,
                same ? KIND_RACE_SAME_VALUE : KIND_RACE,
                same ? "two writes of the same value race at"
                     : "two writes race at");
}

// Of the lanes of a warp that have written at one time, without a race.
static bool is_one_write(const Past *last, const Past *past, bool same) {
  return last && last->what == past->what && last->cta == past->cta &&
         last->clock == past->clock && (same || reach_of(past));
}

// A race of one kind at a cell is told once: what came before is forgotten.
static void write_cell(const Cells *cells, uint32_t i, const RaceAccess *now,
                       Past past, bool same) {
  const Reach reach = reach_of(&past);
  const Past *last = past_of(cells, LAST_WRITE, i);
  check_last_write(cells, i, now, &past, same);
  check_weak_write(cells, i, now, reach, "two writes race at");
  if (!same) check_copies(cells, i, now);
  check_reads(cells, i, now, reach, same);
  if (is_one_write(last, &past, same)) past.lanes |= last->lanes;
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
    order_read(now->warp, now->lane, race_sync_word(page, stamp, now->offset),
               strength);
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
  const bool leaves = order_publishes(now->warp, now->lane, strength);
  if (leaves) poll_published(now, strength.reach);
  if (!page->sync_words && !leaves) return;
  SyncWord *word = race_sync_word(page, stamp, now->offset);
  if (word) order_write(now->warp, now->lane, word, strength, is_update);
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
    order_read(now->warp, now->lane, race_sync_word(page, stamp, now->offset),
               strength);
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
