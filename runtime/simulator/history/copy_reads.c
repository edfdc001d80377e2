// copy_reads.c -- reads by bulk copies from a page of global memory.
//
// A read covers consecutive pieces.  The reads of an instruction by lanes of
// the same number differ only in their CTA and time.
#include "runtime/simulator/history/copy_reads.h"

#include <stdlib.h>

// A page keeps MOST reads, and then forgets the oldest.  A new read is joined
// with a read of the same lane among the last RECENT.  If there are more than
// MANY, or more than FEW and the page has taken all its bytes,
// copy_reads_take() moves the finished ones elsewhere.
enum { FIRST_ROOM = 4, MOST = 1024, RECENT = 16, FIRST_READERS = 2 };
enum { FEW = 8, MANY = 128 };
_Static_assert((int)RACE_PAGE_BYTES / (int)COPY_PIECE <= UINT8_MAX,
               "a piece's number is a byte");

typedef struct CopyReader {
  uint32_t what, lanes; // see Past
} CopyReader;

typedef struct CopyRead {
  uint32_t cta, clock;
  uint16_t reader;    // index
  uint8_t first, end; // pieces
} CopyRead;

typedef struct CopyReads {
  uint32_t count, room, oldest;
  uint32_t num_readers, room_readers;
  CopyRead *reads;
  CopyReader *readers;
} CopyReads;

void copy_reads_forget(RacePage *page) {
  CopyReads *reads = page->copy_reads;
  if (reads) reads->count = reads->oldest = reads->num_readers = 0;
}

void copy_reads_destroy(RacePage *page) {
  if (!page->copy_reads) return;
  free(page->copy_reads->reads);
  free(page->copy_reads->readers);
  free(page->copy_reads);
}

// The array with room for more elements of that size; NULL: no memory, and the
// array is unchanged.
static void *grown(void *array, uint32_t *room, uint32_t first, size_t size) {
  const uint32_t more = *room ? *room + *room / 2 + 1 : first;
  void *bigger = realloc(array, more * size);
  if (bigger) *room = more;
  return bigger;
}

static bool grow_readers(CopyReads *reads) {
  CopyReader *bigger = grown(reads->readers, &reads->room_readers,
                             FIRST_READERS, sizeof *bigger);
  if (bigger) reads->readers = bigger;
  return bigger;
}

static bool grow_reads(CopyReads *reads) {
  CopyRead *bigger =
      grown(reads->reads, &reads->room, FIRST_ROOM, sizeof *bigger);
  if (bigger) reads->reads = bigger;
  return bigger;
}

// The index of the read's lane among the readers; UINT32_MAX: no memory.
static uint32_t reader_of(CopyReads *reads, const Past *read) {
  for (uint32_t i = reads->num_readers; i-- > 0;)
    if (reads->readers[i].what == read->what &&
        reads->readers[i].lanes == read->lanes)
      return i;
  if (reads->num_readers == UINT16_MAX ||
      (reads->num_readers == reads->room_readers && !grow_readers(reads)))
    return UINT32_MAX;
  reads->readers[reads->num_readers] = (CopyReader){read->what, read->lanes};
  return reads->num_readers++;
}

static Past past_of(const CopyReads *reads, const CopyRead *read) {
  assert(read->reader < reads->num_readers && "a read by nobody"); // I5
  const CopyReader *reader = &reads->readers[read->reader];
  return (Past){read->cta, read->clock, reader->what, reader->lanes};
}

static bool is_by(const CopyReads *reads, const CopyRead *read,
                  const Past *lane) {
  const Past past = past_of(reads, read);
  return is_same_warp(&past, lane) && past.lanes == lane->lanes;
}

static bool is_under_way(const CopyRead *read) {
  return read->clock == COPY_UNDER_WAY;
}

// Merges `read` into `old`, if both are of one lane, and `read` replaces or
// extends `old`; false: it does neither.
static bool joins(CopyReads *reads, CopyRead *old, const CopyRead *read,
                  const Past *past) {
  if (old->cta != read->cta || is_under_way(old) || !is_by(reads, old, past))
    return false;
  const bool replaces = read->first <= old->first && old->end <= read->end &&
                        old->clock <= read->clock;
  const bool is_now = old->clock == read->clock && read->first <= old->end &&
                      old->first <= read->end;
  if (!replaces && !is_now) return false;
  const CopyRead before = *old;
  *old = *read;
  if (is_now && before.first < old->first) old->first = before.first;
  if (is_now && before.end > old->end) old->end = before.end;
  return true;
}

static bool add(CopyReads *reads, const CopyRead *read) {
  if (reads->count == MOST) {
    reads->reads[reads->oldest++ % MOST] = *read;
    return true;
  }
  if (reads->count == reads->room && !grow_reads(reads)) return false;
  reads->reads[reads->count++] = *read;
  return true;
}

static CopyReads *reads_of(RacePage *page) {
  if (!page->copy_reads) page->copy_reads = calloc(1, sizeof(CopyReads));
  return page->copy_reads;
}

bool copy_reads_add(RacePage *page, const Past *read, uint32_t offset,
                    uint32_t size) {
  assert(size && offset + size <= RACE_PAGE_BYTES); // I1
  CopyReads *reads = reads_of(page);
  const uint32_t reader = reads ? reader_of(reads, read) : UINT32_MAX;
  if (reader == UINT32_MAX) return false;
  const CopyRead added = {read->cta, read->clock, (uint16_t)reader,
                          (uint8_t)(offset / COPY_PIECE),
                          (uint8_t)((offset + size) / COPY_PIECE)};
  const uint32_t oldest = reads->count > RECENT ? reads->count - RECENT : 0;
  for (uint32_t i = reads->count; i-- > oldest && !is_under_way(&added);)
    if (joins(reads, &reads->reads[i], &added, read)) return true;
  return add(reads, &added);
}

// Removes the pieces from `first` to `end` from the read.  A part before them
// may stay, and a part behind them becomes a read of its own.
static void take_from(CopyReads *reads, uint32_t i, uint8_t first,
                      uint8_t end) {
  CopyRead *read = &reads->reads[i];
  CopyRead rest = *read;
  assert(read->first <= first && first < end && end <= read->end); // I5
  rest.first = end;
  const bool has_rest = end < read->end;
  read->end = first;
  if (read->first == first)
    *read = has_rest ? rest : reads->reads[--reads->count];
  else if (has_rest)
    add(reads, &rest);
}

void copy_reads_end(RacePage *page, const Past *read, uint32_t offset,
                    uint32_t size) {
  CopyReads *reads = page->copy_reads;
  uint8_t first = (uint8_t)(offset / COPY_PIECE);
  const uint8_t end = (uint8_t)((offset + size) / COPY_PIECE);
  uint32_t i = reads ? reads->count : 0;
  while (i-- > 0 && first < end) {
    const CopyRead old = reads->reads[i];
    if (!is_under_way(&old) || first < old.first || first >= old.end ||
        !is_by(reads, &old, read))
      continue;
    const uint8_t taken_end = end < old.end ? end : old.end;
    take_from(reads, i, first, taken_end);
    first = taken_end;
    i = reads->count;
  }
}

// Whether the page's records take more than it may have.
static bool is_over(const RacePage *page, const CopyReads *reads) {
  const size_t bytes = reads->room * sizeof *reads->reads +
                       reads->room_readers * sizeof *reads->readers +
                       sizeof *reads + (size_t)3 * MALLOC_ADDS;
  return page->purse.used + bytes > FAR_ROOM;
}

bool copy_reads_take(RacePage *page, Past *past, uint32_t *offset,
                     uint32_t *size) {
  CopyReads *reads = page->copy_reads;
  uint32_t i = 0;
  if (!reads || reads->count <= (is_over(page, reads) ? FEW : MANY))
    return false;
  while (i < reads->count && is_under_way(&reads->reads[i])) i++;
  if (i == reads->count) return false;
  const CopyRead *read = &reads->reads[i];
  *past = past_of(reads, read);
  *offset = read->first * COPY_PIECE;
  *size = (uint32_t)(read->end - read->first) * COPY_PIECE;
  reads->reads[i] = reads->reads[--reads->count];
  return true;
}

// Forgets the readers that have no read.  The others keep their order.
static void drop_readers(CopyReads *reads) {
  uint16_t *numbers = calloc(reads->num_readers + 1, sizeof *numbers);
  uint32_t kept = 0;
  if (!numbers) return;
  for (uint32_t i = 0; i < reads->count; i++)
    numbers[reads->reads[i].reader] = 1;
  for (uint32_t i = 0; i < reads->num_readers; i++) {
    if (!numbers[i]) continue;
    numbers[i] = (uint16_t)kept;
    reads->readers[kept++] = reads->readers[i];
  }
  for (uint32_t i = 0; i < reads->count; i++)
    reads->reads[i].reader = numbers[reads->reads[i].reader];
  reads->num_readers = kept;
  free(numbers);
}

// The array with room for `count` elements of that size, if it has more than
// twice as many.
static void *shrunk(void *array, uint32_t *room, uint32_t count, size_t size) {
  if (*room <= 2 * count + FIRST_ROOM) return array;
  void *smaller = realloc(array, (count + FIRST_ROOM) * size);
  if (!smaller) return array;
  *room = count + FIRST_ROOM;
  return smaller;
}

void copy_reads_shrink(RacePage *page) {
  CopyReads *reads = page->copy_reads;
  if (!reads) return;
  drop_readers(reads);
  reads->reads =
      shrunk(reads->reads, &reads->room, reads->count, sizeof *reads->reads);
  reads->readers = shrunk(reads->readers, &reads->room_readers,
                          reads->num_readers, sizeof *reads->readers);
}

bool copy_reads_any(const RacePage *page) {
  return page->copy_reads && page->copy_reads->count;
}

bool copy_reads_next(const RacePage *page, uint32_t offset, uint32_t *at,
                     Past *past) {
  const CopyReads *reads = page->copy_reads;
  const uint32_t piece = offset / COPY_PIECE;
  while (reads && *at < reads->count) {
    const CopyRead *read = &reads->reads[(*at)++];
    if (piece < read->first || piece >= read->end) continue;
    *past = past_of(reads, read);
    return true;
  }
  return false;
}
