// race.c -- data races: conflicting accesses that nothing orders.
//
// Happens-before: an access that the clock of the lane does not cover is
// unordered with the lane's present access.  Two strong accesses whose scopes
// reach each other never race.  If there is no memory for a cell, its accesses
// are not checked.
//
// For example, warp 0 stores 7 to a word, and warp 1, without a barrier, 8:
// both weak, a race; 7 again: race-same-value; both st.relaxed.gpu: no race.
// After a load of 0, a store of 0 by the other warp is no race, one of 1 is.
#include "runtime/simulator/watch/race.h"

#include <stdio.h>
#include <string.h>

#include "runtime/simulator/history/history.h"
#include "runtime/simulator/memory/memory.h"
#include "runtime/simulator/state/report.h"
#include "runtime/simulator/watch/poll.h"
#include "runtime/simulator/watch/race_parts.h"

// -- Races -------------------------------------------------------------------

static bool is_strong_in_cluster(const Past *before, Cta *cta, Reach reach) {
  bool is_in = false;
  for (uint32_t i = 0; i < cluster_size(cta); i++)
    is_in = is_in || cluster_at(cta, i)->linear == before->cta;
  return is_in && reach && reach_of(before);
}

// The lanes of `before` that race with the access `now` to the same bytes.
uint32_t race_unordered(const Past *before, const RaceAccess *now,
                        Reach reach) {
  const Warp *warp = now->warp;
  if (!before->what || is_strong_with(before, warp->cta->linear, reach) ||
      (warp->cta->cluster && is_strong_in_cluster(before, warp->cta, reach)))
    return 0;
  return past_unknown(before, warp, now->lane);
}

// The `lanes` of a write, without those whose write of the cell the lane of the
// access has read.
static uint32_t without_found(const Cells *cells, uint32_t i, const Past *write,
                              uint32_t lanes, const RaceAccess *now) {
  return found_not(cells, i, write, lanes, now->warp, now->lane);
}

Past race_past(const RaceAccess *now, Reach reach) {
  const Warp *warp = now->warp;
  const Inst *first = warp->cta->launch->code->insts;
  return (Past){warp->cta->linear, now->time ? now->time : warp->now,
                pack_what((uint32_t)(now->inst - first), warp->index, reach),
                UINT32_C(1) << now->lane};
}

void race_report(const Past *before, uint32_t lanes, const RaceAccess *now,
                 uint32_t skip, Kind kind, const char *what) {
  const Launch *launch = now->warp->cta->launch;
  const Inst *inst = &launch->code->insts[inst_of(before)];
  if (report_is_moot(launch, kind, now->inst)) return;
  char where[80] = "shared memory", who[64] = "", place[400];
  if (now->space != SPACE_SHARED)
    memory_describe(launch, now->warp->last, where, sizeof where);
  else if (now->home != now->warp->cta)
    snprintf(where, sizeof where, "shared memory of CTA %u,%u,%u",
             now->home->index[0], now->home->index[1], now->home->index[2]);
  if (now->space != SPACE_SHARED || now->warp->cta->cluster) {
    uint32_t index[3];
    cta_position(launch, before->cta, index);
    snprintf(who, sizeof who, "CTA %u,%u,%u, ", index[0], index[1], index[2]);
  }
  report_place(launch, inst, place, sizeof place);
  report(now->warp, now->inst, now->lane, kind,
         "%s byte %llu of %s, by %swarp %u, lane %d at %s%s", what,
         (unsigned long long)now->offset + skip, where, who, warp_of(before),
         __builtin_ctz(lanes), place,
         before->what & PAST_NEAR ? ", or near" : "");
}

static bool tell_write(const Cells *cells, uint32_t i, const Past *before,
                       uint32_t lanes, const RaceAccess *now) {
  lanes = without_found(cells, i, before, lanes, now);
  if (lanes)
    race_report(before, lanes, now, i * cells->bytes, KIND_RACE,
                "a read races with a write of");
  return lanes;
}

// Reports a race of a read with a write, if there is one.
static inline bool check_past(const Cells *cells, uint32_t i,
                              const Past *before, const RaceAccess *now,
                              Reach reach) {
  const uint32_t lanes = race_unordered(before, now, reach);
  return lanes && tell_write(cells, i, before, lanes, now);
}

static inline bool check_write(const Cells *cells, int which, uint32_t i,
                               const RaceAccess *now, Reach reach) {
  const Past before = cell_past(cells, which, i);
  return check_past(cells, i, &before, now, reach);
}

// Whether both are writes by lanes of one warp in one store, with the same
// value.
static bool is_one_store(const Past *last, const Past *now, bool same) {
  return same && is_same_warp(last, now) &&
         (inst_of(last) == inst_of(now) || last->what & PAST_NEAR);
}

// Strong accesses never race with each other.
static bool is_exempt(int before, const RaceAccess *now, Reach reach) {
  if (!before || !reach) return false;
  return now->space == SPACE_SHARED ||
         (before == REACH_GPU && reach == REACH_GPU);
}

static bool check_others(const Cells *cells, int strength, uint32_t i,
                         const RaceAccess *now, Reach reach) {
  const Readers *others = cells->page->others[OTHER_WRITES][strength];
  Past past;
  ReadersAt at = {NULL, 0, 0};
  if (!others || is_exempt(strength, now, reach)) return false;
  while (readers_next(others, cells->first + i, &at, &past))
    if (check_past(cells, i, &past, now, reach)) return true;
  return false;
}

static void check_read(const Cells *cells, uint32_t i, const RaceAccess *now,
                       Reach reach) {
  bool told = check_write(cells, LAST_WRITE, i, now, reach) ||
              check_write(cells, WEAK_WRITE, i, now, reach);
  for (int j = 0;
       cells->page->has_others[OTHER_WRITES] && !told && j < NUM_REACHES; j++)
    told = check_others(cells, j, i, now, reach);
  if (!told && cells->page->crowds[OTHER_WRITES])
    race_crowd_read(cells, i, now, reach);
}

typedef struct {
  const Cells *cells;
  uint32_t i, count; // equal cells
  const RaceAccess *now;
  Past past;  // the write as a Past
  bool same;  // writes the value that is already there
  bool quiet; // `same`, and no read has found another value
} RaceWrite;

static const char *words_of(const RaceWrite *write, Other other) {
  return other == OTHER_READS ? "a write races with a read of"
         : write->same        ? "two writes of the same value race at"
                              : "two writes race at";
}

static Kind kind_of(const RaceWrite *write, Other other) {
  return write->same && other == OTHER_WRITES ? KIND_RACE_SAME_VALUE
                                              : KIND_RACE;
}

// A race of a read with a write of the same value is not reported.
static void report_write(const RaceWrite *write, const Past *before,
                         uint32_t lanes, Other other) {
  if (other == OTHER_READS && write->quiet) return;
  race_report(before, lanes, write->now, write->i * write->cells->bytes,
              kind_of(write, other), words_of(write, other));
}

// Whether a later access may race with `before` but not with `write`, so that
// `before` must be remembered, too.  If `write` is strong and of another warp
// than `before`, such an access is assumed to be possible.
static inline bool outlasts(const Past *before, const RaceWrite *write) {
  const Reach reach = reach_of(&write->past);
  if (!reach || reach > reach_of(before)) return reach;
  return !is_same_warp(before, &write->past) ||
         race_unordered(before, write->now, REACH_NONE);
}

// Reports the race with these lanes, if there is one.  Returns whether `before`
// must stay remembered.  A race of one kind at a cell is reported once.
static bool tell_before(const RaceWrite *write, const Past *before,
                        uint32_t lanes, Other other) {
  if (other == OTHER_WRITES)
    lanes = without_found(write->cells, write->i, before, lanes, write->now);
  if (!lanes) return outlasts(before, write);
  if (other == OTHER_READS || !is_one_store(before, &write->past, write->same))
    report_write(write, before, lanes, other);
  return other == OTHER_READS ? write->quiet : write->same;
}

// Whether `before` must stay remembered.
static inline bool check_before(const RaceWrite *write, const Past *before,
                                Other other) {
  const uint32_t lanes =
      race_unordered(before, write->now, reach_of(&write->past));
  return lanes ? tell_before(write, before, lanes, other)
               : outlasts(before, write);
}

// Whether the search for races with `others` may be left out.  After a report,
// the list of others is searched only for accesses to forget, each time that it
// has doubled: else many writes of one value would take quadratic time.
static bool may_pass(const RaceWrite *write, Other other, Readers *others) {
  if (!write->quiet) return false;
  const RaceAccess *now = write->now;
  if (other == OTHER_WRITES &&
      !report_is_moot(now->warp->cta->launch, KIND_RACE_SAME_VALUE, now->inst))
    return false;
  return !readers_are_due(others);
}

typedef struct OtherCheck {
  const RaceWrite *write;
  Other other;
} OtherCheck;

static bool stays_behind(void *context, const Past *past) {
  const OtherCheck *check = context;
  return check_before(check->write, past, check->other);
}

static void check_some(const RaceWrite *write, Other other, int strength) {
  Readers *others = write->cells->page->others[other][strength];
  if (!others || is_exempt(strength, write->now, reach_of(&write->past)))
    return;
  OtherCheck check = {write, other};
  if (!may_pass(write, other, others))
    readers_filter(others, write->cells->first + write->i, stays_behind,
                   &check);
}

static void check_crowd(const RaceWrite *write, Other other) {
  const bool is_read = other == OTHER_READS;
  const CrowdWrite crowd = {.other = other,
                            .reach = reach_of(&write->past),
                            .kind = kind_of(write, other),
                            .what = words_of(write, other),
                            .stays = is_read ? write->quiet : write->same};
  const Launch *launch = write->now->warp->cta->launch;
  if (!write->quiet ||
      (!is_read &&
       !report_is_moot(launch, KIND_RACE_SAME_VALUE, write->now->inst)))
    race_crowd_write(write->cells, write->i, write->now, &crowd);
}

static void check_more(const RaceWrite *write, Other other) {
  const RacePage *page = write->cells->page;
  for (int i = 0; page->has_others[other] && i < NUM_REACHES; i++)
    check_some(write, other, i);
  if (page->crowds[other]) check_crowd(write, other);
}

// The remaining reads move up.
static void check_reads(const RaceWrite *write) {
  const Cells *cells = write->cells;
  int to = FIRST_READ;
  for (int which = FIRST_READ; which < NUM_PASTS; which++) {
    const Past read = cell_past(cells, which, write->i);
    if (!read.what) return;
    const bool stays = check_before(write, &read, OTHER_READS);
    if (!stays || to < which)
      cells_forget(cells, which, write->i, write->count);
    if (stays && to < which &&
        !race_keep(cells, to, write->i, write->count, &read, write->now))
      race_crowd_add(cells, OTHER_READS, write->i, write->count, &read,
                     write->now);
    to += stays;
  }
}

// A write that comes after the start of a copy may still come before its end.
static void check_copies(const RaceWrite *write) {
  const Past copy = cell_past(write->cells, COPIES, write->i);
  if (copy.what)
    race_report(&copy, copy.lanes, write->now, write->i * write->cells->bytes,
                KIND_RACE, "a write races with a read by cp.async of");
}

// Checks the write against reads of bulk copies, running or over.
static void check_copy_reads(const RaceWrite *write) {
  const Cells *cells = write->cells;
  const uint32_t offset = (cells->first + write->i) * cells->bytes;
  Past read;
  uint32_t at = 0;
  while (copy_reads_next(cells->page, offset, &at, &read)) {
    if (read.clock != COPY_UNDER_WAY)
      check_before(write, &read, OTHER_READS);
    else if (!write->quiet)
      race_report(&read, read.lanes, write->now, write->i * cells->bytes,
                  KIND_RACE, "a write races with a read by cp.async of");
  }
}

// Remembers a write when another one becomes the last write.
static void keep_write(const RaceWrite *write, const Past *last) {
  const Past weak = cell_past(write->cells, WEAK_WRITE, write->i);
  if (reach_of(last) || weak.what || write->cells->page->is_crowded ||
      !race_keep(write->cells, WEAK_WRITE, write->i, write->count, last,
                 write->now))
    race_remember_more(write->cells, OTHER_WRITES, write->i, write->count, last,
                       write->now);
}

// Whether both are one write by several lanes of a warp, without a race.  A
// write whose lane has read the other one is a later write.
static bool is_one_write(const Past *last, const RaceWrite *write) {
  return race_is_at_once(last, &write->past) &&
         !(write->past.what & PAST_FINDS) &&
         (write->same || reach_of(&write->past));
}

static void check_writes(RaceWrite *write) {
  const Past weak = cell_past(write->cells, WEAK_WRITE, write->i);
  if (weak.what && !check_before(write, &weak, OTHER_WRITES))
    cells_forget(write->cells, WEAK_WRITE, write->i, write->count);
  const Past last = cell_past(write->cells, LAST_WRITE, write->i);
  if (!last.what) return;
  const bool stays = check_before(write, &last, OTHER_WRITES);
  if (is_one_write(&last, write))
    write->past.lanes |= last.lanes;
  else if (stays)
    keep_write(write, &last);
}

static void find_before(RaceWrite *write) {
  const uint32_t finds = found_write(write->cells, write->i, &write->past,
                                     write->now->warp, write->now->lane);
  write->past.what = (write->past.what & ~PAST_FINDS) | finds;
}

static void write_cell(RaceWrite *write) {
  assert(write->count && write->i + write->count <= write->cells->count &&
         "cells of no access"); // I6
  if (reach_of(&write->past)) find_before(write);
  check_writes(write);
  if (!write->quiet) check_copies(write);
  check_reads(write);
  if (write->cells->page->copy_reads) check_copy_reads(write);
  check_more(write, OTHER_READS);
  check_more(write, OTHER_WRITES);
  const bool is_weak = !reach_of(&write->past);
  if (is_weak && write->cells->page->crowds[OTHER_WRITES])
    race_crowd_overwrite(write->cells, write->i, write->now);
  race_remember_write(write->cells, write->i, write->count, &write->past,
                      write->now);
  SyncWord *word = is_weak ? cell_word_if_any(write->cells, write->i) : NULL;
  if (word && word != write->cells->page->other_words)
    sync_word_overwrite(word);
}

// A fast path for a weak write of cells that have only one earlier write, which
// it comes after, as in copies of large tiles; false: check each cell.
static bool overwrites_one(const Cells *cells, const RaceAccess *now,
                           const Past *past) {
  if (reach_of(past) || past->what & (PAST_UPDATES | PAST_FINDS) ||
      !cells_have_only_writes(cells) || !cells_are_alike(cells))
    return false;
  const Past last = cell_past(cells, LAST_WRITE, 0);
  if (race_unordered(&last, now, REACH_NONE) || race_is_at_once(&last, past))
    return false;
  race_remember_write(cells, 0, cells->count, past, now);
  return true;
}

// A fast path for lanes of a warp that write the same value as other lanes in
// the same store, as when a whole warp starts one bulk copy; false: check each
// cell.
static bool writes_again(const Cells *cells, const RaceAccess *now,
                         const Past *past) {
  Past last = cell_past(cells, LAST_WRITE, 0);
  if (!last.what || !is_one_store(&last, past, now->to) ||
      !race_is_at_once(&last, past) || reach_of(past) ||
      past->what & (PAST_UPDATES | PAST_FINDS) ||
      !cells_have_only_writes(cells) || !cells_are_alike(cells) ||
      now->to == now->old || memcmp(now->old, now->to, now->size))
    return false;
  last.lanes |= past->lanes;
  race_remember_write(cells, 0, cells->count, &last, now);
  return true;
}

static bool leaves_same(const Cells *cells, const RaceAccess *now, uint32_t i) {
  const uint32_t skip = i * cells->bytes;
  return now->to && !memcmp(now->old + skip, now->to + skip, cells->bytes);
}

// The number of cells, from the i-th on, that are alike for the write.
static uint32_t count_alike(const Cells *cells, const RaceAccess *now,
                            uint32_t i, Reach reach) {
  const RacePage *page = cells->page;
  if (reach || page_has_others(page) || page_has_words(page) ||
      copy_reads_any(page))
    return 1;
  const uint32_t most = cells_count_alike(cells, i);
  uint32_t count = 1;
  while (count < most &&
         leaves_same(cells, now, i + count) == leaves_same(cells, now, i))
    count++;
  return count;
}

static void write_cells(RacePage *page, uint32_t stamp, const RaceAccess *now,
                        Reach reach, uint32_t bits) {
  const Cells cells = race_cells(page, stamp, now);
  Past past = race_past(now, reach);
  past.what |= bits;
  if (overwrites_one(&cells, now, &past) || writes_again(&cells, now, &past))
    return;
  for (uint32_t i = 0, alike; i < cells.count; i += alike) {
    const bool same = leaves_same(&cells, now, i);
    alike = count_alike(&cells, now, i, reach);
    RaceWrite write = {
        &cells, i, alike, now, past, same, same && now->to != now->old};
    write_cell(&write);
  }
}

// -- Accesses ----------------------------------------------------------------

// Joins the clocks that strong writes have left at the word.  Before the first
// strong write there are none.
static void order_from_word(const RacePage *page, const RaceAccess *now,
                            Strength strength, bool is_red) {
  const SyncWord *word = race_sync_word_if_any(page, now->offset);
  if (word) order_read(now->warp, now->lane, &word->clocks, strength, is_red);
}

void race_read(RacePage *page, uint32_t stamp, const RaceAccess *now) {
  const Strength strength = strength_of(now->inst, false);
  const Cells cells = race_cells(page, stamp, now);
  if (strength.reach) {
    order_from_word(page, now, strength, false);
    poll_access(page, stamp, now, strength.reach, ACCESS_READ);
  }
  const Past past = race_past(now, strength.reach);
  const bool is_plain = !strength.reach && !page_has_words(page) &&
                        !page->has_others[OTHER_WRITES];
  for (uint32_t i = 0, alike; i < cells.count; i += alike) {
    alike = is_plain ? cells_count_alike(&cells, i) : 1;
    check_read(&cells, i, now, strength.reach);
    if (strength.reach) found_read(&cells, i, &past, now->warp, now->lane);
    race_remember_read(&cells, i, alike, past, now);
  }
}

void race_check_read(const Cells *cells, uint32_t i, const RaceAccess *now) {
  check_read(cells, i, now, REACH_NONE);
}

bool race_is_after(const RaceAccess *now, const Past *before) {
  return !race_unordered(before, now, REACH_NONE);
}

static void publish(RacePage *page, uint32_t stamp, const RaceAccess *now,
                    Strength strength, bool is_update) {
  if (!strength.reach) return;
  const bool leaves = order_publishes(now->warp, now->lane, strength);
  if (leaves) {
    poll_published(now, strength.reach);
    race_page_save_words(page, stamp, now->warp->cta->launch->clock_use);
  }
  if (!page_has_words(page) && !leaves) return;
  SyncWord *word = race_sync_word(page, stamp, now->offset);
  if (word)
    order_write(now->warp, now->lane, &word->clocks, strength,
                is_update || word == page->other_words);
}

void race_write(RacePage *page, uint32_t stamp, const RaceAccess *now) {
  const Strength strength = strength_of(now->inst, false);
  write_cells(page, stamp, now, strength.reach, 0);
  if (strength.reach)
    poll_access(page, stamp, now, strength.reach, ACCESS_WRITE);
  publish(page, stamp, now, strength, false);
}

void race_atomic(RacePage *page, uint32_t stamp, const RaceAccess *now) {
  const Strength strength = strength_of(now->inst, true);
  race_page_begin(page, stamp);
  order_from_word(page, now, strength, !now->inst->sub);
  write_cells(page, stamp, now, strength.reach,
              PAST_UPDATES | (now->inst->sub ? PAST_FINDS : 0));
  poll_access(page, stamp, now, strength.reach, ACCESS_ATOMIC);
  publish(page, stamp, now, strength, true);
}

void race_object(RacePage *page, uint32_t stamp, const RaceAccess *now,
                 Reach reach) {
  const Past past = race_past(now, reach);
  if (reach && race_remember_lane(page, stamp, now, &past)) return;
  write_cells(page, stamp, now, reach,
              now->inst->mode == WORD_INIT ? PAST_INITS : 0);
}

void race_wrote(RacePage *page, uint32_t stamp, const RaceAccess *now) {
  const Cells cells = race_cells(page, stamp, now);
  const Past past = race_past(now, REACH_NONE);
  if (cells.count) race_remember_write(&cells, 0, cells.count, &past, now);
}
