// marks.h -- accesses of a page without the CTA, or warp, that made them.
//
// A place is a row of consecutive cells of the page.  A block has a code for
// each cell of a place: the moment of the access, and its lane.  The owners of
// blocks are the sets of readers_parts.h.  A block with several owners does not
// change.
//
// For example, lanes 0 to 31 of a warp of CTA 3 read words 0 to 31, the first
// place.  The access is moment 2, since number 1 is OWNERS_MOMENT, and the code
// of word 5 is 2 << 5 | 5.  When the block is shared, moment 2 goes to its
// owner, and the code becomes 1 << 5 | 5.  If a warp of CTA 7 reads the words
// in the same way at another time, that is moment 3, and its codes, when they
// are shared, are equal: one block has two owners, with moments 2 and 3.
#ifndef TILE_SIMULATOR_MARKS_H
#define TILE_SIMULATOR_MARKS_H

#include "runtime/simulator/history/past.h"
#include "runtime/simulator/history/purse.h"

enum { PAGE_CELLS = 256, NUM_PLACES = 8, MARK_LANE_BITS = 5 };
enum { MOST_MOMENTS = (1 << (16 - MARK_LANE_BITS)) - 1, OWNERS_MOMENT = 1 };

// An access by one lane, which is in the code, or by several.
typedef struct Moment {
  uint32_t clock, what, lanes; // as of a Past; lanes 0: the code has the lane
} Moment;

typedef struct BlockUse {
  uint32_t hash;  // of the codes, if it may be shared; else 0
  uint32_t count; // owners; in a free block: the next free one
} BlockUse;

// Blocks and moments are counted from 1.  The code of OWNERS_MOMENT stands for
// a moment that is stored with the block's owner.
typedef struct Marks {
  uint32_t num_cells; // of a block
  uint32_t num_moments, room_moments, free_moment, recent;
  uint32_t num_blocks, room_blocks, free_block;
  Moment *moments;
  BlockUse *uses;
  uint16_t *codes; // of each block
  uint16_t *index; // shared blocks by hash; NULL: few blocks
  Purse *purse;    // of the page
} Marks;

void marks_destroy(Marks *marks);

// The code of an access with a known moment; 0: it is new.
uint32_t marks_find(Marks *marks, const Past *past);
// The code of an access with a new moment; 0: no memory, or too many moments.
uint32_t marks_add(Marks *marks, const Past *past);
// Whether marks_add() has to find room.
static inline bool marks_are_full(const Marks *marks) {
  return !marks->free_moment && marks->num_moments == marks->room_moments;
}
// Frees the moments that no block uses and that are not in `live`, a bit for
// each; if few become free, makes room for more.
enum { LIVE_WORDS = (MOST_MOMENTS + 64) / 64 };
void marks_sweep(Marks *marks, uint64_t live[LIVE_WORDS]);

static inline uint16_t *marks_codes(const Marks *marks, uint32_t block) {
  return marks->codes + (size_t)(block - 1) * marks->num_cells;
}

// The access that a code stands for, by that CTA; `owners` is the moment of the
// block's owner.
static inline Past marks_past(const Marks *marks, uint32_t cta, uint32_t code,
                              uint32_t owners) {
  uint32_t i = code >> MARK_LANE_BITS;
  if (i == OWNERS_MOMENT) i = owners;
  assert(i > OWNERS_MOMENT && i <= marks->num_moments &&
         "no such moment"); // I3
  const Moment *moment = &marks->moments[i - 1];
  assert(moment->what && "a moment that was swept away"); // I4
  const uint32_t lane = UINT32_C(1) << (code & (LANES - 1));
  return (Past){cta, moment->clock, moment->what,
                moment->lanes ? moment->lanes : lane};
}

// An empty block with one owner; 0: no memory.
uint32_t marks_take(Marks *marks);
// Adds an owner, or removes one.
void marks_keep(Marks *marks, uint32_t block);
void marks_drop(Marks *marks, uint32_t block);
// Gives the owner of `block`, whose moment is `owners`, a private copy without
// OWNERS_MOMENT; 0: no memory, and nothing changes.
uint32_t marks_own(Marks *marks, uint32_t block, uint32_t owners);
// Replaces `block` by the shared block with equal codes; `*owners` gets the
// moment of its owner.
uint32_t marks_share(Marks *marks, uint32_t block, uint16_t *owners);
// Whether the block is shared, so that it must not change.
static inline bool marks_are_shared(const Marks *marks, uint32_t block) {
  return marks->uses[block - 1].hash;
}
// Whether a private block has no accesses.
bool marks_are_none(const Marks *marks, uint32_t block);
// Divides each cell into 1 << shift equal cells; false: no memory.
bool marks_refine(Marks *marks, int shift);

#endif
