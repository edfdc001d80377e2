// shadow.c -- checks an access that is within its memory.
//
// Each byte of shared memory has a state; for global memory there is one bit,
// written or not, if the check is wanted.  race.c checks for races.
//
// For example, cp.async of 4 bytes makes bytes 0 to 3 SHARED_PENDING: a load of
// them is reported as async-read.  Behind the wait they are SHARED_WRITTEN.  A
// load of bytes 8 to 11, which no store has written, is reported as
// uninitialised.
#include "runtime/simulator/watch/shadow.h"

#include <assert.h>
#include <string.h>

#include "runtime/simulator/state/report.h"
#include "runtime/simulator/watch/proxy.h"

static bool checks(const Warp *warp, Check check) {
  return warp->cta->launch->checks & check;
}

// -- Shared memory -----------------------------------------------------------

static RacePage *shared_page(Cta *cta, uint64_t offset) {
  return cta->launch->checks & CHECK_RACES
             ? &cta->pages[offset / RACE_PAGE_BYTES]
             : NULL;
}

static void report_unready(const RaceAccess *now) {
  const uint8_t *state = now->home->shared_state + now->offset;
  for (uint32_t i = 0; i < now->size; i++) {
    if (state[i] == SHARED_WRITTEN) continue;
    const bool pending = state[i] == SHARED_PENDING;
    report(now->warp, now->inst, now->lane,
           pending ? KIND_ASYNC_READ : KIND_UNINITIALISED,
           "read of %u bytes at byte %llu of shared memory%s", now->size,
           (unsigned long long)now->offset,
           pending ? ", which cp.async is filling" : "");
    return;
  }
}

static void report_pending(const RaceAccess *now) {
  const uint8_t *state = now->home->shared_state + now->offset;
  if (!memchr(state, SHARED_PENDING, now->size)) return;
  report(now->warp, now->inst, now->lane, KIND_ASYNC_WRITE,
         "write of %u bytes at byte %llu of shared memory, which cp.async is "
         "filling",
         now->size, (unsigned long long)now->offset);
}

static void report_unwritten_atomic(const RaceAccess *now) {
  if (memchr(now->home->shared_state + now->offset, SHARED_UNWRITTEN,
             now->size))
    report(now->warp, now->inst, now->lane, KIND_UNINITIALISED,
           "atomic on %u bytes at byte %llu of shared memory", now->size,
           (unsigned long long)now->offset);
}

static void check_state(const RaceAccess *now, Access access) {
  if (access == ACCESS_READ) {
    report_unready(now);
    return;
  }
  if (access == ACCESS_ATOMIC) report_unwritten_atomic(now);
  report_pending(now);
  memset(now->home->shared_state + now->offset, SHARED_WRITTEN, now->size);
}

// -- Global memory -----------------------------------------------------------

static void check_written(Warp *warp, const Inst *inst, int lane,
                          uint64_t offset, uint32_t size, Access access) {
  const Allocation *allocation = warp->last;
  uint8_t *written = allocation->written + offset;
  if (access != ACCESS_WRITE && memchr(written, 0, size)) {
    char name[80];
    memory_describe(warp->cta->launch, allocation, name, sizeof name);
    report(warp, inst, lane, KIND_UNINITIALISED,
           "%s of %u bytes at byte %llu of %s",
           access == ACCESS_READ ? "read" : "atomic", size,
           (unsigned long long)offset, name);
  }
  if (access != ACCESS_READ) memset(written, 1, size);
}

// -- Both --------------------------------------------------------------------

static uint32_t stamp_of(const RaceAccess *now) {
  return now->space == SPACE_SHARED ? now->home->stamp
                                    : now->warp->cta->launch->stamp;
}

static void check_race(RacePage *page, const RaceAccess *now, Access access) {
  const uint32_t stamp = stamp_of(now);
  assert(now->space == SPACE_SHARED ||
         __atomic_load_n(&page->lock, __ATOMIC_RELAXED)); // I1
  if (access == ACCESS_READ)
    race_read(page, stamp, now);
  else if (access == ACCESS_WRITE)
    race_write(page, stamp, now);
  else
    race_atomic(page, stamp, now);
}

static RacePage *enter_shared(const RaceAccess *now, Access access) {
  if (!checks(now->warp, CHECK_SHARED)) return NULL;
  RacePage *page = shared_page(now->home, now->offset);
  if (page) check_race(page, now, access);
  if (page && now->home->async_shadow) async_check(now, access != ACCESS_READ);
  check_state(now, access);
  return NULL; // NULL: only this host thread uses it
}

// Begins the records of a page at the first access of the launch.
static void begin_far(RacePage *page, const RaceAccess *now) {
  Launch *launch = now->warp->cta->launch;
  race_page_restart(page, launch->stamp);
  page->number = (uint16_t)(now->offset / RACE_PAGE_BYTES);
  launch->far.pages++;
  launch->far.bytes += page->purse.used;
  page->purse.total = &launch->far;
}

// The page of the allocation found last, locked; NULL: it is not checked.
static RacePage *lock_global(const RaceAccess *now) {
  const Allocation *allocation = now->warp->last;
  if (allocation->is_const || !checks(now->warp, CHECK_RACES) ||
      !allocation->pages)
    return NULL;
  RacePage *page = &allocation->pages[now->offset / RACE_PAGE_BYTES];
  race_lock(page);
  if (page->stamp != now->warp->cta->launch->stamp) begin_far(page, now);
  return page;
}

static void check_global(const RaceAccess *now, Access access) {
  const Allocation *allocation = now->warp->last;
  if (!allocation->is_const && allocation->written &&
      checks(now->warp, CHECK_GLOBAL))
    check_written(now->warp, now->inst, now->lane, now->offset, now->size,
                  access);
}

static RacePage *enter_global(RaceAccess *now, Access access) {
  RacePage *page = lock_global(now);
  if (page) check_race(page, now, access);
  check_global(now, access);
  return page;
}

RacePage *shadow_check(Warp *warp, const Inst *inst, int lane,
                       const Place *place, uint32_t size, Access access,
                       const uint8_t *bytes) {
  if (place->space != SPACE_SHARED && place->space != SPACE_GLOBAL) return NULL;
  RaceAccess now = {.warp = warp,
                    .inst = inst,
                    .lane = lane,
                    .home = place->cta,
                    .space = place->space,
                    .offset = place->offset,
                    .size = size,
                    .old = place->host,
                    .to = bytes};
  if (place->space == SPACE_SHARED) return enter_shared(&now, access);
  now.offset = place->offset - warp->last->start;
  return enter_global(&now, access);
}

// -- cp.async ----------------------------------------------------------------

// The page of a copy's source, locked if it is global memory.
static RacePage *lock_source(const RaceAccess *now) {
  return now->space == SPACE_SHARED ? shared_page(now->home, now->offset)
                                    : lock_global(now);
}

static void check_source(const RaceAccess *now) {
  if (now->space == SPACE_GLOBAL)
    check_global(now, ACCESS_READ);
  else if (checks(now->warp, CHECK_SHARED))
    report_unready(now);
}

// The page that shadow_exit() unlocks: none for shared memory, which only one
// host thread uses.
static RacePage *locked(const RaceAccess *now, RacePage *page) {
  return now->space == SPACE_SHARED ? NULL : page;
}

static RaceAccess source_of(Warp *warp, const Inst *inst, int lane,
                            const Place *place, uint32_t size) {
  const bool is_shared = place->space == SPACE_SHARED;
  return (RaceAccess){.warp = warp,
                      .inst = inst,
                      .lane = lane,
                      .home = place->cta,
                      .space = place->space,
                      .offset = is_shared ? place->offset
                                          : place->offset - warp->last->start,
                      .size = size};
}

RacePage *shadow_copy_starts(Warp *warp, const Inst *inst, int lane,
                             const Place *place, uint32_t size) {
  if (!warp->cta->launch->checks) return NULL;
  const RaceAccess now = source_of(warp, inst, lane, place, size);
  RacePage *page = lock_source(&now);
  if (page) race_copy_starts(page, stamp_of(&now), &now);
  check_source(&now);
  return locked(&now, page);
}

RacePage *shadow_copy_marks(Warp *warp, const Inst *inst, int lane,
                            const Place *place, uint32_t size) {
  if (!warp->cta->launch->checks) return NULL;
  const RaceAccess now = source_of(warp, inst, lane, place, size);
  RacePage *page = lock_source(&now);
  if (page) race_copy_marks(page, stamp_of(&now), &now);
  return locked(&now, page);
}

RacePage *shadow_copy_ends(Warp *warp, const Inst *inst, int lane,
                           const Place *place, uint32_t size, uint32_t time) {
  if (!warp->cta->launch->checks) return NULL;
  RaceAccess now = source_of(warp, inst, lane, place, size);
  now.time = time;
  RacePage *page = lock_source(&now);
  if (page) race_copy_ends(page, stamp_of(&now), &now);
  return locked(&now, page);
}

// A cp.async may write at any time from now until its wait.
void shadow_async(Warp *warp, const Inst *inst, int lane, const Place *place,
                  uint32_t size) {
  if (!checks(warp, CHECK_SHARED)) return;
  shadow_enter(warp, inst, lane, place, size, ACCESS_WRITE, NULL);
  memset(warp->cta->shared_state + place->offset, SHARED_PENDING, size);
}

void shadow_async_touch(Cta *cta, Warp *warp, const Inst *inst, int lane,
                        uint32_t offset, uint32_t size, bool is_write) {
  uint8_t *state = cta->shared_state + offset;
  const char *what = is_write ? "write" : "read";
  if (memchr(state, SHARED_PENDING, size))
    report(warp, inst, lane, is_write ? KIND_ASYNC_WRITE : KIND_ASYNC_READ,
           "%s of %u bytes at byte %u of shared memory, which cp.async is "
           "filling",
           what, size, offset);
  const uint8_t *unwritten =
      is_write ? NULL : memchr(state, SHARED_UNWRITTEN, size);
  if (unwritten)
    report(warp, inst, lane, KIND_UNINITIALISED,
           "read of byte %u of shared memory",
           offset + (uint32_t)(unwritten - state));
  if (is_write) memset(state, SHARED_WRITTEN, size);
}

// The copy is ordered like a write at the wait.
void shadow_arrived(Warp *warp, const Inst *inst, int lane, uint64_t offset,
                    uint32_t size) {
  if (!checks(warp, CHECK_SHARED)) return;
  const RaceAccess now = {.warp = warp,
                          .inst = inst,
                          .lane = lane,
                          .home = warp->cta,
                          .space = SPACE_SHARED,
                          .offset = offset,
                          .size = size};
  RacePage *page = shared_page(warp->cta, offset);
  if (page) race_wrote(page, warp->cta->stamp, &now);
  memset(warp->cta->shared_state + offset, SHARED_WRITTEN, size);
}

// -- mbarriers ---------------------------------------------------------------

// Offsets of the words at which arrivals leave clocks: for the current phase,
// and for the last one.
enum { UNDER_WAY = 0, OVER = 4 };

static SyncWord *mbarrier_word(Cta *cta, uint32_t offset) {
  if (!(cta->launch->checks & CHECK_RACES)) return NULL;
  return race_own_word(&cta->pages[offset / RACE_PAGE_BYTES], cta->stamp,
                       offset);
}

void shadow_mbarrier(Warp *warp, const Inst *inst, int lane, const Place *place,
                     bool is_write) {
  if (!checks(warp, CHECK_SHARED)) return;
  const RaceAccess now = {.warp = warp,
                          .inst = inst,
                          .lane = lane,
                          .home = place->cta,
                          .space = SPACE_SHARED,
                          .offset = place->offset,
                          .size = 8,
                          .old = place->host};
  RacePage *page = shared_page(place->cta, place->offset);
  if (page)
    race_object(page, place->cta->stamp, &now,
                is_write ? REACH_NONE : REACH_CTA);
  memset(place->cta->shared_state + place->offset, SHARED_WRITTEN, 8);
}

void shadow_mbarrier_arrive(Warp *warp, uint32_t lanes, Cta *cta,
                            uint32_t offset, bool releases) {
  SyncWord *word = mbarrier_word(cta, offset + UNDER_WAY);
  const Strength release = {.reach = REACH_CTA, .releases = releases};
  if (word) order_write_together(warp, lanes, &word->clocks, release);
}

void shadow_mbarrier_left(Cta *cta, uint32_t offset, Clock *clock) {
  SyncWord *word = mbarrier_word(cta, offset + UNDER_WAY);
  if (word) word_clocks_leave(&word->clocks, cta->first, clock, NULL, true);
}

void shadow_mbarrier_over(Cta *cta, uint32_t offset) {
  SyncWord *now = mbarrier_word(cta, offset + UNDER_WAY);
  SyncWord *over = mbarrier_word(cta, offset + OVER);
  if (now && over) sync_word_move(over, now);
}

void shadow_mbarrier_passed(Warp *warp, uint32_t lanes, uint32_t offset,
                            bool acquires) {
  const SyncWord *word = mbarrier_word(warp->cta, offset + OVER);
  const Strength acquire = {.reach = REACH_CTA, .acquires = acquires};
  if (word) order_read_together(warp, lanes, &word->clocks, acquire);
}
