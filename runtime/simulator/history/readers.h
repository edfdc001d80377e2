// readers.h -- accesses of a page that its cells have no place for.
//
// The accesses of one Reach are together, all reads or all writes.  CTAs, or
// warps, that touched cells alike share what is remembered.
#ifndef TILE_SIMULATOR_READERS_H
#define TILE_SIMULATOR_READERS_H

#include "runtime/simulator/history/past.h"
#include "runtime/simulator/history/purse.h"

typedef struct Readers Readers;

// Properties of the page: a cell has 4 >> fine bytes; `by_warp`: warps of one
// cluster share what is remembered, as of shared memory, else CTAs do.
typedef struct ReadersOf {
  Purse *purse;
  int fine;
  bool by_warp;
} ReadersOf;

// Adds an access of `count` cells in a row to `*place`, which it makes.  False:
// no memory, or too much.
bool readers_add(Readers **place, const ReadersOf *of, uint32_t cell,
                 uint32_t count, const Past *read);
void readers_destroy(Readers *readers);

// A place among the accesses of a cell; all zero: before the first.
typedef struct ReadersAt {
  const Readers *readers;
  uint32_t set, member;
} ReadersAt;
// The next access of the cell; false: no more.
bool readers_next(const Readers *readers, uint32_t cell, ReadersAt *at,
                  Past *past);
// Forgets the accesses of the cell for which `stays` is false.
typedef bool ReaderStays(void *context, const Past *past);
void readers_filter(Readers *readers, uint32_t cell, ReaderStays *stays,
                    void *context);
// Forgets all accesses of `count` cells in a row.
void readers_forget(Readers *readers, uint32_t cell, uint32_t count);
// True when twice as many have come as when it was true before.
bool readers_are_due(Readers *readers);
// Each cell becomes 1 << shift that were touched alike; false: no memory.
bool readers_refine(Readers *readers, int shift);

#endif
