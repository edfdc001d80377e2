// race_copy.c -- reads by copies, at any time from their start to their end.
//
// A write in between races with them.  At its end a copy is a read like any
// other.
#include "runtime/simulator/history/history.h"
#include "runtime/simulator/watch/proxy.h"
#include "runtime/simulator/watch/race_parts.h"

// A bulk copy sees writes of threads only behind a proxy fence.
static void check_source(const Cells *cells, uint32_t i,
                         const RaceAccess *now) {
  if (now->inst->mode != WORD_BULK || now->space != SPACE_GLOBAL) return;
  for (int which = LAST_WRITE; which <= WEAK_WRITE; which++) {
    const Past write = cell_past(cells, which, i);
    if (write.what && race_is_after(now, &write))
      async_check_source(now, &write, i * cells->bytes);
  }
}

// Whether the read is remembered in pieces, as for bulk copies from global
// memory, and not in cells.
static bool is_in_pieces(const RaceAccess *now) {
  return now->space == SPACE_GLOBAL && now->inst->mode == WORD_BULK &&
         now->offset % COPY_PIECE == 0 && now->size % COPY_PIECE == 0;
}

static bool add_pieces(RacePage *page, const RaceAccess *now, Past past) {
  if (!is_in_pieces(now)) return false;
  past.clock = COPY_UNDER_WAY;
  return copy_reads_add(page, &past, (uint32_t)(now->offset % RACE_PAGE_BYTES),
                        now->size);
}

void race_copy_marks(RacePage *page, uint32_t stamp, const RaceAccess *now) {
  const Cells cells = cells_of(page, stamp, now->offset, now->size);
  Past past = race_past(now, REACH_NONE);
  if (add_pieces(page, now, past)) return;
  for (uint32_t i = 0, alike; i < cells.count; i += alike) {
    alike = cells_count_alike(&cells, i);
    past.clock = cell_past(&cells, COPIES, i).clock + 1;
    cells_remember(&cells, COPIES, i, alike, past);
  }
}

void race_copy_starts(RacePage *page, uint32_t stamp, const RaceAccess *now) {
  const Cells cells = cells_of(page, stamp, now->offset, now->size);
  for (uint32_t i = 0; page_has_writes(page) && i < cells.count; i++) {
    race_check_read(&cells, i, now);
    check_source(&cells, i, now);
  }
  race_copy_marks(page, stamp, now);
}

// Moves reads to crowds if there are many copies.
static void hand_over(RacePage *page, const RaceAccess *now) {
  const uint32_t bytes = WORD_BYTES >> page->fine;
  const Cells cells = {page, 0, RACE_PAGE_BYTES / bytes, bytes};
  uint32_t offset, size;
  Past read;
  bool has_taken = false;
  while (copy_reads_take(page, &read, &offset, &size)) {
    race_crowd_add(&cells, OTHER_READS, offset / bytes, size / bytes, &read,
                   now);
    has_taken = true;
  }
  if (has_taken) copy_reads_shrink(page);
}

static bool end_pieces(RacePage *page, const RaceAccess *now,
                       const Past *past) {
  const uint32_t offset = (uint32_t)(now->offset % RACE_PAGE_BYTES);
  if (!is_in_pieces(now)) return false;
  copy_reads_end(page, past, offset, now->size);
  const bool is_added = copy_reads_add(page, past, offset, now->size);
  hand_over(page, now);
  return is_added;
}

static void end_one(const Cells *cells, uint32_t i, uint32_t count) {
  Past copies = cell_past(cells, COPIES, i);
  if (!copies.what) return;
  assert(copies.clock > 0 && "a copy that nothing counts"); // I7
  if (--copies.clock)
    cells_remember(cells, COPIES, i, count, copies);
  else
    cells_forget(cells, COPIES, i, count);
}

// For a later write, the copy reads at its end.
void race_copy_ends(RacePage *page, uint32_t stamp, const RaceAccess *now) {
  const Cells cells = cells_of(page, stamp, now->offset, now->size);
  const Past past = race_past(now, REACH_NONE);
  if (end_pieces(page, now, &past)) return;
  for (uint32_t i = 0, alike; i < cells.count; i += alike) {
    alike = cells_count_alike(&cells, i);
    end_one(&cells, i, alike);
    race_remember_read(&cells, i, alike, past, now);
  }
}
