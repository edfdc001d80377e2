// visits.c -- checks accesses by other CTAs of a cluster to the memory of a CTA
// that ends.
//
// Shared memory exists until all threads of its CTA have returned.  Accesses of
// other CTAs must be over before that, and a thread of the CTA must know it.
#include "runtime/simulator/watch/watch.h"

#include "runtime/simulator/history/history.h"
#include "runtime/simulator/history/race_page.h"
#include "runtime/simulator/state/report.h"
#include "runtime/simulator/watch/proxy.h"

// A clock of all accesses that any thread of the CTA knows.
static Clock *known_by_all(const Cta *cta) {
  uint32_t times[MAX_ACTORS] = {0};
  Clock *all = NULL;
  for (uint32_t i = 0; i < cta->num_warps; i++) {
    const Warp *warp = &cta->warps[i];
    for (uint32_t j = 0; j < cta->num_actors; j++)
      if (cta->clocks[i][j] > times[j]) times[j] = cta->clocks[i][j];
    clock_add(&all, warp->known);
    for (int lane = 0; lane < LANES; lane++)
      clock_add(&all, order_known_alone(warp, lane));
  }
  const ClockRow row = order_row(cta, times);
  Clock *known = clock_with(all, &row);
  clock_drop(all);
  return known;
}

static void tell(const Cta *cta, const AsyncStart *by, uint32_t at) {
  report(by->warp, by->inst, by->lane, KIND_PEER_EXITED,
         "byte %u of shared memory of CTA %u,%u,%u of the cluster, which may "
         "have returned: nothing tells it that this is over",
         at, cta->index[0], cta->index[1], cta->index[2]);
}

static Warp *warp_of_past(const Cta *cta, const Past *past) {
  for (uint32_t i = 0; i < cta->cluster->num_ctas; i++)
    if (cta->cluster->ctas[i]->linear == past->cta)
      return &cta->cluster->ctas[i]->warps[warp_of(past)];
  return NULL;
}

static void check_past(const Cta *cta, const Clock *known, const Past *past,
                       uint32_t at) {
  if (!past->what || past->cta == cta->linear) return;
  const uint32_t lanes =
      clock_unknown(known, past->cta, warp_of(past), past->clock, past->lanes);
  Warp *warp = lanes ? warp_of_past(cta, past) : NULL;
  if (!warp) return;
  const AsyncStart by = {.warp = warp,
                         .inst = &cta->launch->code->insts[inst_of(past)],
                         .lane = __builtin_ctz(lanes)};
  tell(cta, &by, at);
}

// Checks the accesses that are kept outside of the cells.
static void check_others(const Cta *cta, const Clock *known, uint32_t i,
                         const Readers *others) {
  const uint32_t bytes = WORD_BYTES >> cta->pages[i].fine;
  for (uint32_t j = 0; others && j < RACE_PAGE_BYTES / bytes; j++) {
    ReadersAt at = {NULL, 0, 0};
    Past past;
    while (readers_next(others, j, &at, &past))
      check_past(cta, known, &past, i * RACE_PAGE_BYTES + j * bytes);
  }
}

// Reports a group if no member's access is known.
static void check_group(const Cta *cta, const Clock *known, const Crowd *crowd,
                        uint32_t group, uint32_t byte) {
  const Member *member;
  Past who = {.what = 0};
  for (uint32_t at = 0; (member = crowd_next(crowd, group, &at));) {
    who = member->past;
    if (who.cta == cta->linear ||
        clock_unknown(known, who.cta, warp_of(&who), who.clock, who.lanes) !=
            who.lanes)
      return;
  }
  check_past(cta, known, &who, byte);
}

static void check_crowd(const Cta *cta, const Clock *known, uint32_t i,
                        const Crowd *crowd) {
  const uint32_t bytes = WORD_BYTES >> cta->pages[i].fine;
  for (uint32_t j = 0; crowd && j < RACE_PAGE_BYTES / bytes; j++)
    for (uint32_t left = crowd_groups(crowd, j); left; left &= left - 1)
      check_group(cta, known, crowd, (uint32_t)__builtin_ctz(left),
                  i * RACE_PAGE_BYTES + j * bytes);
}

static void check_page(const Cta *cta, const Clock *known, uint32_t i) {
  const RacePage *page = &cta->pages[i];
  if (page->stamp != cta->stamp) return;
  const uint32_t bytes = WORD_BYTES >> page->fine;
  for (int which = 0; which < page->num_pasts; which++) {
    const Pasts *pasts = page->pasts[which];
    for (uint32_t j = 0; pasts && j < pasts->num_cells; j++) {
      const Past past = pasts_at(pasts, j);
      check_past(cta, known, &past, i * RACE_PAGE_BYTES + j * bytes);
    }
  }
  for (int other = 0; other < 2; other++)
    check_crowd(cta, known, i, page->crowds[other]);
  for (int which = 0; page_has_others(page) && which < 2 * NUM_REACHES; which++)
    check_others(cta, known, i,
                 page->others[which / NUM_REACHES][which % NUM_REACHES]);
}

void visits_check(Cta *cta) {
  if (!cta->is_visited || !(cta->launch->checks & CHECK_RACES)) return;
  Clock *known = known_by_all(cta);
  for (uint32_t i = 0; i <= cta->shared_end / RACE_PAGE_BYTES; i++)
    check_page(cta, known, i);
  async_each_unknown(cta, known, tell);
  clock_drop(known);
}
