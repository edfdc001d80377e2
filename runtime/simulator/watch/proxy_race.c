// proxy_race.c -- checks an operation against accesses of threads.
//
// An operation must come after the threads' accesses, as any access of its lane
// must, and after writes also by a proxy fence.  An access after an operation
// that writes comes after all accesses before the operation, so these are
// forgotten.
#include <stdio.h>
#include <string.h>

#include "runtime/simulator/history/history.h"
#include "runtime/simulator/memory/memory.h"
#include "runtime/simulator/state/report.h"
#include "runtime/simulator/watch/proxy_parts.h"
#include "runtime/simulator/watch/race.h"

// Consecutive cells of one page.
typedef struct Row {
  RacePage *page;
  uint32_t first, count, shift; // a cell has 1 << shift bytes
  uint32_t offset;              // of the first cell
} Row;

static void describe(const Touch *touch, const Past *before, uint32_t lanes,
                     char *out, size_t room) {
  const Launch *launch = touch->warp->cta->launch;
  char place[400], cta[48] = "";
  uint32_t index[3];
  cta_position(launch, before->cta, index);
  if (touch->warp->cta->cluster)
    snprintf(cta, sizeof cta, "CTA %u,%u,%u, ", index[0], index[1], index[2]);
  report_place(launch, &launch->code->insts[inst_of(before)], place,
               sizeof place);
  snprintf(out, room, "%swarp %u, lane %d at %s%s", cta, warp_of(before),
           __builtin_ctz(lanes), place,
           before->what & PAST_NEAR ? ", or near" : "");
}

static void tell_race(const Touch *touch, const Past *before, uint32_t lanes,
                      uint32_t at, const char *what) {
  char who[480];
  if (report_is_moot(touch->warp->cta->launch, KIND_RACE, touch->inst)) return;
  describe(touch, before, lanes, who, sizeof who);
  report(touch->warp, touch->inst, touch->lane, KIND_RACE,
         "a %s by %s races with a %s of byte %u of shared memory, by %s",
         touch->is_write ? "write" : "read", proxy_name(touch->inst), what, at,
         who);
}

static void tell_fence(const Touch *touch, const Past *before, uint32_t lanes,
                       uint32_t at) {
  char who[480];
  if (report_is_moot(touch->warp->cta->launch, KIND_PROXY_FENCE, touch->inst))
    return;
  describe(touch, before, lanes, who, sizeof who);
  report(touch->warp, touch->inst, touch->lane, KIND_PROXY_FENCE,
         "a %s by %s of byte %u of shared memory, with no fence.proxy.async "
         "since the write by %s",
         touch->is_write ? "write" : "read", proxy_name(touch->inst), at, who);
}

// The lanes of a write for which the lane knows no proxy fence.
static uint32_t not_fenced(const Warp *warp, int lane, const Past *past,
                           ClockPart part) {
  const uint32_t lanes = clock_unknown(clock_part(warp->known, part), past->cta,
                                       warp_of(past), past->clock, past->lanes);
  if (!lanes) return 0;
  return clock_unknown(clock_part(order_known_alone(warp, lane), part),
                       past->cta, warp_of(past), past->clock, lanes);
}

static void check_past(const Touch *touch, const Past *past, uint32_t at,
                       bool was_write) {
  uint32_t lanes = past_unknown(past, touch->warp, touch->lane);
  if (lanes) {
    tell_race(touch, past, lanes, at, was_write ? "write" : "read");
    return;
  }
  lanes = was_write && !touch->is_generic
              ? not_fenced(touch->warp, touch->lane, past, CLOCK_PROXY_SHARED)
              : 0;
  if (lanes) tell_fence(touch, past, lanes, at);
}

// Whether the accesses of all the warp's lanes at that time come before the
// operation, with a fence for writes.
static bool all_pass(const Touch *touch, const Past *past, bool was_write) {
  Past all = *past;
  all.lanes = UINT32_MAX;
  if (past->what & PAST_INITS || past_unknown(&all, touch->warp, touch->lane))
    return false;
  return !was_write || touch->is_generic ||
         !not_fenced(touch->warp, touch->lane, &all, CLOCK_PROXY_SHARED);
}

static bool is_at_once(const Past *a, const Past *b) {
  return a->clock == b->clock && is_same_warp(a, b);
}

// Checks a row of cells, which mostly the lanes of one warp have written, a few
// cells each.
static void check_row(const Touch *touch, const Row *row, int which) {
  const Pasts *pasts = page_pasts(row->page, which);
  const bool was_write = which < FIRST_READ;
  Past passed = {.what = 0};
  for (uint32_t i = 0; pasts && i < row->count; i++) {
    const Past past = pasts_at(pasts, row->first + i);
    if (!past.what || (passed.what && is_at_once(&past, &passed))) continue;
    if (all_pass(touch, &past, was_write))
      passed = past;
    else
      check_past(touch, &past, row->offset + (i << row->shift), was_write);
  }
}

// Checks the accesses that are kept outside of the cells.
static void check_others(const Touch *touch, const Row *row, Other other) {
  const bool has = row->page->has_others[other];
  for (int reach = 0; has && reach < NUM_REACHES; reach++) {
    const Readers *others = row->page->others[other][reach];
    for (uint32_t i = 0; others && i < row->count; i++) {
      ReadersAt at = {NULL, 0, 0};
      Past past;
      while (readers_next(others, row->first + i, &at, &past))
        check_past(touch, &past, row->offset + (i << row->shift),
                   other == OTHER_WRITES);
    }
  }
}

// A group surely races, or its writes surely need a fence, if this is so for
// each of its members (race_crowd.c).
static void check_group(const Touch *touch, const Crowd *crowd, uint32_t group,
                        uint32_t byte, bool was_write) {
  const Member *member;
  uint32_t at = 0, races = 0, wants = 0, count = 0;
  Past who = {.what = 0};
  while ((member = crowd_next(crowd, group, &at))) {
    who = member->past;
    who.what |= PAST_NEAR;
    const uint32_t lanes = past_unknown(&who, touch->warp, touch->lane);
    races += lanes == who.lanes;
    wants += !lanes && not_fenced(touch->warp, touch->lane, &who,
                                  CLOCK_PROXY_SHARED) == who.lanes;
    count++;
  }
  if (count && races == count)
    tell_race(touch, &who, who.lanes, byte, was_write ? "write" : "read");
  else if (count && wants == count && was_write && !touch->is_generic)
    tell_fence(touch, &who, who.lanes, byte);
}

static void check_crowd(const Touch *touch, const Row *row, Other other) {
  const Crowd *crowd = row->page->crowds[other];
  uint32_t before = 0;
  for (uint32_t i = 0; crowd && i < row->count; i++) {
    const uint32_t groups = crowd_groups(crowd, row->first + i);
    for (uint32_t left = groups == before ? 0 : groups; left; left &= left - 1)
      check_group(touch, crowd, (uint32_t)__builtin_ctz(left),
                  row->offset + (i << row->shift), other == OTHER_WRITES);
    before = groups;
  }
}

static void forget_row(const Row *row) {
  RacePage *page = row->page;
  for (int i = 0; i < 2; i++)
    if (page->crowds[i])
      crowd_take(page->crowds[i], row->first, row->count, UINT32_MAX);
  for (int i = 0; i < page->num_pasts; i++)
    if (page->pasts[i]) pasts_forget(page->pasts[i], row->first, row->count);
  for (int i = 0; page_has_others(page) && i < 2 * NUM_REACHES; i++)
    readers_forget(page->others[i / NUM_REACHES][i % NUM_REACHES], row->first,
                   row->count);
}

static void check_page(const Touch *touch, uint32_t offset, uint32_t size) {
  RacePage *page = &touch->cta->pages[offset / RACE_PAGE_BYTES];
  if (page->stamp != touch->cta->stamp) return;
  const uint32_t shift = 2u - page->fine;
  const Row row = {page, offset % RACE_PAGE_BYTES >> shift, size >> shift,
                   shift, offset};
  check_row(touch, &row, LAST_WRITE);
  check_row(touch, &row, WEAK_WRITE);
  check_others(touch, &row, OTHER_WRITES);
  check_crowd(touch, &row, OTHER_WRITES);
  if (!touch->is_write) return;
  for (int i = FIRST_READ; page_pasts(page, i); i++) check_row(touch, &row, i);
  check_others(touch, &row, OTHER_READS);
  check_crowd(touch, &row, OTHER_READS);
  forget_row(&row);
}

void proxy_check_cells(const Touch *touch) {
  const uint32_t end = touch->offset + touch->size;
  for (uint32_t at = touch->offset, next; at < end; at = next) {
    next = (at / RACE_PAGE_BYTES + 1) * RACE_PAGE_BYTES;
    if (next > end) next = end;
    check_page(touch, at, next - at);
  }
}

// -- Global memory -----------------------------------------------------------

void async_check_source(const RaceAccess *now, const Past *write,
                        uint32_t skip) {
  const Launch *launch = now->warp->cta->launch;
  const Inst *inst = &launch->code->insts[inst_of(write)];
  // A copy sees writes of other copies.
  if (inst->mode == WORD_BULK || write->what & PAST_NEAR) return;
  const uint32_t lanes =
      not_fenced(now->warp, now->lane, write, CLOCK_PROXY_GLOBAL);
  if (!lanes || report_is_moot(launch, KIND_PROXY_FENCE, now->inst)) return;
  char where[80], place[400];
  uint32_t index[3];
  memory_describe(launch, now->warp->last, where, sizeof where);
  cta_position(launch, write->cta, index);
  report_place(launch, inst, place, sizeof place);
  report(now->warp, now->inst, now->lane, KIND_PROXY_FENCE,
         "a read by %s of byte %llu of %s, with no fence.proxy.async since the "
         "write by CTA %u,%u,%u, warp %u, lane %d at %s",
         proxy_name(now->inst), (unsigned long long)now->offset + skip, where,
         index[0], index[1], index[2], warp_of(write), __builtin_ctz(lanes),
         place);
}
