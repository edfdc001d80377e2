// copy_reads.c -- what bulk copies have read of a page of global memory.
#include "runtime/simulator/order/copy_reads.h"

#include <stdlib.h>

// Of more reads than MOST the oldest are forgotten; of the last RECENT those of
// the same lane are looked for.
enum { FIRST_ROOM = 4, MOST = 1024, RECENT = 16 };
_Static_assert((int)RACE_PAGE_BYTES / (int)COPY_PIECE == 64,
               "a page's pieces are a word");

typedef struct CopyRead {
  Past past;
  uint64_t pieces;
} CopyRead;

typedef struct CopyReads {
  uint32_t count, room, oldest;
  CopyRead reads[];
} CopyReads;

void copy_reads_forget(RacePage *page) {
  if (page->copy_reads) page->copy_reads->count = page->copy_reads->oldest = 0;
}

void copy_reads_destroy(RacePage *page) {
  free(page->copy_reads);
}

static uint64_t pieces_of(uint32_t offset, uint32_t size) {
  const uint32_t count = size / COPY_PIECE;
  const uint64_t all = count == 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1;
  return all << offset / COPY_PIECE;
}

static bool is_same_lane(const Past *a, const Past *b) {
  return is_same_warp(a, b) && a->lanes == b->lanes;
}

// A place that the read may have: the lane's own, if that read no more.
static CopyRead *find(CopyReads *reads, const Past *read, uint64_t pieces) {
  const uint32_t first = reads->count > RECENT ? reads->count - RECENT : 0;
  for (uint32_t i = reads->count; i-- > first;) {
    CopyRead *old = &reads->reads[i];
    if (!is_same_lane(&old->past, read)) continue;
    if (old->past.clock == read->clock || !(old->pieces & ~pieces)) return old;
  }
  return NULL;
}

static CopyReads *grow(RacePage *page) {
  CopyReads *reads = page->copy_reads;
  const uint32_t room = reads ? 2 * reads->room : FIRST_ROOM;
  CopyReads *bigger =
      realloc(reads, sizeof *bigger + room * sizeof *bigger->reads);
  if (!bigger) return NULL;
  if (!reads) *bigger = (CopyReads){.count = 0};
  bigger->room = room;
  page->copy_reads = bigger;
  return bigger;
}

bool copy_reads_add(RacePage *page, const Past *read, uint32_t offset,
                    uint32_t size) {
  const uint64_t pieces = pieces_of(offset, size);
  CopyReads *reads = page->copy_reads;
  CopyRead *place = reads ? find(reads, read, pieces) : NULL;
  if (place) {
    const bool is_now = place->past.clock == read->clock;
    *place = (CopyRead){*read, is_now ? place->pieces | pieces : pieces};
    return true;
  }
  if (reads && reads->count == MOST) {
    reads->reads[reads->oldest++ % MOST] = (CopyRead){*read, pieces};
    return true;
  }
  if ((!reads || reads->count == reads->room) && !(reads = grow(page)))
    return false;
  reads->reads[reads->count++] = (CopyRead){*read, pieces};
  return true;
}

void copy_reads_end(RacePage *page, const Past *read, uint32_t offset,
                    uint32_t size) {
  CopyReads *reads = page->copy_reads;
  for (uint32_t i = reads ? reads->count : 0; i-- > 0;) {
    CopyRead *old = &reads->reads[i];
    if (old->past.clock != COPY_UNDER_WAY || !is_same_lane(&old->past, read))
      continue;
    old->pieces &= ~pieces_of(offset, size);
    return;
  }
}

const Past *copy_reads_next(const RacePage *page, uint32_t offset,
                            uint32_t *at) {
  const CopyReads *reads = page->copy_reads;
  while (reads && *at < reads->count) {
    const CopyRead *read = &reads->reads[(*at)++];
    if (read->pieces >> offset / COPY_PIECE & 1) return &read->past;
  }
  return NULL;
}
