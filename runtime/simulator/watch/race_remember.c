// race_remember.c -- accesses that are remembered for writes after them.
//
// Cells have room for a few reads of shared memory by different warps.  Further
// ones, and all reads of global memory, are readers.h's.
#include "runtime/simulator/history/history.h"
#include "runtime/simulator/watch/race_parts.h"

// The last read of a cell that is among those of its page.  Cells of bytes have
// room for one, so that memory for them stays in proportion.
static int last_read(const RacePage *page) {
  return page->fine ? FIRST_READ : NUM_PASTS - 1;
}

// Whether `past` may take the place of `read`: an access that races with the
// lanes of `read` races with those of `past`, too.  The lane's own earlier
// reads are taken from `read`.
static bool takes_in(Past *read, const Past *past, const RaceAccess *now) {
  if (read->cta != past->cta || reach_of(past) > reach_of(read)) return false;
  if (!is_same_warp(read, past)) return race_is_after(now, read);
  const uint32_t own = now->warp->index;
  if (now->warp->cta->clocks[own][own] >= read->clock) return true;
  read->lanes &= ~past->lanes;
  return !read->lanes;
}

bool race_remember_more(const Cells *cells, Other other, uint32_t i,
                        uint32_t count, const Past *past,
                        const RaceAccess *now) {
  RacePage *page = cells->page;
  const bool is_near = now->space == SPACE_SHARED;
  const ReadersOf of = {is_near ? NULL : &now->warp->cta->launch->reader_bytes,
                        page->fine, is_near};
  page->has_others[other] = true;
  return readers_add(&page->others[other][reach_of(past)], &of,
                     cells->first + i, count, past);
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
      cells_remember(cells, which, i, count, past);
      return true;
    }
    if (read.lanes != lanes) cells_remember(cells, which, i, count, read);
  }
  return false;
}

// Without memory for more, another read of the cells gives way to this one.
void race_remember_read(const Cells *cells, uint32_t i, uint32_t count,
                        Past past, const RaceAccess *now) {
  const bool is_near = now->space == SPACE_SHARED;
  assert(count && i + count <= cells->count && "cells of no access"); // I6
  if (is_near && remember_near(cells, i, count, past, now)) return;
  if (!race_remember_more(cells, OTHER_READS, i, count, &past, now))
    cells_remember(cells, FIRST_READ, i, count, past);
}
