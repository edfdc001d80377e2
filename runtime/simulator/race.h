// race.h -- data races: conflicting accesses that nothing orders.
//
// Memory is watched in pages of cells.  A cell is a word of four bytes, or,
// once somebody has touched less of the page, as little as that; of each the
// last write, the copies that are reading it, and the reads and writes that
// something may race with which does not with that write are remembered.
// Whoever checks an access holds the page's lock from before the check until
// the access is done.
#ifndef TILE_SIMULATOR_RACE_H
#define TILE_SIMULATOR_RACE_H

#include "runtime/simulator/order.h"

enum { RACE_PAGE_BYTES = 1024, RACE_PASTS = 3 + MAX_WARPS };

enum { NUM_REACHES = REACH_GPU + 1 };
typedef enum { OTHER_READS, OTHER_WRITES } Other;

typedef struct RacePage {
  uint32_t lock;
  uint32_t stamp; // of the launch or CTA whose accesses these are
  uint8_t fine;   // a cell has 4 >> fine bytes
  bool has_others;
  struct Past *pasts[RACE_PASTS]; // of each cell, see race.c; NULL: none yet
  SyncWord *sync_words;           // of each word; NULL: none yet
  struct Readers *others[2][NUM_REACHES]; // more than cells have room for, by
                                          // Other and Reach; or NULL
} RacePage;

RacePage *race_pages_create(uint64_t num_bytes); // NULL: out of memory
void race_pages_destroy(RacePage *pages, uint64_t num_bytes);

// An access that is about to happen.
typedef struct RaceAccess {
  Warp *warp;
  const Inst *inst;
  int lane;
  uint8_t space;           // SPACE_SHARED or SPACE_GLOBAL
  uint64_t offset;         // in shared memory or the allocation
  uint32_t size;           // bytes; within one page
  const uint8_t *old, *to; // what a write finds, and leaves where known
} RaceAccess;

void race_lock(RacePage *page);
void race_unlock(RacePage *page);
// They report and go on.
void race_read(RacePage *page, uint32_t stamp, const RaceAccess *now);
void race_write(RacePage *page, uint32_t stamp, const RaceAccess *now);
void race_atomic(RacePage *page, uint32_t stamp, const RaceAccess *now);
// A copy that reads at some time from its start to its end.
void race_copy_starts(RacePage *page, uint32_t stamp, const RaceAccess *now);
void race_copy_ends(RacePage *page, uint32_t stamp, const RaceAccess *now);
// What an instruction of mbarriers does to one, which reads and writes it.
void race_object(RacePage *page, uint32_t stamp, const RaceAccess *now,
                 Reach reach);
// A write that was checked when it began is over, and ordered from here.
void race_wrote(RacePage *page, uint32_t stamp, const RaceAccess *now);
// The word at the access, through which mbarriers order; NULL: no memory.
SyncWord *race_sync_word(RacePage *page, uint32_t stamp, uint64_t offset);

#endif
