// readers.h -- accesses of a page that its cells have no place for.
//
// The accesses of one Reach are together, all reads or all writes.  CTAs that
// touched cells alike share what is remembered.
#ifndef TILE_SIMULATOR_READERS_H
#define TILE_SIMULATOR_READERS_H

#include <stdatomic.h>

#include "runtime/simulator/history/past.h"

typedef struct Readers Readers;

// Adds an access of `count` cells in a row to `*place`, which it makes, and to
// the bytes that `used` counts, where it is not NULL.  False: no memory, or too
// much.
bool readers_add(Readers **place, atomic_size_t *used, int fine, uint32_t cell,
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
// Forgets the accesses of the cell for which `stays` is false; NULL: all.
typedef bool ReaderStays(void *context, const Past *past);
void readers_filter(Readers *readers, uint32_t cell, ReaderStays *stays,
                    void *context);
// True when twice as many have come as when it was true before.
bool readers_are_due(Readers *readers);
// Each cell becomes 1 << shift that were touched alike; false: no memory.
bool readers_refine(Readers *readers, int shift);

#endif
