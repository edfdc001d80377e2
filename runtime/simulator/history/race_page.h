// race_page.h -- records of the accesses to a page of memory.
//
// A page has cells.  A cell is a word of four bytes, or smaller once a smaller
// access of the page has been made.  Each cell has its last write, the copies
// that are reading it, and the reads and writes that may race with a later
// access even if the last write does not.
#ifndef TILE_SIMULATOR_RACE_PAGE_H
#define TILE_SIMULATOR_RACE_PAGE_H

#include <assert.h>

#include "runtime/simulator/history/crowd.h"
#include "runtime/simulator/history/pasts.h"
#include "runtime/simulator/history/sync_word.h"

enum { RACE_PAGE_BYTES = 1024, WORD_BYTES = 4 };
enum { SYNC_CHUNK = 8, NUM_CHUNKS = RACE_PAGE_BYTES / WORD_BYTES / SYNC_CHUNK };

// WEAK_WRITE: a weak write with a strong one after it.  COPIES: running copies,
// of which only the latest is known.  Reads of shared memory by a few warps are
// from FIRST_READ on, without a gap; reads by more warps, and all reads of
// global memory, are `others`, as are writes that the last write does not stand
// for.
enum { LAST_WRITE, WEAK_WRITE, COPIES, FIRST_READ, NUM_PASTS = FIRST_READ + 6 };

enum { NUM_REACHES = REACH_GPU + 1 };
typedef enum { OTHER_READS, OTHER_WRITES } Other;

typedef struct RacePage {
  uint32_t lock;
  uint32_t stamp; // the launch or CTA of these accesses
  uint8_t fine;   // a cell has 4 >> fine bytes
  uint8_t num_pasts;
  bool has_others[2]; // by Other; in crowds, too
  bool is_near;       // of shared memory
  bool is_crowded;    // cells have only last writes and copies
  bool is_lost;       // it is unknown which lanes have found strong writes
  bool has_own;       // words of mbarriers
  uint8_t num_chunks;
  uint16_t number; // of the page in its memory, in the low bits
  uint64_t
      strong[RACE_PAGE_BYTES / WORD_BYTES / 64]; // words with strong writes
  Purse purse;
  Pasts **pasts;          // NULL, one or all: none yet
  Crowd *crowds[2];       // by Other; NULL: none yet
  SyncWord **sync_chunks; // each of SYNC_CHUNK words, or NULL; NULL: none yet
  SyncWord *other_words;  // for all words without a chunk; NULL: none yet
  struct Readers *others[2][NUM_REACHES]; // accesses that cells have no room
                                          // for, by Other and Reach; or NULL
  struct CopyReads *copy_reads;           // see copy_reads.h; or NULL
} RacePage;

// Whether strong accesses have left clocks.
static inline bool page_has_words(const RacePage *page) {
  return page->sync_chunks || page->other_words;
}

static inline bool page_has_others(const RacePage *page) {
  return page->has_others[OTHER_READS] || page->has_others[OTHER_WRITES];
}

// Pages of shared or of global memory; NULL: out of memory.
RacePage *race_pages_create(uint64_t num_bytes, bool is_near);
void race_pages_destroy(RacePage *pages, uint64_t num_bytes);

void race_lock(RacePage *page);
bool race_try_lock(RacePage *page); // false: it is locked
void race_unlock(RacePage *page);
void race_page_restart(RacePage *page, uint32_t stamp);
// Divides each cell into several with the same accesses; false: no memory.
bool race_page_refine(RacePage *page, int fine);
// The accesses of the page's cells, allocated if needed; NULL: no memory.
Pasts *race_page_pasts(RacePage *page, int which);
void race_page_drop(RacePage *page, int which); // forgets those of its cells
// From now on cells have room only for last writes and copies.
void race_page_crowd(RacePage *page);
// Charges bytes for crowds; a page of global memory has less room then.
void race_page_pay(RacePage *page, size_t bytes);
// Removes and returns the last writes, which the caller destroys, or NULL.
Pasts *race_page_take_writes(RacePage *page);
// The accesses of its cells; NULL: none.
static inline Pasts *page_pasts(const RacePage *page, int which) {
  return which < page->num_pasts ? page->pasts[which] : NULL;
}
// The clocks that writes left at the word; if the page has no room for the
// word, clocks of several words together; NULL: no memory.
SyncWord *race_sync_word(RacePage *page, uint32_t stamp, uint64_t offset);
// If clocks have little memory left, all words of the page share theirs from
// now on, and with those of other pages if necessary; not beside mbarriers.
void race_page_save_words(RacePage *page, uint32_t stamp, ClockUse *use);
// The same for an mbarrier, which always has a word of its own.
SyncWord *race_own_word(RacePage *page, uint32_t stamp, uint64_t offset);
// The same for a page with accesses, but no word is made; NULL: none.
SyncWord *race_sync_word_if_any(const RacePage *page, uint64_t offset);

// Consecutive cells.
typedef struct Cells {
  RacePage *page;
  uint32_t first, count, bytes; // bytes of each
} Cells;

// Which word of its page the byte at `offset` is in.
static inline uint32_t race_word_number(uint64_t offset) {
  return (uint32_t)(offset % RACE_PAGE_BYTES / WORD_BYTES);
}

// The word of a cell, which is made if there is none; NULL: no memory.
SyncWord *cell_word(const Cells *cells, uint32_t i);
// NULL: there is none.
SyncWord *cell_word_if_any(const Cells *cells, uint32_t i);

// Forgets accesses of earlier launches or CTAs.
static inline void race_page_begin(RacePage *page, uint32_t stamp) {
  if (page->stamp != stamp) race_page_restart(page, stamp);
}

// The cells of an access; none if there is no memory.
static inline Cells cells_of(RacePage *page, uint32_t stamp, uint64_t place,
                             uint32_t size) {
  const int fine = size % 4 == 0 ? 0 : size % 2 == 0 ? 1 : 2;
  assert(place % RACE_PAGE_BYTES + size <= RACE_PAGE_BYTES); // I1
  race_page_begin(page, stamp);
  if (fine > page->fine && !race_page_refine(page, fine))
    return (Cells){.page = page};
  const int shift = 2 - page->fine;
  const uint32_t offset = (uint32_t)(place % RACE_PAGE_BYTES);
  return (Cells){page, offset >> shift, size >> shift,
                 WORD_BYTES >> page->fine};
}

// Stores an access in `count` cells, from the i-th on.  False: there is no
// room, and the cells have no access then.
static inline bool cells_remember(const Cells *cells, int which, uint32_t i,
                                  uint32_t count, Past past) {
  Pasts *pasts = page_pasts(cells->page, which);
  if (!pasts) pasts = race_page_pasts(cells->page, which);
  return pasts && pasts_fill(pasts, cells->first + i, count, past);
}

static inline void cells_forget(const Cells *cells, int which, uint32_t i,
                                uint32_t count) {
  Pasts *pasts = page_pasts(cells->page, which);
  if (pasts) pasts_forget(pasts, cells->first + i, count);
  // Copies come and go, and most pages have none.
  if (pasts && which == COPIES && !pasts->used)
    race_page_drop(cells->page, which);
}

// The access of a cell; all zero: none.
static inline Past cell_past(const Cells *cells, int which, uint32_t i) {
  const Pasts *pasts = page_pasts(cells->page, which);
  return pasts ? pasts_at(pasts, cells->first + i) : (Past){.what = 0};
}

// Whether any cell may have a write by a thread.
static inline bool page_has_writes(const RacePage *page) {
  const Pasts *last = page_pasts(page, LAST_WRITE);
  const Pasts *weak = page_pasts(page, WEAK_WRITE);
  return (last && last->used) || (weak && weak->used) ||
         page->has_others[OTHER_WRITES];
}

// Whether no cell has an access of the kind `which`, a Past of the page.
bool cells_have_none(const Cells *cells, int which);
// Whether all accesses of the cells are last writes.
bool cells_have_only_writes(const Cells *cells);
// Whether all cells have the same last write, or none.
bool cells_are_alike(const Cells *cells);
// The number of cells, from the i-th on, with the same accesses.
uint32_t cells_count_alike(const Cells *cells, uint32_t i);

#endif
