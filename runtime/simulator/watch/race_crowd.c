// race_crowd.c -- races with crowds: groups of which some member has accessed a
// cell.
//
// If each member of a group races with an access, a race is certain (crowd.h).
// Accesses that are known to all threads that may still come are forgotten
// before later ones of the same members are added, so that the first access of
// a member is recent.
//
// For example, warps 1 and 2 form a group that has read a cell.  Warp 3 writes
// the cell: if its clock knows neither read, the race is reported; if it knows
// the read of warp 1 only, the reader may have been warp 1, and nothing is
// reported.
#include "runtime/simulator/history/history.h"
#include "runtime/simulator/watch/race_parts.h"

// -- Known to all ------------------------------------------------------------

// Whether all lanes of a warp, and its running copies, know the warp of the
// access up to that time.
static bool is_known_to(const Warp *warp, const Past *past, uint32_t time) {
  if (!warp->live && !warp->num_bulks && !warp->num_stores) return true;
  const Cta *cta = warp->cta;
  return cta->linear == past->cta
             ? cta->clocks[warp->index][warp_of(past)] >= time
             : clock_warp_time(warp->known, past->cta, warp_of(past)) >= time;
}

// Whether all lanes that may access the CTA's shared memory know the access.
static bool is_known_to_all(Cta *home, const Past *past, uint32_t time) {
  for (uint32_t i = 0; i < cluster_size(home); i++) {
    const Cta *cta = cluster_at(home, i);
    for (uint32_t j = 0; j < cta->num_warps; j++)
      if (!is_known_to(&cta->warps[j], past, time)) return false;
  }
  return true;
}

// A write that is known to all may still need a fence before a copy.
static bool may_forget(const RaceAccess *now, Other other) {
  return now->space == SPACE_SHARED &&
         (other == OTHER_READS || !now->home->async_shadow);
}

static bool is_over(Crowd *crowd, uint32_t group, const RaceAccess *now) {
  const Member *member;
  uint32_t at = 0;
  while ((member = crowd_next(crowd, group, &at)))
    if (!is_known_to_all(now->home, &member->past, member->latest))
      return false;
  return true;
}

// Forgets the accesses of the member's group before this one, if they are known
// to all.
static void renew(Crowd *crowd, Other other, const Past *past,
                  const RaceAccess *now) {
  const Member *member = crowd_member(crowd, past);
  if (!member || past->clock <= member->latest || !may_forget(now, other))
    return;
  const uint32_t group = crowd_group_of(crowd, member);
  if (is_over(crowd, (uint32_t)__builtin_ctz(group), now))
    crowd_forget(crowd, group);
}

// -- Adding ------------------------------------------------------------------

static Crowd *crowd_of(RacePage *page, Other other, const RaceAccess *now) {
  const CrowdKind kind = page->is_near                          ? CROWD_NEAR
                         : now->warp->cta->launch->num_ctas > 1 ? CROWD_BY_CTA
                                                                : CROWD_ALONE;
  Crowd **crowd = &page->crowds[other];
  if (!*crowd) *crowd = crowd_create(page->fine, kind);
  return *crowd;
}

static void add(const Cells *cells, Other other, uint32_t i, uint32_t count,
                const Past *past, const RaceAccess *now) {
  RacePage *page = cells->page;
  const Crowd *old = page->crowds[other];
  const size_t before = old ? crowd_bytes(old) : 0;
  Crowd *crowd = crowd_of(page, other, now);
  if (!crowd) return;
  page->has_others[other] = true;
  renew(crowd, other, past, now);
  crowd_add(crowd, cells->first + i, count, past);
  const size_t more = crowd_bytes(crowd) - before;
  if (more) race_page_pay(page, more);
  if (more) race_crowd_fit(page, now);
}

void race_crowd_add(const Cells *cells, Other other, uint32_t i, uint32_t count,
                    const Past *past, const RaceAccess *now) {
  if (!cells->page->is_crowded) race_crowd_page(cells, now);
  add(cells, other, i, count, past, now);
}

// -- Crowding ----------------------------------------------------------------

// Adds an access of a cell of the page to the crowd, unless it is known to all.
static void move(const Cells *all, Other other, uint32_t cell, const Past *past,
                 const RaceAccess *now) {
  if (may_forget(now, other) && is_known_to_all(now->home, past, past->clock))
    return;
  add(all, other, cell, 1, past, now);
}

static void move_cells(const Cells *all, int which, const RaceAccess *now) {
  const Pasts *pasts = page_pasts(all->page, which);
  const Other other = which < FIRST_READ ? OTHER_WRITES : OTHER_READS;
  for (uint32_t i = 0; pasts && i < pasts->num_cells; i++) {
    const Past past = pasts_at(pasts, i);
    if (past.what) move(all, other, i, &past, now);
  }
}

static void move_others(const Cells *all, Other other, int reach,
                        const RaceAccess *now) {
  const Readers *others = all->page->others[other][reach];
  for (uint32_t i = 0; others && i < all->count; i++) {
    ReadersAt at = {NULL, 0, 0};
    Past past;
    while (readers_next(others, i, &at, &past)) move(all, other, i, &past, now);
  }
}

static Cells all_cells(RacePage *page) {
  return (Cells){page, 0, RACE_PAGE_BYTES / WORD_BYTES << page->fine,
                 WORD_BYTES >> page->fine};
}

// Moves last writes to new cells, which need less memory.
static void move_writes(RacePage *page, const RaceAccess *now) {
  const Cells all = all_cells(page);
  Pasts *writes = race_page_take_writes(page);
  for (uint32_t i = 0; writes && i < writes->num_cells; i++) {
    const Past past = pasts_at(writes, i);
    if (past.what) race_remember_write(&all, i, 1, &past, now);
  }
  pasts_destroy(writes);
}

void race_crowd_page(const Cells *cells, const RaceAccess *now) {
  RacePage *page = cells->page;
  const Cells all = all_cells(page);
  for (int i = 0; i < page->num_pasts; i++)
    if (i != LAST_WRITE && i != COPIES) move_cells(&all, i, now);
  for (int i = 0; i < 2 * NUM_REACHES; i++)
    move_others(&all, (Other)(i / NUM_REACHES), i % NUM_REACHES, now);
  race_page_crowd(page);
  if (!page->is_near) now->warp->cta->launch->far.crowded++;
  move_writes(page, now);
}

// Moves the last writes of a crowded page that has become too large again.
void race_crowd_fit(RacePage *page, const RaceAccess *now) {
  if (page->is_crowded && page->purse.used > page->purse.most)
    move_writes(page, now);
}

static void fit_finer(const Cells *cells, const RaceAccess *now) {
  RacePage *page = cells->page;
  race_crowd_fit(page, now);
  while (page->purse.used > page->purse.most && race_lend(page, now)) {
  }
  if (!page->is_crowded && page->purse.used > page->purse.most)
    race_crowd_page(cells, now);
}

Cells race_cells(RacePage *page, uint32_t stamp, const RaceAccess *now) {
  race_page_begin(page, stamp);
  const int fine = page->fine;
  const Cells cells = cells_of(page, stamp, now->offset, now->size);
  if (page->fine > fine) fit_finer(&cells, now);
  return cells;
}

// -- Looking -----------------------------------------------------------------

// Whether the lane knows a CTA of the same class, or is in one.
static bool knows_any_cta(const RaceAccess *now, uint32_t cta) {
  const Warp *warp = now->warp;
  const uint32_t class = cta_class(cta);
  return cta_class(warp->cta->linear) == class ||
         clock_knows_any(warp->known, class) ||
         clock_knows_any(order_known_alone(warp, now->lane), class);
}

typedef enum { NEVER, MAYBE, SURELY } Chance;

// Whether the access races with the member's, if both are of the same bytes.
static Chance chance_of(const Cells *cells, Other other, uint32_t i,
                        const Crowd *crowd, const Past *past,
                        const RaceAccess *now, Reach reach) {
  const bool is_found = other == OTHER_WRITES && reach_of(past) &&
                        found_any(cells, i, now->warp, now->lane);
  if (crowd_is_by_cta(crowd))
    return is_found || knows_any_cta(now, past->cta) ? MAYBE : SURELY;
  const uint32_t lanes = race_unordered(past, now, reach);
  if (!lanes) return NEVER;
  if (is_found) return MAYBE;
  return lanes == past->lanes ? SURELY : MAYBE;
}

// SURELY if the access races with each member of the group, NEVER if with none,
// else MAYBE; `who` gets the last member that was checked.
static Chance chance_of_group(const Cells *cells, Other other, uint32_t i,
                              uint32_t group, const RaceAccess *now,
                              Reach reach, Past *who) {
  const Crowd *crowd = cells->page->crowds[other];
  const Member *member;
  uint32_t at = 0;
  Chance all = NEVER;
  while ((member = crowd_next(crowd, group, &at))) {
    const Chance chance =
        chance_of(cells, other, i, crowd, &member->past, now, reach);
    const bool is_first = !who->what;
    *who = member->past;
    if (chance == MAYBE || (!is_first && chance != all)) return MAYBE;
    all = chance;
  }
  who->what |= PAST_NEAR;
  return all;
}

// The groups of a cell that may race with an access of that reach.
static uint32_t groups_of(const Crowd *crowd, uint32_t cell, Reach reach) {
  const uint32_t groups = crowd_groups(crowd, cell);
  return reach ? groups & ~crowd_strong_groups(crowd) : groups;
}

bool race_crowd_read(const Cells *cells, uint32_t i, const RaceAccess *now,
                     Reach reach) {
  const Crowd *crowd = cells->page->crowds[OTHER_WRITES];
  uint32_t groups = groups_of(crowd, cells->first + i, reach);
  for (; groups; groups &= groups - 1) {
    Past who = {.what = 0};
    if (chance_of_group(cells, OTHER_WRITES, i, (uint32_t)__builtin_ctz(groups),
                        now, reach, &who) != SURELY)
      continue;
    race_report(&who, who.lanes, now, i * cells->bytes, KIND_RACE,
                "a read races with a write of");
    return true;
  }
  return false;
}

// Whether the write repeats the value of another lane in the same store.
static bool repeats(const CrowdWrite *write, const Past *who,
                    const RaceAccess *now) {
  return write->kind == KIND_RACE_SAME_VALUE &&
         who->cta == now->warp->cta->linear && warp_of(who) == now->warp->index;
}

void race_crowd_write(const Cells *cells, uint32_t i, const RaceAccess *now,
                      const CrowdWrite *write) {
  Crowd *crowd = cells->page->crowds[write->other];
  const uint32_t cell = cells->first + i;
  uint32_t groups = groups_of(crowd, cell, write->reach);
  for (; groups; groups &= groups - 1) {
    Past who = {.what = 0};
    const uint32_t group = (uint32_t)__builtin_ctz(groups);
    const Chance chance =
        chance_of_group(cells, write->other, i, group, now, write->reach, &who);
    if (chance == SURELY && !repeats(write, &who, now))
      race_report(&who, who.lanes, now, i * cells->bytes, write->kind,
                  write->what);
    if (chance == SURELY ? !write->stays : chance == NEVER && !write->reach)
      crowd_take(crowd, cell, 1, UINT32_C(1) << group);
  }
}

void race_crowd_overwrite(const Cells *cells, uint32_t i,
                          const RaceAccess *now) {
  Crowd *crowd = cells->page->crowds[OTHER_WRITES];
  const uint32_t strong = crowd_strong_groups(crowd);
  if (strong && found_any(cells, i, now->warp, now->lane))
    crowd_take(crowd, cells->first + i, 1, strong);
}
