// copy_reads.h -- reads of bulk copies from a page of global memory.
//
// A copy reads many bytes in a row, and many CTAs read the same: a lane's read
// is of pieces in a row, in place of one mark a cell.
#ifndef TILE_SIMULATOR_COPY_READS_H
#define TILE_SIMULATOR_COPY_READS_H

#include "runtime/simulator/history/race_page.h"

// Bytes of a piece.
enum { COPY_PIECE = 16 };
// The time of a read that is not over, which nobody knows.
#define COPY_UNDER_WAY UINT32_MAX

// Adds the read of such bytes of the page, which are whole pieces; false: no
// memory.
bool copy_reads_add(RacePage *page, const Past *read, uint32_t offset,
                    uint32_t size);
// The lane's read that is under way is over.
void copy_reads_end(RacePage *page, const Past *read, uint32_t offset,
                    uint32_t size);
// Takes a read that is over, where the page remembers many; false: it does not.
bool copy_reads_take(RacePage *page, Past *read, uint32_t *offset,
                     uint32_t *size);
// Whether any read of the page is remembered now.
bool copy_reads_any(const RacePage *page);
// The next read of the byte's piece, after number `*at` of them, zero at first;
// false: no more.
bool copy_reads_next(const RacePage *page, uint32_t offset, uint32_t *at,
                     Past *past);
void copy_reads_forget(RacePage *page);
void copy_reads_destroy(RacePage *page);

#endif
