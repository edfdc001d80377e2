// pasts.c -- one access of each cell of a page, or none.
#include "runtime/simulator/history/pasts.h"

#include <stdlib.h>
#include <string.h>

// YOUNG: the number of last entries, among which one is looked for.
enum { FIRST_ROOM = 4, YOUNG = 8 };

static size_t bytes_of(uint32_t num_cells, uint32_t room) {
  const Pasts *pasts = NULL;
  return sizeof *pasts + num_cells * sizeof *pasts->codes +
         room * sizeof *pasts->entries;
}

static Pasts *create(uint32_t num_cells, Purse *purse) {
  Pasts *pasts = calloc(1, bytes_of(num_cells, 0));
  if (!pasts) return NULL;
  pasts->num_cells = (uint16_t)num_cells;
  pasts->purse = purse;
  return pasts;
}

Pasts *pasts_create(uint32_t num_cells, Purse *purse) {
  const size_t bytes = bytes_of(num_cells, 0);
  if (!purse_take(purse, bytes)) return NULL;
  Pasts *pasts = create(num_cells, purse);
  if (!pasts) purse_give(purse, bytes);
  return pasts;
}

void pasts_detach(Pasts *pasts) {
  purse_give(pasts->purse, bytes_of(pasts->num_cells, pasts->room));
  pasts->purse = NULL;
}

void pasts_destroy(Pasts *pasts) {
  if (!pasts) return;
  if (pasts->purse) pasts_detach(pasts);
  free(pasts->entries);
  free(pasts);
}

void pasts_forget_all(Pasts *pasts) {
  memset(pasts->codes, 0, pasts->num_cells * sizeof *pasts->codes);
  pasts->num = pasts->unused = pasts->recent = pasts->used = 0;
}

Pasts *pasts_refine(const Pasts *pasts, int shift) {
  const uint32_t count = (uint32_t)pasts->num_cells << shift;
  Pasts *finer = create(count, pasts->purse);
  const size_t bytes = pasts->room * sizeof *pasts->entries;
  PastEntry *entries = finer ? malloc(bytes + 1) : NULL;
  if (!entries) {
    free(finer);
    return NULL;
  }
  if (bytes) memcpy(entries, pasts->entries, bytes);
  for (uint32_t i = 0; i < pasts->num; i++)
    entries[i].count = (uint16_t)(entries[i].count << shift);
  for (uint32_t i = 0; i < count; i++)
    finer->codes[i] = pasts->codes[i >> shift];
  purse_spend(pasts->purse, bytes_of(count, pasts->room));
  finer->entries = entries;
  finer->num = pasts->num;
  finer->room = pasts->room;
  finer->unused = pasts->unused;
  finer->used = pasts->used;
  finer->recent = pasts->recent;
  return finer;
}

// -- Entries -----------------------------------------------------------------

static bool is_entry(const PastEntry *entry, const Past *past) {
  return entry->count && entry->past.clock == past->clock &&
         entry->past.what == past->what && entry->past.cta == past->cta &&
         entry->past.lanes == past->lanes;
}

// The number of the access's entry, from 1 on; 0: there is none.
static uint32_t find(const Pasts *pasts, const Past *past) {
  const uint32_t end = pasts->num > YOUNG ? pasts->num - YOUNG : 0;
  for (uint32_t i = pasts->num; i > end; i--)
    if (is_entry(&pasts->entries[i - 1], past)) return i;
  return 0;
}

static bool grow(Pasts *pasts) {
  const uint32_t room =
      pasts->room ? pasts->room + pasts->room / 8u + 2u : FIRST_ROOM;
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

// Whether the entry's access differs from another by the instruction at most.
static bool is_near(const PastEntry *entry, const Past *past) {
  const uint32_t same = ~(PAST_INST | PAST_NEAR);
  return entry->count && entry->past.clock == past->clock &&
         entry->past.cta == past->cta && entry->past.lanes == past->lanes &&
         !((entry->past.what ^ past->what) & same);
}

// The number of an entry, which stands for the access from now on, too; 0: none
// is as near.
static uint32_t share(Pasts *pasts, const Past *past) {
  uint32_t i = pasts->recent;
  if (!i || !is_near(&pasts->entries[i - 1], past)) i = pasts->num;
  while (i && !is_near(&pasts->entries[i - 1], past)) i--;
  if (i) pasts->entries[i - 1].past.what |= PAST_NEAR;
  return i;
}

// The number of a new entry; 0: no memory.
static uint32_t take(Pasts *pasts, const Past *past) {
  uint32_t i = pasts->unused;
  if (i) {
    pasts->unused = pasts->entries[i - 1].next;
  } else {
    if (pasts->num == pasts->room && !grow(pasts)) return 0;
    i = ++pasts->num;
  }
  assert(i <= pasts->num_cells + 1u && i <= MOST_PASTS &&
         "more entries than cells"); // I4
  pasts->entries[i - 1] = (PastEntry){.past = *past};
  pasts->used++;
  return i;
}

static void drop(Pasts *pasts, uint32_t code, uint32_t count) {
  const uint32_t i = code >> PAST_LANE_BITS;
  PastEntry *entry = &pasts->entries[i - 1];
  assert(entry->count >= count && "more cells than were counted"); // I4
  entry->count = (uint16_t)(entry->count - count);
  if (entry->count) return;
  pasts->used--;
  entry->next = pasts->unused;
  pasts->unused = (uint16_t)i;
}

// -- Cells -------------------------------------------------------------------

void pasts_forget(Pasts *pasts, uint32_t first, uint32_t count) {
  assert(first + count <= pasts->num_cells && "cells of another page"); // I1
  uint16_t *codes = pasts->codes + first;
  for (uint32_t i = 0, alike; i < count; i += alike) {
    alike = pasts_count_alike(pasts, first + i, count - i);
    if (codes[i]) drop(pasts, codes[i], alike);
  }
  memset(codes, 0, count * sizeof *codes);
}

// The entry that is new to cells is counted before one that it replaces is
// dropped, as that may be the same with another lane.
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

bool pasts_fill(Pasts *pasts, uint32_t first, uint32_t count, Past past) {
  assert(first + count <= pasts->num_cells && "cells of another page"); // I1
  assert(past.what && past.lanes && "an access of nobody");
  uint32_t lane = 0;
  if (!(past.lanes & (past.lanes - 1))) {
    lane = (uint32_t)__builtin_ctz(past.lanes);
    past.lanes = 0;
  }
  uint32_t i = pasts->recent;
  if (!i || !is_entry(&pasts->entries[i - 1], &past)) i = find(pasts, &past);
  if (!i) {
    pasts_forget(pasts, first, count);
    i = take(pasts, &past);
    if (!i) i = share(pasts, &past);
    if (!i) return false;
  }
  pasts->recent = (uint16_t)i;
  put(pasts, pasts->codes + first, count,
      (uint16_t)(i << PAST_LANE_BITS | lane));
  return true;
}
