// wgmma_reads.c -- reads of shared memory by wgmma.
//
// A product is an operation that its first warp starts (proxy.h).  The other
// warps must know the writes of its operands, by threads and copies, as well.
#include "runtime/simulator/matrix/wgmma.h"

#include "runtime/simulator/history/history.h"
#include "runtime/simulator/state/report.h"
#include "runtime/simulator/watch/proxy.h"
#include "runtime/simulator/watch/watch.h"

// Whether the warp of the read knows the write.  Raises the time that the other
// warps must know; a write by another CTA is checked by each of them.
static bool is_known(Past write, const RaceAccess *now, uint32_t *needs) {
  if (!write.what) return true;
  uint32_t *need = &needs[warp_of(&write)];
  if (write.cta != now->warp->cta->linear)
    *need = UINT32_MAX;
  else if (write.clock > *need)
    *need = write.clock;
  return !past_unknown(&write, now->warp, now->lane);
}

// The same for the writes of a crowd.  If a group has several members, it is
// unknown which of them wrote the bytes, so the answer is no.
static bool is_crowd_known(const Cells *cells, uint32_t i,
                           const RaceAccess *now, uint32_t *needs) {
  const Crowd *crowd = cells->page->crowds[OTHER_WRITES];
  uint32_t groups = crowd ? crowd_groups(crowd, cells->first + i) : 0;
  bool knows = true;
  for (; groups; groups &= groups - 1) {
    const uint32_t group = (uint32_t)__builtin_ctz(groups);
    uint32_t at = 0;
    const Member *member = crowd_next(crowd, group, &at);
    if (member && !crowd_next(crowd, group, &at))
      knows &= is_known(member->past, now, needs);
    else
      knows = false;
  }
  return knows;
}

// The same for the writes of a cell besides the last one.
static bool are_others_known(const Cells *cells, uint32_t i,
                             const RaceAccess *now, uint32_t *needs) {
  const RacePage *page = cells->page;
  bool knows = true;
  for (int j = 0; page->has_others[OTHER_WRITES] && j < NUM_REACHES; j++) {
    const Readers *others = page->others[OTHER_WRITES][j];
    ReadersAt at = {NULL, 0, 0};
    Past write;
    while (others && readers_next(others, cells->first + i, &at, &write))
      knows &= is_known(write, now, needs);
  }
  return knows & is_crowd_known(cells, i, now, needs);
}

// Raises the times in `needs`; `tells`: reports writes that the warp does not
// know.
static void check_writers(const RaceAccess *now, uint32_t *needs, bool tells) {
  RacePage *page = &now->home->pages[now->offset / RACE_PAGE_BYTES];
  const Cells cells = cells_of(page, now->home->stamp, now->offset, now->size);
  // Mostly one write has written all cells.
  const bool is_one = !page->has_others[OTHER_WRITES] &&
                      cells_have_none(&cells, WEAK_WRITE) &&
                      cells_are_alike(&cells);
  const uint32_t count = is_one ? 1 : cells.count;
  for (uint32_t i = 0; i < count; i++) {
    const bool knows = is_known(cell_past(&cells, LAST_WRITE, i), now, needs) &
                       is_known(cell_past(&cells, WEAK_WRITE, i), now, needs) &
                       are_others_known(&cells, i, now, needs);
    if (tells && !knows) race_check_read(&cells, i, now);
  }
}

// Records a read of bytes within one page of the race checker.
static void read_bytes(Warp *warp, Wgmma *wgmma, uint32_t place,
                       uint32_t size) {
  Cta *cta = warp->cta;
  if (!wgmma->came && wgmma->operation &&
      async_reads(cta, wgmma->operation, place, size))
    return; // a lane that knows the last bytes knows these, too
  const RaceAccess now = {.warp = warp,
                          .inst = wgmma->inst,
                          .home = cta,
                          .space = SPACE_SHARED,
                          .offset = place,
                          .size = size};
  if (!(cta->launch->checks & CHECK_RACES)) return;
  check_writers(&now, wgmma->needs, wgmma->came);
  if (wgmma->came)
    async_check(&now, false);
  else
    async_raise_times(cta, place, size, &wgmma->writer, wgmma->needs);
}

static bool is_inside(Warp *warp, const Inst *inst, uint32_t place) {
  const Cta *cta = warp->cta;
  if (place + ATOM_BYTES <= cta->shared_size) return true;
  report(warp, inst, 0, KIND_OUT_OF_BOUNDS,
         "read of %d bytes at byte %u of shared memory, which has %u, by a "
         "descriptor",
         ATOM_BYTES, place, cta->shared_size);
  return false;
}

// The two atoms of a line are mostly adjacent.
static bool read_line(Warp *warp, Wgmma *wgmma, const WgmmaMatrix *matrix,
                      uint32_t line) {
  const uint32_t across = matrix_across(matrix);
  for (uint32_t i = 0; i < across; i++) {
    const uint32_t place = matrix_place(matrix, line, i);
    if (!is_inside(warp, wgmma->inst, place)) return false;
    const uint32_t pair = place & ~(uint32_t)ATOM_BYTES;
    const bool goes_on =
        i + 1 < across &&
        matrix_place(matrix, line, i + 1) == (place ^ (uint32_t)ATOM_BYTES) &&
        pair + 2 * ATOM_BYTES <= warp->cta->shared_size;
    read_bytes(warp, wgmma, goes_on ? pair : place,
               goes_on ? 2 * ATOM_BYTES : ATOM_BYTES);
    i += goes_on;
  }
  return true;
}

static bool read_matrix(Warp *warp, Wgmma *wgmma, const WgmmaMatrix *matrix) {
  for (uint32_t line = 0; line < matrix_lines(matrix); line++)
    if (!read_line(warp, wgmma, matrix, line)) return false;
  return true;
}

static Step read_matrices(Warp *warp, Wgmma *wgmma) {
  const Inst *inst = wgmma->inst;
  const WgmmaMatrix a = wgmma_matrix(wgmma->a, inst->sub & WGMMA_TRANS_A,
                                     WGMMA_ROWS, WGMMA_A_BYTES);
  const WgmmaMatrix b = wgmma_matrix(wgmma->b, inst->sub & WGMMA_TRANS_B,
                                     inst->columns, wgmma_row_bytes(inst));
  if (!(inst->sub & WGMMA_A_HELD) && !read_matrix(warp, wgmma, &a))
    return STEP_FAULT;
  return read_matrix(warp, wgmma, &b) ? STEP_NEXT : STEP_FAULT;
}

static bool knows_all(const Warp *warp, const Wgmma *wgmma) {
  const uint32_t *known = warp->cta->clocks[warp->index];
  for (uint32_t i = 0; i < warp->cta->num_actors; i++)
    if (known[i] < wgmma->needs[i]) return false;
  return true;
}

Step wgmma_may_read(Warp *warp, Wgmma *wgmma) {
  const bool is_first = !wgmma->came;
  if (is_first && warp->cta->launch->checks & CHECK_SHARED)
    wgmma->operation = async_begin_group(warp, wgmma->inst);
  if (wgmma->operation) async_joins(warp, wgmma->operation);
  return is_first || !knows_all(warp, wgmma) ? read_matrices(warp, wgmma)
                                             : STEP_NEXT;
}

// A write of a warp before it issued the product comes before the product, even
// if the others had issued it before the write.
Step wgmma_reads_behind(Warp *warp, Wgmma *wgmma) {
  if (!wgmma->operation || !async_is_overtaken(warp->cta, wgmma->operation))
    return STEP_NEXT;
  const uint8_t came = wgmma->came;
  wgmma->came = 0;
  Step step = read_matrices(warp, wgmma);
  wgmma->came = came;
  Warp *first = warp - warp->index % GROUP_WARPS;
  for (int i = 0; step == STEP_NEXT && i < GROUP_WARPS; i++)
    if (!knows_all(first + i, wgmma)) step = read_matrices(first + i, wgmma);
  return step;
}

void wgmma_has_read(Warp *warp, const Wgmma *wgmma) {
  if (wgmma->operation) async_awaited(warp, wgmma->operation, ALL_LANES);
}
