// pasts.h -- one access of each cell of a page, or none.
//
// The cells that lanes of one warp touched at one time have one entry; a cell's
// code is the entry and the lane.  Accesses of several lanes are entries of
// their own.
//
// For example, the 32 lanes of a warp store a word each to cells 0 to 31 of an
// empty page: entry 1 has 32 cells, and the code of cell 7 is 1 << 5 | 7.  Then
// lane 3 of another warp stores to cell 7: entry 2 has one cell, whose code is
// 2 << 5 | 3, and entry 1 has 31.
#ifndef TILE_SIMULATOR_PASTS_H
#define TILE_SIMULATOR_PASTS_H

#include "runtime/simulator/history/past.h"
#include "runtime/simulator/history/purse.h"

typedef struct PastEntry {
  Past past;      // of one lane, which the code has: its lanes are none
  uint16_t count; // of the cells; 0: it is free
  uint16_t next;  // of one that is free: the next, from 1 on
} PastEntry;

typedef struct Pasts {
  Purse *purse; // of the page; NULL: they are of none
  PastEntry *entries;
  uint16_t num_cells, num, room, unused, recent; // recent: the last one taken
  uint16_t used;                                 // entries that cells have
  uint16_t codes[];                              // of each cell; 0: none
} Pasts;

enum { PAST_LANE_BITS = 5, MOST_PASTS = (1 << (16 - PAST_LANE_BITS)) - 1 };

Pasts *pasts_create(uint32_t num_cells, Purse *purse); // NULL: no memory
void pasts_destroy(Pasts *pasts);
// They are no more of their page.
void pasts_detach(Pasts *pasts);
void pasts_forget_all(Pasts *pasts);
// A copy in which each cell has become 1 << shift cells, whatever the purse
// has; NULL: no memory.
Pasts *pasts_refine(const Pasts *pasts, int shift);
// Cells in a row have this access.  Where there is no room for another entry,
// that of an access which differs by its instruction alone stands for both.
// False: nothing is known of the cells.
bool pasts_fill(Pasts *pasts, uint32_t first, uint32_t count, Past past);
void pasts_forget(Pasts *pasts, uint32_t first, uint32_t count);

// The access of the cell; all zero: none.
static inline Past pasts_at(const Pasts *pasts, uint32_t cell) {
  const uint32_t code = pasts->codes[cell];
  if (!code) return (Past){.what = 0};
  const PastEntry *entry = &pasts->entries[(code >> PAST_LANE_BITS) - 1];
  assert(entry->count && "a cell's entry is free"); // I4
  Past past = entry->past;
  if (!past.lanes) past.lanes = UINT32_C(1) << (code & (LANES - 1));
  return past;
}

// The number of cells in a row, from that one on and `most` at most, that have
// the same access.
static inline uint32_t pasts_count_alike(const Pasts *pasts, uint32_t cell,
                                         uint32_t most) {
  const uint16_t *codes = pasts->codes + cell;
  uint32_t count = 1;
  while (count < most && codes[count] == codes[0]) count++;
  return count;
}

#endif
