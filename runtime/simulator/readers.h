// readers.h -- the reads of a page that its cells have no place for.
//
// Each warp that reads has an entry for a time, with the cells that it read
// then.  Of the lanes it is only known which have read any of them.
#ifndef TILE_SIMULATOR_READERS_H
#define TILE_SIMULATOR_READERS_H

#include <stdatomic.h>

#include "runtime/simulator/past.h"

typedef struct Readers Readers;

// Adds to what `used` counts, the bytes of all; false: no memory, or too much.
bool readers_add(Readers **place, atomic_size_t *used, int fine, uint32_t cell,
                 const Past *read);
void readers_destroy(Readers *readers);
// The next that has read the cell, which it forgets; NULL: no more.  `*at` is
// zero at first.
const Past *readers_next(Readers *readers, uint32_t cell, uint32_t *at);
// Cells become 1 << shift that were read alike; false: no memory.
bool readers_refine(Readers *readers, int shift);

#endif
