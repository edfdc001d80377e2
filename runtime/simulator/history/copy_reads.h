// copy_reads.h -- reads by bulk copies from a page of global memory.
//
// A copy reads many consecutive bytes, and many CTAs read the same ones: a read
// is stored as a range of pieces, not in each cell.
//
// For example, lane 0 of eight CTAs copies bytes 0 to 255 of a page by the same
// instruction: the page stores eight ranges, each from piece 0 up to piece 16
// with its CTA and time, and the instruction and the lane once.
#ifndef TILE_SIMULATOR_COPY_READS_H
#define TILE_SIMULATOR_COPY_READS_H

#include "runtime/simulator/history/race_page.h"

// Bytes of a piece.
enum { COPY_PIECE = 16 };
// The time of a read that is not over, which no clock knows.
#define COPY_UNDER_WAY UINT32_MAX

// Adds a read of whole pieces of the page; false: no memory.
bool copy_reads_add(RacePage *page, const Past *read, uint32_t offset,
                    uint32_t size);
// The lane's running read is over.
void copy_reads_end(RacePage *page, const Past *read, uint32_t offset,
                    uint32_t size);
// Removes and returns a read that is over, if the page has many, or more than
// its bytes allow; false: there is none.
bool copy_reads_take(RacePage *page, Past *read, uint32_t *offset,
                     uint32_t *size);
// Gives back the memory of reads that were removed.
void copy_reads_shrink(RacePage *page);
// Whether the page has any reads.
bool copy_reads_any(const RacePage *page);
// The next read of the byte's piece, after number `*at`, which is zero at
// first; false: no more.
bool copy_reads_next(const RacePage *page, uint32_t offset, uint32_t *at,
                     Past *past);
void copy_reads_forget(RacePage *page);
void copy_reads_destroy(RacePage *page);

#endif
