// race_page.h -- records of the accesses to memory.
//
// Memory is watched in pages of cells.  A cell is a word of four bytes, or,
// once somebody has touched less of the page, as little as that; of each the
// last write, the copies that are reading it, and the reads and writes that
// something may race with which does not with that write are remembered.
#ifndef TILE_SIMULATOR_RACE_PAGE_H
#define TILE_SIMULATOR_RACE_PAGE_H

#include <assert.h>

#include "runtime/simulator/history/crowd.h"
#include "runtime/simulator/history/pasts.h"
#include "runtime/simulator/history/sync_word.h"

enum { RACE_PAGE_BYTES = 1024, WORD_BYTES = 4 };
enum { SYNC_CHUNK = 8, NUM_CHUNKS = RACE_PAGE_BYTES / WORD_BYTES / SYNC_CHUNK };

// WEAK_WRITE: a weak one, where a strong one has come since.
// COPIES: those under way, of which the one that came last is known.
// Reads of shared memory by some warps are from FIRST_READ on, without a gap;
// those by more, and all of global memory, are `others`, as are writes that the
// last one does not stand for.
enum { LAST_WRITE, WEAK_WRITE, COPIES, FIRST_READ, NUM_PASTS = FIRST_READ + 6 };

enum { NUM_REACHES = REACH_GPU + 1 };
typedef enum { OTHER_READS, OTHER_WRITES } Other;

typedef struct RacePage {
  uint32_t lock;
  uint32_t stamp; // of the launch or CTA whose accesses these are
  uint8_t fine;   // a cell has 4 >> fine bytes
  uint8_t num_pasts;
  bool has_others[2]; // by Other; crowds, too
  bool is_near;       // of shared memory
  bool is_crowded;    // only last writes and copies are in cells
  bool is_lost;       // it is not known any more who has found strong writes
  uint8_t num_chunks;
  uint64_t strong[RACE_PAGE_BYTES / WORD_BYTES / 64]; // words so written, a bit
  Purse purse;
  Pasts **pasts;          // NULL, one or all: none yet
  Crowd *crowds[2];       // by Other; NULL: none yet
  SyncWord **sync_chunks; // each of SYNC_CHUNK words, or NULL; NULL: none yet
  SyncWord *other_words;  // stands for all without a chunk; NULL: they are new
  struct Readers *others[2][NUM_REACHES]; // more than cells have room for, by
                                          // Other and Reach; or NULL
  struct CopyReads *copy_reads;           // see copy_reads.h; or NULL
} RacePage;

// Whether strong accesses have left anything.
static inline bool page_has_words(const RacePage *page) {
  return page->sync_chunks || page->other_words;
}

static inline bool page_has_others(const RacePage *page) {
  return page->has_others[OTHER_READS] || page->has_others[OTHER_WRITES];
}

// Pages of shared memory, or of global; NULL: out of memory.
RacePage *race_pages_create(uint64_t num_bytes, bool is_near);
void race_pages_destroy(RacePage *pages, uint64_t num_bytes);

void race_lock(RacePage *page);
bool race_try_lock(RacePage *page); // false: somebody has it
void race_unlock(RacePage *page);
void race_page_restart(RacePage *page, uint32_t stamp);
// Each cell becomes several that remember the same; false: no memory.
bool race_page_refine(RacePage *page, int fine);
// The accesses of its cells, to which one will be added; NULL: no memory.
Pasts *race_page_pasts(RacePage *page, int which);
void race_page_drop(RacePage *page, int which); // forgets those of its cells
// Only last writes and copies have room in cells from now on.
void race_page_crowd(RacePage *page);
// So many bytes more have gone to crowds; of global memory the page has less.
void race_page_pay(RacePage *page, size_t bytes);
// The last writes there were, which the caller destroys, or NULL.  There are
// none from now on.
Pasts *race_page_take_writes(RacePage *page);
// The accesses of its cells; NULL: none.
static inline Pasts *page_pasts(const RacePage *page, int which) {
  return which < page->num_pasts ? page->pasts[which] : NULL;
}
// The clocks that writes left at the word there, or, where the page has no room
// for them, at it and others; NULL: no memory.
SyncWord *race_sync_word(RacePage *page, uint32_t stamp, uint64_t offset);
// The same of an mbarrier, which always has room of its own.
SyncWord *race_own_word(RacePage *page, uint32_t stamp, uint64_t offset);
// The same of a page that has begun, but no word is made; NULL: there is none.
SyncWord *race_sync_word_if_any(const RacePage *page, uint64_t offset);

// Cells in a row.
typedef struct Cells {
  RacePage *page;
  uint32_t first, count, bytes; // bytes of each
} Cells;

// Which word of its page the byte at `offset` is in.
static inline uint32_t race_word_number(uint64_t offset) {
  return (uint32_t)(offset % RACE_PAGE_BYTES / WORD_BYTES);
}

// The word of one, which is made if there is none; NULL: no memory.
SyncWord *cell_word(const Cells *cells, uint32_t i);
// NULL: there is none.
SyncWord *cell_word_if_any(const Cells *cells, uint32_t i);

// Forgets what is not of this launch or CTA.
static inline void race_page_begin(RacePage *page, uint32_t stamp) {
  if (page->stamp != stamp) race_page_restart(page, stamp);
}

// The cells of an access; none where there is no memory.
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

// Notes that `count` cells, from the i-th on, have had this access.  False:
// there is no room, and nothing is known of them.
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

// Whether all remember nothing there, no more than a last write, the same one.
bool cells_have_none(const Cells *cells, int which);
bool cells_have_only_writes(const Cells *cells);
bool cells_are_alike(const Cells *cells);
// The number of cells, from the i-th on, that have had the same accesses, of
// those that cells have room for.
uint32_t cells_count_alike(const Cells *cells, uint32_t i);

#endif
