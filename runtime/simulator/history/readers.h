// readers.h -- accesses of a page that its cells have no place for.
//
// A table has the reads, or the writes, of one Reach.  Each warp has an entry
// for a time, with the cells that its lanes touched then.
#ifndef TILE_SIMULATOR_READERS_H
#define TILE_SIMULATOR_READERS_H

#include <stdatomic.h>

#include "runtime/simulator/history/past.h"

typedef struct Readers Readers;

// Adds to what `used` counts, the bytes of all, where it is not NULL; false: no
// memory, or too much.
bool readers_add(Readers **place, atomic_size_t *used, int fine, uint32_t cell,
                 const Past *read);
void readers_destroy(Readers *readers);
// The next of those that have touched the cell, which is then `*at`, zero at
// first; false: no more.
bool readers_next(const Readers *readers, uint32_t cell, uint32_t *at,
                  Past *past);
// True when there are twice as many as when it was true before.
bool readers_are_due(Readers *readers);
void readers_forget(Readers *readers, uint32_t cell, uint32_t at);
// Cells become 1 << shift that were read alike; false: no memory.
bool readers_refine(Readers *readers, int shift);

#endif
