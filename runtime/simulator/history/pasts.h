// pasts.h -- at most one access of each cell of a page.
//
// All cells that lanes of one warp accessed at one time share an entry; a
// cell's code is the entry and the lane.  An access by several lanes has an
// entry of its own.
//
// For example, the 32 lanes of a warp store a word each to cells 0 to 31 of an
// empty page: entry 1 has 32 cells, and the code of cell 7 is 1 << 5 | 7.  Then
// lane 3 of another warp stores to cell 7: entry 2 has one cell, whose code is
// 2 << 5 | 3, and entry 1 has 31.
//
// A narrow code, of one byte, is an entry alone.  The lane follows from the
// cell, as adjacent lanes mostly store to adjacent cells: it is cell / 2^k
// minus a distance, both of which the entry has; a warp has an entry for each
// distance.  If the 32 lanes store a word each to 128 cells of a byte, k is 2,
// and the distance is 0 for all.
#ifndef TILE_SIMULATOR_PASTS_H
#define TILE_SIMULATOR_PASTS_H

#include "runtime/simulator/history/past.h"
#include "runtime/simulator/history/purse.h"

typedef struct PastEntry {
  Past past;      // lanes 0: one lane, in the code
  uint16_t count; // cells; 0: the entry is free
  union {
    uint16_t next;  // of one that is free: the next, from 1 on
    uint16_t place; // narrow codes: the distance, and k from PAST_LANE_BITS on;
                    // else 0
  };
} PastEntry;

typedef struct Pasts {
  Purse *purse; // the page's; NULL: detached
  PastEntry *entries;
  uint16_t num_cells, num, room, unused, recent; // recent: the last one taken
  uint16_t used;                                 // entries with cells
  bool is_narrow;                                // codes are bytes
  uint16_t codes[];                              // of each cell; 0: none
} Pasts;

enum { PAST_LANE_BITS = 5, MOST_PASTS = (1 << (16 - PAST_LANE_BITS)) - 1 };
enum { MOST_NARROW_PASTS = UINT8_MAX };

// NULL: no memory.
Pasts *pasts_create(uint32_t num_cells, bool is_narrow, Purse *purse);
void pasts_destroy(Pasts *pasts);
// Detaches the accesses from their page.
void pasts_detach(Pasts *pasts);
void pasts_forget_all(Pasts *pasts);
// A copy in which each cell has become 1 << shift cells, even if the purse is
// empty, without the accesses that codes have no room for; NULL: no memory.
Pasts *pasts_refine(const Pasts *pasts, int shift, bool is_narrow);
// Stores the access in consecutive cells.  Without room for another entry, an
// entry that differs in its instruction alone stands for both.  False: the
// cells have no access then.
bool pasts_fill(Pasts *pasts, uint32_t first, uint32_t count, Past past);
void pasts_forget(Pasts *pasts, uint32_t first, uint32_t count);
// If exactly these consecutive cells have an access by the same instruction of
// the same warp at the same time, adds the only lane of `past` to it; else
// false.
bool pasts_add_lane(Pasts *pasts, uint32_t first, uint32_t count,
                    const Past *past);

static inline uint32_t pasts_code(const Pasts *pasts, uint32_t cell) {
  return pasts->is_narrow ? ((const uint8_t *)pasts->codes)[cell]
                          : pasts->codes[cell];
}

// The number of a code's entry, from 1 on.
static inline uint32_t pasts_entry(const Pasts *pasts, uint32_t code) {
  return pasts->is_narrow ? code : code >> PAST_LANE_BITS;
}

// The access of the cell; all zero: none.
static inline Past pasts_at(const Pasts *pasts, uint32_t cell) {
  const uint32_t code = pasts_code(pasts, cell);
  if (!code) return (Past){.what = 0};
  const PastEntry *entry = &pasts->entries[pasts_entry(pasts, code) - 1];
  assert(entry->count && "a cell's entry is free"); // I4
  const uint32_t lane =
      pasts->is_narrow
          ? (cell >> (entry->place >> PAST_LANE_BITS)) - entry->place
          : code;
  Past past = entry->past;
  if (!past.lanes) past.lanes = UINT32_C(1) << (lane & (LANES - 1));
  return past;
}

// The number of consecutive cells with the same access, from that one on, at
// most `most`.
uint32_t pasts_count_narrow(const Pasts *pasts, uint32_t cell, uint32_t most);
static inline uint32_t pasts_count_alike(const Pasts *pasts, uint32_t cell,
                                         uint32_t most) {
  if (pasts->is_narrow) return pasts_count_narrow(pasts, cell, most);
  const uint16_t *codes = pasts->codes + cell;
  uint32_t count = 1;
  while (count < most && codes[count] == codes[0]) count++;
  return count;
}

#endif
