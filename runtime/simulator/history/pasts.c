// pasts.c -- at most one access of each cell of a page.
#include "runtime/simulator/history/pasts.h"

#include <stdlib.h>
#include <string.h>

// YOUNG: the number of last entries that are searched for an equal one.  With
// narrow codes a warp may have an entry for each distance.
enum { YOUNG = 8, YOUNG_NARROW = 2 * LANES };

static size_t code_bytes(bool is_narrow) {
  return is_narrow ? sizeof(uint8_t) : sizeof(uint16_t);
}

static size_t bytes_of(uint32_t num_cells, bool is_narrow, uint32_t room) {
  const Pasts *pasts = NULL;
  return sizeof *pasts + num_cells * code_bytes(is_narrow) +
         room * sizeof *pasts->entries;
}

Pasts *pasts_create(uint32_t num_cells, bool is_narrow, Purse *purse) {
  const size_t bytes = bytes_of(num_cells, is_narrow, 0);
  if (!purse_take(purse, bytes)) return NULL;
  Pasts *pasts = calloc(1, bytes);
  if (!pasts) {
    purse_give(purse, bytes);
    return NULL;
  }
  pasts->num_cells = (uint16_t)num_cells;
  pasts->is_narrow = is_narrow;
  pasts->purse = purse;
  return pasts;
}

void pasts_detach(Pasts *pasts) {
  purse_give(pasts->purse,
             bytes_of(pasts->num_cells, pasts->is_narrow, pasts->room));
  pasts->purse = NULL;
}

void pasts_destroy(Pasts *pasts) {
  if (!pasts) return;
  if (pasts->purse) pasts_detach(pasts);
  free(pasts->entries);
  free(pasts);
}

void pasts_forget_all(Pasts *pasts) {
  memset(pasts->codes, 0, pasts->num_cells * code_bytes(pasts->is_narrow));
  pasts->num = pasts->unused = pasts->recent = pasts->used = 0;
}

// -- Entries -----------------------------------------------------------------

static bool is_entry(const PastEntry *entry, const Past *past, uint32_t place) {
  return entry->count && entry->place == place &&
         entry->past.clock == past->clock && entry->past.what == past->what &&
         entry->past.cta == past->cta && entry->past.lanes == past->lanes;
}

// The number of the access's entry, from 1 on; 0: none.
static uint32_t find(const Pasts *pasts, const Past *past, uint32_t place) {
  const uint32_t young = pasts->is_narrow ? YOUNG_NARROW : YOUNG;
  const uint32_t end = pasts->num > young ? pasts->num - young : 0;
  for (uint32_t i = pasts->num; i > end; i--)
    if (is_entry(&pasts->entries[i - 1], past, place)) return i;
  return 0;
}

static bool grow(Pasts *pasts) {
  const uint32_t room = pasts->room + 8u;
  const size_t more = (room - pasts->room) * sizeof *pasts->entries;
  if (!purse_take(pasts->purse, more)) return false;
  PastEntry *entries = realloc(pasts->entries, room * sizeof *entries);
  if (!entries) {
    purse_give(pasts->purse, more);
    return false;
  }
  pasts->entries = entries;
  pasts->room = (uint16_t)room;
  return true;
}

// Whether the entry's access differs at most in the instruction.
static bool is_near(const PastEntry *entry, const Past *past, uint32_t place) {
  const uint32_t same = ~(PAST_INST | PAST_NEAR);
  return entry->count && entry->place == place &&
         entry->past.clock == past->clock && entry->past.cta == past->cta &&
         entry->past.lanes == past->lanes &&
         !((entry->past.what ^ past->what) & same);
}

// Makes an entry with a similar access represent this one, too; returns its
// number, or 0 if none is similar enough.
static uint32_t share(Pasts *pasts, const Past *past, uint32_t place) {
  uint32_t i = pasts->recent;
  if (!i || !is_near(&pasts->entries[i - 1], past, place)) i = pasts->num;
  while (i && !is_near(&pasts->entries[i - 1], past, place)) i--;
  if (i) pasts->entries[i - 1].past.what |= PAST_NEAR;
  return i;
}

// The number of a new entry; 0: no memory.
static uint32_t take(Pasts *pasts, const Past *past, uint32_t place) {
  uint32_t i = pasts->unused;
  if (i) {
    pasts->unused = pasts->entries[i - 1].next;
  } else if (pasts->is_narrow && pasts->num == MOST_NARROW_PASTS) {
    return 0;
  } else {
    if (pasts->num == pasts->room && !grow(pasts)) return 0;
    i = ++pasts->num;
  }
  assert(i <= pasts->num_cells + 1u && i <= MOST_PASTS &&
         "more entries than cells"); // I4
  pasts->entries[i - 1] = (PastEntry){.past = *past, .place = (uint16_t)place};
  pasts->used++;
  return i;
}

static void drop(Pasts *pasts, uint32_t code, uint32_t count) {
  const uint32_t i = pasts_entry(pasts, code);
  PastEntry *entry = &pasts->entries[i - 1];
  assert(entry->count >= count && "more cells than were counted"); // I4
  entry->count = (uint16_t)(entry->count - count);
  if (entry->count) return;
  pasts->used--;
  entry->next = pasts->unused;
  pasts->unused = (uint16_t)i;
}

// -- Cells -------------------------------------------------------------------

// The end of the cells of the cell's lane.
static uint32_t end_of(uint32_t cell, const PastEntry *entry) {
  const uint32_t k = entry->place >> PAST_LANE_BITS;
  return ((cell >> k) + 1) << k;
}

uint32_t pasts_count_narrow(const Pasts *pasts, uint32_t cell, uint32_t most) {
  const uint8_t *codes = (const uint8_t *)pasts->codes + cell;
  const PastEntry *entry = codes[0] ? &pasts->entries[codes[0] - 1] : NULL;
  const bool is_lane = entry && !entry->past.lanes;
  const uint32_t end = is_lane ? end_of(cell, entry) : UINT32_MAX;
  uint32_t count = 1;
  if (most > end - cell) most = end - cell;
  while (count < most && codes[count] == codes[0]) count++;
  return count;
}

static void set_codes(Pasts *pasts, uint32_t first, uint32_t count,
                      uint32_t code) {
  if (pasts->is_narrow)
    memset((uint8_t *)pasts->codes + first, (int)code, count);
  else
    for (uint32_t i = 0; i < count; i++)
      pasts->codes[first + i] = (uint16_t)code;
}

void pasts_forget(Pasts *pasts, uint32_t first, uint32_t count) {
  assert(first + count <= pasts->num_cells && "cells of another page"); // I1
  for (uint32_t i = 0, alike; i < count; i += alike) {
    const uint32_t code = pasts_code(pasts, first + i);
    alike = pasts_count_alike(pasts, first + i, count - i);
    if (code) drop(pasts, code, alike);
  }
  set_codes(pasts, first, count, 0);
}

static void put_narrow(Pasts *pasts, uint32_t first, uint32_t count,
                       uint32_t i) {
  for (uint32_t cell = first, alike; cell < first + count; cell += alike) {
    const uint32_t before = pasts_code(pasts, cell);
    alike = pasts_count_alike(pasts, cell, first + count - cell);
    PastEntry *entry = &pasts->entries[i - 1];
    entry->count = (uint16_t)(entry->count + alike);
    if (before) drop(pasts, before, alike);
    set_codes(pasts, cell, alike, i);
  }
}

// Counts the new entry's cells before the replaced entry is dropped, which may
// be the same one with another lane.
static void put(Pasts *pasts, uint16_t *codes, uint32_t count, uint16_t code) {
  PastEntry *entry = &pasts->entries[(code >> PAST_LANE_BITS) - 1];
  for (uint16_t *end = codes + count; codes < end;) {
    const uint16_t before = *codes;
    uint32_t alike = 0;
    do {
      *codes++ = code;
      alike++;
    } while (codes < end && *codes == before);
    entry->count = (uint16_t)(entry->count + alike);
    if (before) drop(pasts, before, alike);
  }
}

// Stores an access in cells; if `lane` is its only lane, `past` has no lanes.
static inline bool fill(Pasts *pasts, uint32_t first, uint32_t count,
                        const Past *past, uint32_t lane, uint32_t place) {
  uint32_t i = pasts->recent;
  if (!i || !is_entry(&pasts->entries[i - 1], past, place))
    i = find(pasts, past, place);
  if (!i) {
    pasts_forget(pasts, first, count);
    i = take(pasts, past, place);
    if (!i) i = share(pasts, past, place);
    if (!i) return false;
  }
  pasts->recent = (uint16_t)i;
  if (pasts->is_narrow)
    put_narrow(pasts, first, count, i);
  else
    put(pasts, pasts->codes + first, count,
        (uint16_t)(i << PAST_LANE_BITS | lane));
  return true;
}

// Stores an access of one lane in cells, in aligned pieces.
static bool fill_narrow(Pasts *pasts, uint32_t first, uint32_t count,
                        const Past *past, uint32_t lane) {
  enum { MOST_K = 4 };
  for (uint32_t cell = first, end = first + count, piece; cell < end;
       cell += piece) {
    uint32_t k = MOST_K;
    while (k && (cell & ((UINT32_C(1) << k) - 1) || cell + (1u << k) > end))
      k--;
    piece = UINT32_C(1) << k;
    const uint32_t distance = ((cell >> k) - lane) & (LANES - 1);
    if (fill(pasts, cell, piece, past, lane, k << PAST_LANE_BITS | distance))
      continue;
    pasts_forget(pasts, first, count);
    return false;
  }
  return true;
}

bool pasts_fill(Pasts *pasts, uint32_t first, uint32_t count, Past past) {
  assert(first + count <= pasts->num_cells && "cells of another page"); // I1
  assert(past.what && past.lanes && "an access of nobody");
  const uint32_t lane = (uint32_t)__builtin_ctz(past.lanes);
  const bool is_one = !(past.lanes & (past.lanes - 1));
  if (is_one) past.lanes = 0;
  return is_one && pasts->is_narrow
             ? fill_narrow(pasts, first, count, &past, lane)
             : fill(pasts, first, count, &past, is_one ? lane : 0, 0);
}

bool pasts_add_lane(Pasts *pasts, uint32_t first, uint32_t count,
                    const Past *past) {
  assert(first + count <= pasts->num_cells && "cells of another page"); // I1
  uint16_t *codes = pasts->codes + first;
  if (pasts->is_narrow || !codes[0]) return false;
  PastEntry *entry = &pasts->entries[(codes[0] >> PAST_LANE_BITS) - 1];
  if (entry->count != count || entry->past.clock != past->clock ||
      entry->past.what != past->what || entry->past.cta != past->cta ||
      pasts_count_alike(pasts, first, count) != count)
    return false;
  const Past before = pasts_at(pasts, first);
  entry->past.lanes = before.lanes | past->lanes;
  for (uint32_t i = 0; i < count; i++) codes[i] &= (uint16_t) ~(LANES - 1);
  return true;
}

Pasts *pasts_refine(const Pasts *pasts, int shift, bool is_narrow) {
  Purse any = {.most = UINT32_MAX};
  Pasts *finer =
      pasts_create((uint32_t)pasts->num_cells << shift, is_narrow, &any);
  for (uint32_t i = 0; finer && i < pasts->num_cells; i++) {
    const Past past = pasts_at(pasts, i);
    if (past.what) pasts_fill(finer, i << shift, 1u << shift, past);
  }
  if (!finer) return NULL;
  purse_spend(pasts->purse, any.used);
  finer->purse = pasts->purse;
  return finer;
}
