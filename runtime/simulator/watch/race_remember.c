// race_remember.c -- remembers accesses for checks of later writes.
//
// Cells have room for a few reads of shared memory by different warps.  Further
// reads, and all reads of global memory, are kept by readers.h.
#include "runtime/simulator/history/history.h"
#include "runtime/simulator/watch/race_parts.h"

// The last of a cell's places for reads.  Cells of bytes have one place only,
// to limit their memory.
static int last_read(const RacePage *page) {
  return page->fine ? FIRST_READ : NUM_PASTS - 1;
}

// Whether `past` may replace `read`: any access that races with the lanes of
// `read` must race with those of `past`, too.  The lane's own earlier reads are
// removed from `read`.
static bool takes_in(Past *read, const Past *past, const RaceAccess *now) {
  if (read->cta != past->cta || reach_of(past) > reach_of(read)) return false;
  if (!is_same_warp(read, past)) return race_is_after(now, read);
  const uint32_t own = now->warp->index;
  if (now->warp->cta->clocks[own][own] >= read->clock) return true;
  read->lanes &= ~past->lanes;
  return !read->lanes;
}

enum { LOAN = 512 };

// A page may have twice its room only if few pages are touched.  The memory of
// a page with cells of bytes grows in steps that would be too large.
static bool may_lend_far(const RacePage *page, const Launch *launch) {
  return purses_have_few(&launch->far, LOAN) ||
         (!page->fine && page->purse.most < FAR_ROOM + 3 * LOAN &&
          purses_have(&launch->far, LOAN));
}

// A page with many accesses of many kinds may have more memory than others: in
// shared memory up to a limit for the CTA, in global memory as much as other
// pages of the launch have left.
bool race_lend(RacePage *page, const RaceAccess *now) {
  enum { MOST_NEAR_LOANS = 16, ENOUGH = 4096 };
  Launch *launch = now->warp->cta->launch;
  const Purse *purse = &page->purse;
  if (page->is_crowded || purse->most > purse->used + purse->used / 4 + ENOUGH)
    return false; // something else is missing
  if (page->is_near ? now->home->num_loans >= MOST_NEAR_LOANS
                    : !may_lend_far(page, launch))
    return false;
  if (page->is_near) now->home->num_loans++;
  page->purse.most += LOAN;
  return true;
}

bool race_keep(const Cells *cells, int which, uint32_t i, uint32_t count,
               const Past *past, const RaceAccess *now) {
  bool is_kept = false;
  do is_kept = cells_remember(cells, which, i, count, *past);
  while (!is_kept && race_lend(cells->page, now));
  return is_kept;
}

static bool add_reader(const Cells *cells, Other other, uint32_t i,
                       uint32_t count, const Past *past,
                       const RaceAccess *now) {
  RacePage *page = cells->page;
  const bool is_near = page->is_near;
  const ReadersOf of = {&page->purse, page->fine, is_near};
  const uint32_t before = page->purse.used;
  bool is_added = false;
  do
    is_added = readers_add(&page->others[other][reach_of(past)], &of,
                           cells->first + i, count, past);
  while (!is_added && race_lend(page, now));
  if (!is_near && page->purse.used > before)
    now->warp->cta->launch->reader_bytes += page->purse.used - before;
  return is_added;
}

// Whether the page is likely to become crowded, because many pages of the
// launch are.  The page is made crowded at once then, before it takes memory
// for separate records, which a crowded page does not need.
static bool will_be_crowded(const RacePage *page, const Launch *launch) {
  return !page->is_near && page->purse.used > FAR_ROOM * 5 / 8 &&
         launch->far.crowded > launch->far.pages / 32 + 16;
}

void race_remember_more(const Cells *cells, Other other, uint32_t i,
                        uint32_t count, const Past *past,
                        const RaceAccess *now) {
  const RacePage *page = cells->page;
  cells->page->has_others[other] = true;
  if (page->is_crowded || will_be_crowded(page, now->warp->cta->launch) ||
      !add_reader(cells, other, i, count, past, now))
    race_crowd_add(cells, other, i, count, past, now);
}

// Last writes stay in cells, where strong reads look them up.
void race_remember_write(const Cells *cells, uint32_t i, uint32_t count,
                         const Past *past, const RaceAccess *now) {
  const RacePage *page = cells->page;
  const bool is_full = !page->is_crowded && page->fine < 2 &&
                       will_be_crowded(page, now->warp->cta->launch);
  if (!is_full && race_keep(cells, LAST_WRITE, i, count, past, now)) return;
  if (!cells->page->is_crowded) race_crowd_page(cells, now);
  if (cells_remember(cells, LAST_WRITE, i, count, *past)) return;
  if (reach_of(past)) cells->page->is_lost = true;
  race_crowd_add(cells, OTHER_WRITES, i, count, past, now);
}

// Whether all lanes of the warp know the access, by their common clock.
static bool is_known(const Past *past, const Warp *warp) {
  if (!past->what) return true;
  return past->cta == warp->cta->linear &&
         warp->cta->clocks[warp->index][warp_of(past)] >= past->clock;
}

// Whether a strong write of the cells by any lane of the warp passes without a
// race, and changes nothing that is known of them but the last write.
static bool passes(const Cells *cells, const Warp *warp) {
  const RacePage *page = cells->page;
  for (int i = 0; i < 2; i++)
    if (page->crowds[i] || page->others[i][REACH_NONE]) return false;
  for (uint32_t i = 0; i < cells->count; i++) {
    const SyncWord *word = cell_word_if_any(cells, i);
    if (word && word->found) return false;
    for (int which = WEAK_WRITE; which < page->num_pasts; which++) {
      const Past past = cell_past(cells, which, i);
      if (!is_known(&past, warp)) return false;
    }
  }
  return true;
}

bool race_remember_lane(RacePage *page, uint32_t stamp, const RaceAccess *now,
                        const Past *past) {
  Pasts *last = page->stamp == stamp ? page_pasts(page, LAST_WRITE) : NULL;
  if (!last) return false;
  const Cells cells = cells_of(page, stamp, now->offset, now->size);
  return passes(&cells, now->warp) &&
         pasts_add_lane(last, cells.first, cells.count, past);
}

// Remembers a read of shared memory; false: the cells have no room for it.
static bool remember_near(const Cells *cells, uint32_t i, uint32_t count,
                          Past past, const RaceAccess *now) {
  for (int which = FIRST_READ; which <= last_read(cells->page); which++) {
    Past read = cell_past(cells, which, i);
    const uint32_t lanes = read.lanes;
    const bool is_now = read.what && race_is_at_once(&read, &past);
    if (is_now) past.lanes |= lanes;
    if (!read.what || is_now || takes_in(&read, &past, now)) {
      if (!race_keep(cells, which, i, count, &past, now))
        race_crowd_add(cells, OTHER_READS, i, count, &past, now);
      return true;
    }
    if (read.lanes != lanes && !race_keep(cells, which, i, count, &read, now))
      race_crowd_add(cells, OTHER_READS, i, count, &read, now);
  }
  return false;
}

void race_remember_read(const Cells *cells, uint32_t i, uint32_t count,
                        Past past, const RaceAccess *now) {
  const bool is_near = now->space == SPACE_SHARED;
  assert(count && i + count <= cells->count && "cells of no access"); // I6
  if (is_near && !cells->page->is_crowded &&
      remember_near(cells, i, count, past, now))
    return;
  race_remember_more(cells, OTHER_READS, i, count, &past, now);
}
