// readers.c -- accesses of a page that its cells have no place for.
//
// An entry of a warp is linked to its older ones, and a table finds the newest.
// What the lanes have touched again later is no longer the older one's.
#include "runtime/simulator/readers.h"

#include <stdlib.h>
#include <string.h>

enum { PAGE_CELLS = 256, FIRST_ROOM = 8 };
static const size_t most_bytes = (size_t)256 << 20;

typedef struct Entry {
  Past past;
  uint32_t older; // of the warp, or the next that is free; 0: none
} Entry;

// Entries are counted from 1.  The table has two places for each.
struct Readers {
  uint32_t count, room, recent, unused, num_words;
  Entry *entries;
  uint64_t *cells; // num_words of each entry
  uint32_t *table;
  uint64_t *any; // cells that an entry may have
};

void readers_destroy(Readers *readers) {
  if (!readers) return;
  free(readers->entries);
  free(readers->cells);
  free(readers->table);
  free(readers->any);
  free(readers);
}

static Entry *entry_at(const Readers *readers, uint32_t i) {
  return &readers->entries[i - 1];
}

static uint64_t *cells_at(const Readers *readers, uint32_t i) {
  return readers->cells + (size_t)(i - 1) * readers->num_words;
}

static uint32_t *find(const Readers *readers, const Past *past) {
  const uint32_t mask = 2 * readers->room - 1;
  uint32_t hash = (past->cta * MAX_WARPS + warp_of(past)) * 2654435761u >> 8;
  while (readers->table[hash & mask] &&
         !is_same_warp(&entry_at(readers, readers->table[hash & mask])->past,
                       past))
    hash++;
  return &readers->table[hash & mask];
}

// -- Room --------------------------------------------------------------------

static Readers *create(int fine) {
  Readers *readers = calloc(1, sizeof *readers);
  if (!readers) return NULL;
  readers->num_words = (uint32_t)(PAGE_CELLS << fine) / 64;
  readers->any = calloc(readers->num_words, sizeof *readers->any);
  if (readers->any) return readers;
  free(readers);
  return NULL;
}

// The newest of each warp, which no other is older than, in a bigger table.
static void fill_table(Readers *readers, const uint32_t *from, uint32_t size) {
  for (uint32_t i = 0; i < size; i++)
    if (from[i]) *find(readers, &entry_at(readers, from[i])->past) = from[i];
}

static bool grow(Readers *readers, atomic_size_t *used) {
  const uint32_t room = readers->room ? 2 * readers->room : FIRST_ROOM;
  const size_t cell_bytes = readers->num_words * sizeof(uint64_t);
  const size_t more = (room - readers->room) *
                      (sizeof(Entry) + cell_bytes + 2 * sizeof(uint32_t));
  if (used && *used + more > most_bytes) return false;
  Entry *entries = realloc(readers->entries, room * sizeof *entries);
  if (entries) readers->entries = entries;
  uint64_t *cells = realloc(readers->cells, room * cell_bytes);
  if (cells) readers->cells = cells;
  uint32_t *table = calloc(2 * (size_t)room, sizeof *table);
  if (!entries || !cells || !table) {
    free(table);
    return false;
  }
  uint32_t *before = readers->table;
  const uint32_t size = 2 * readers->room;
  readers->table = table;
  readers->room = room;
  fill_table(readers, before, size);
  free(before);
  if (used) *used += more;
  return true;
}

// -- Adding ------------------------------------------------------------------

static bool has_cells(const Readers *readers, uint32_t i) {
  const uint64_t *cells = cells_at(readers, i);
  for (uint32_t j = 0; j < readers->num_words; j++)
    if (cells[j]) return true;
  return false;
}

// What the same lanes have had again, in the newest, is not the older ones';
// those that have nothing left are free.
static void take_from_older(Readers *readers, uint32_t newest) {
  const uint64_t *own = cells_at(readers, newest);
  const uint32_t lanes = entry_at(readers, newest)->past.lanes;
  uint32_t *link = &entry_at(readers, newest)->older;
  while (*link) {
    const uint32_t i = *link;
    Entry *entry = entry_at(readers, i);
    uint64_t *cells = cells_at(readers, i);
    for (uint32_t j = 0;
         !(entry->past.lanes & ~lanes) && j < readers->num_words; j++)
      cells[j] &= ~own[j];
    if (has_cells(readers, i)) {
      link = &entry->older;
      continue;
    }
    *link = entry->older;
    entry->older = readers->unused;
    readers->unused = i;
  }
}

static uint32_t take_entry(Readers *readers, atomic_size_t *used) {
  const uint32_t unused = readers->unused;
  if (unused) {
    readers->unused = entry_at(readers, unused)->older;
    return unused;
  }
  if (readers->count == readers->room && !grow(readers, used)) return 0;
  return ++readers->count;
}

static bool is_at(const Past *entry, const Past *read) {
  return is_same_warp(entry, read) && entry->clock == read->clock;
}

// The entry for the read, with the lane; 0: no memory.
static uint32_t entry_for(Readers *readers, atomic_size_t *used,
                          const Past *read) {
  if (readers->recent && is_at(&entry_at(readers, readers->recent)->past, read))
    return readers->recent;
  uint32_t newest = readers->room ? *find(readers, read) : 0;
  if (newest && is_at(&entry_at(readers, newest)->past, read)) return newest;
  if (newest) take_from_older(readers, newest);
  const uint32_t i = take_entry(readers, used);
  if (!i) return 0;
  *entry_at(readers, i) = (Entry){*read, newest};
  memset(cells_at(readers, i), 0, readers->num_words * sizeof(uint64_t));
  *find(readers, read) = i;
  return i;
}

bool readers_add(Readers **place, atomic_size_t *used, int fine, uint32_t cell,
                 const Past *read) {
  if (!*place) *place = create(fine);
  Readers *readers = *place;
  const uint32_t i = readers ? entry_for(readers, used, read) : 0;
  if (!i) return false;
  Past *past = &entry_at(readers, i)->past;
  past->lanes |= read->lanes;
  past->what = read->what;
  cells_at(readers, i)[cell / 64] |= UINT64_C(1) << cell % 64;
  readers->any[cell / 64] |= UINT64_C(1) << cell % 64;
  readers->recent = i;
  return true;
}

// -- Looking -----------------------------------------------------------------

const Past *readers_next(const Readers *readers, uint32_t cell, uint32_t *at) {
  const uint64_t bit = UINT64_C(1) << cell % 64;
  if (!(readers->any[cell / 64] & bit)) return NULL;
  while (*at < readers->count) {
    const uint32_t i = ++*at;
    if (cells_at(readers, i)[cell / 64] & bit)
      return &entry_at(readers, i)->past;
  }
  return NULL;
}

void readers_forget(Readers *readers, uint32_t cell, uint32_t at) {
  cells_at(readers, at)[cell / 64] &= ~(UINT64_C(1) << cell % 64);
}

static void spread(const uint64_t *from, uint64_t *to, uint32_t num_words,
                   int shift) {
  for (uint32_t i = 0; i < num_words << shift; i++) {
    to[i] = 0;
    for (uint32_t j = 0; j < 64; j++) {
      const uint32_t cell = (i * 64 + j) >> shift;
      to[i] |= (from[cell / 64] >> cell % 64 & 1) << j;
    }
  }
}

bool readers_refine(Readers *readers, int shift) {
  const uint32_t words = readers->num_words;
  const size_t bytes = (size_t)(words << shift) * sizeof(uint64_t);
  uint64_t *any = malloc(bytes), *cells = malloc(readers->room * bytes + 1);
  if (!any || !cells) {
    free(any);
    free(cells);
    return false;
  }
  spread(readers->any, any, words, shift);
  for (uint32_t i = 0; i < readers->count; i++)
    spread(readers->cells + (size_t)i * words,
           cells + (size_t)i * (words << shift), words, shift);
  free(readers->any);
  free(readers->cells);
  readers->any = any;
  readers->cells = cells;
  readers->num_words = words << shift;
  return true;
}
