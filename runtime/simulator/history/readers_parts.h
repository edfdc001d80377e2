// readers_parts.h -- declarations that the files of readers.h share.
#ifndef TILE_SIMULATOR_READERS_PARTS_H
#define TILE_SIMULATOR_READERS_PARTS_H

#include "runtime/simulator/history/marks.h"
#include "runtime/simulator/history/readers.h"

enum { PLACE_WORDS = PAGE_CELLS / NUM_PLACES };

// Members, each `stride` behind the one before, that accessed a place alike.
typedef struct Set {
  uint32_t first;         // member
  uint32_t next;          // the next open, or free, set; 0: none
  uint16_t stride, count; // count 0: the set is free
  uint16_t block, owners; // see marks.h
  uint8_t place;
} Set;

// A member is a CTA; or, with by_warp, the index of a CTA in `ctas` times
// MAX_WARPS, plus a warp.  Sets are counted from 1.
struct Readers {
  Readers *next; // full ones; NULL: none
  Marks marks;
  Set *sets;
  uint32_t count, room, free_set;
  uint32_t last, highest;    // members; `highest` is above all of them
  bool is_new;               // the last one, which is in no set yet
  bool by_warp;              // a member is a warp
  uint32_t open[NUM_PLACES]; // sets of the last member; 0: none
  uint32_t opened, looked_at;
  uint64_t any[PAGE_CELLS / 64]; // words with cells of any set
  uint32_t num_ctas, ctas[];
};

static inline Set *set_at(const Readers *readers, uint32_t i) {
  assert(i && i <= readers->count && "no such set"); // I3
  return &readers->sets[i - 1];
}

static inline uint32_t word_of(const Readers *readers, uint32_t cell) {
  return cell / (readers->marks.num_cells / PLACE_WORDS);
}

// Makes room for as many more sets; false: no memory.
bool readers_reserve(Readers *readers, uint32_t more);
// Makes a set of `rest` members of a set, from number `number` on.  There is
// room for it.
uint32_t readers_split_off(Readers *readers, uint32_t i, uint32_t number,
                           uint32_t rest);
void readers_give_set(Readers *readers, uint32_t i);
// Does the set have its block to itself, so that a member can be added?
static inline bool is_open(const Readers *readers, const Set *set) {
  return !marks_are_shared(&readers->marks, set->block);
}

#endif
