// readers.h -- accesses of a page that its cells have no room for.
//
// A Readers has the accesses of one Reach, all reads or all writes.  CTAs, or
// warps, that accessed cells alike share one record.
#ifndef TILE_SIMULATOR_READERS_H
#define TILE_SIMULATOR_READERS_H

#include "runtime/simulator/history/past.h"
#include "runtime/simulator/history/purse.h"

typedef struct Readers Readers;

// Properties of the page: a cell has 4 >> fine bytes; `by_warp`: the members
// are warps of one cluster, as in shared memory, else CTAs.
typedef struct ReadersOf {
  Purse *purse;
  int fine;
  bool by_warp;
} ReadersOf;

// Adds an access of `count` consecutive cells to `*place`, which it creates.
// False: no memory, or too much.
bool readers_add(Readers **place, const ReadersOf *of, uint32_t cell,
                 uint32_t count, const Past *read);
void readers_destroy(Readers *readers);

// A position among the accesses of a cell; all zero: before the first.
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
// True when the number of accesses has doubled since it was true before.
bool readers_are_due(Readers *readers);
// Divides each cell into 1 << shift cells with the same accesses; false: no
// memory.
bool readers_refine(Readers *readers, int shift);

#endif
