// race_page.c -- records of the accesses to a page of memory.
//
// Memory for a page's cells is allocated at the first access.  If there is
// none, nothing is remembered.
//
// For example, a thread writes word 0 of a page, which has 256 cells of 4
// bytes. Then another one writes byte 2.  Before that, each cell becomes 4
// cells of a byte, and cells 0 to 3 have the first write.  Cell 2 then has the
// second one.
#include "runtime/simulator/history/race_page.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/simulator/history/copy_reads.h"
#include "runtime/simulator/history/readers.h"

enum { PAGE_WORDS = RACE_PAGE_BYTES / WORD_BYTES };
// Limits of the bytes for a page's accesses, in cells and beside them, and for
// cells alone beside crowds; crowds need FAR_ROOM and FAR_CROWDED.  With the
// state of each byte, an AsyncShadow, two crowds, and the overhead of malloc(),
// that is 8 times a page of shared memory, and 2 times a page of global memory.
enum { NEAR_ROOM = 4700, NEAR_CROWDED = 2700, FAR_CROWDED = 1790 };
// The part of it for cells that are larger than bytes.
enum { FAR_CELLS = 720 };
// Bytes in addition to FAR_ROOM for a page of global memory with finer cells.
enum { FAR_FINE = 350 };
// Further chunks of words of shared memory.
enum { NEAR_CHUNKS = 2 };

// -- Pages -------------------------------------------------------------------

static uint64_t num_pages(uint64_t num_bytes) {
  return num_bytes / RACE_PAGE_BYTES + 1;
}

RacePage *race_pages_create(uint64_t num_bytes, bool is_near) {
  RacePage *pages = calloc(num_pages(num_bytes), sizeof *pages);
  for (uint64_t i = 0; is_near && pages && i < num_pages(num_bytes); i++) {
    pages[i].is_near = true;
    pages[i].number = (uint16_t)i;
  }
  return pages;
}

static size_t chunk_bytes(void) {
  return SYNC_CHUNK * sizeof(SyncWord);
}

static void forget_words(RacePage *page) {
  for (int i = 0; page->sync_chunks && i < NUM_CHUNKS * SYNC_CHUNK; i++) {
    SyncWord *chunk = page->sync_chunks[i / SYNC_CHUNK];
    if (chunk) sync_word_clear(&chunk[i % SYNC_CHUNK]);
  }
  if (!page->other_words) return;
  sync_word_clear(page->other_words);
  free(page->other_words);
  page->other_words = NULL;
  purse_give(&page->purse, sizeof *page->other_words);
}

static void destroy_words(RacePage *page) {
  for (int i = 0; page->sync_chunks && i < NUM_CHUNKS; i++)
    free(page->sync_chunks[i]);
  free(page->sync_chunks);
}

// Words of global memory, which are many, leave nothing to the next launch.
static void drop_words(RacePage *page) {
  if (page->is_near || !page->sync_chunks) return;
  destroy_words(page);
  purse_give(&page->purse, NUM_CHUNKS * sizeof *page->sync_chunks +
                               page->num_chunks * chunk_bytes());
  page->sync_chunks = NULL;
  page->num_chunks = 0;
}

static void forget_others(RacePage *page) {
  for (int i = 0; i < 2 * NUM_REACHES; i++) {
    readers_destroy(page->others[i / NUM_REACHES][i % NUM_REACHES]);
    page->others[i / NUM_REACHES][i % NUM_REACHES] = NULL;
  }
}

static void forget(RacePage *page) {
  forget_words(page);
  for (int i = 0; i < page->num_pasts; i++)
    if (page->pasts[i]) pasts_forget_all(page->pasts[i]);
  copy_reads_forget(page);
  page->has_others[OTHER_READS] = page->has_others[OTHER_WRITES] = false;
  forget_others(page);
  for (int i = 0; i < 2; i++) {
    if (page->crowds[i] && !page->is_near)
      purse_give(&page->purse, crowd_bytes(page->crowds[i]));
    crowd_destroy(page->crowds[i]);
    page->crowds[i] = NULL;
  }
}

void race_pages_destroy(RacePage *pages, uint64_t num_bytes) {
  for (uint64_t i = 0; pages && i < num_pages(num_bytes); i++) {
    if (!pages[i].stamp) continue;
    pages[i].purse.total = NULL;
    forget(&pages[i]);
    copy_reads_destroy(&pages[i]);
    for (int j = 0; j < pages[i].num_pasts; j++)
      pasts_destroy(pages[i].pasts[j]);
    free(pages[i].pasts);
    destroy_words(&pages[i]);
  }
  free(pages);
}

bool race_try_lock(RacePage *page) {
  return !__atomic_exchange_n(&page->lock, 1, __ATOMIC_ACQUIRE);
}

void race_lock(RacePage *page) {
  for (int i = 0; !race_try_lock(page); i++)
    if (i > 100) sched_yield();
}

void race_unlock(RacePage *page) {
  if (page) __atomic_store_n(&page->lock, 0, __ATOMIC_RELEASE);
}

// Divides the cells of accesses beside the cells; without memory these are
// forgotten.
static void refine_others(RacePage *page, int shift) {
  for (int i = 0; i < 2 * NUM_REACHES; i++) {
    Readers **others = &page->others[i / NUM_REACHES][i % NUM_REACHES];
    if (*others && readers_refine(*others, shift)) continue;
    readers_destroy(*others);
    *others = NULL;
  }
}

static uint32_t fine_room(const RacePage *page) {
  const bool has_more = page->fine && page->num_pasts;
  return has_more && !page->is_near && !page->is_crowded ? FAR_FINE : 0;
}

// Bytes for a page's cells and crowds together: the crowds' own bytes and a
// fixed number for cells, at most FAR_CROWDED.
static uint32_t crowded_room(const RacePage *page) {
  size_t room = page->fine < 2 ? FAR_CELLS : FAR_CROWDED;
  for (int i = 0; i < 2; i++)
    if (page->crowds[i]) room += crowd_bytes(page->crowds[i]);
  return room < FAR_CROWDED ? (uint32_t)room : FAR_CROWDED;
}

// The bytes of a crowded page of shared memory: the words of mbarriers have
// room in addition to that of the last writes.
static uint32_t near_crowded_room(const RacePage *page) {
  if (!page->has_own) return NEAR_CROWDED;
  const size_t table =
      page->sync_chunks ? NUM_CHUNKS * sizeof *page->sync_chunks : 0;
  return NEAR_CROWDED + (uint32_t)(table + page->num_chunks * chunk_bytes());
}

static uint32_t room_of(const RacePage *page) {
  if (page->is_near)
    return page->is_crowded ? near_crowded_room(page) : NEAR_ROOM;
  return page->is_crowded ? crowded_room(page) : FAR_ROOM + fine_room(page);
}

// Cells of global memory that are smaller than words have narrow codes.
static bool is_narrow(const RacePage *page, int fine) {
  return !page->is_near && fine;
}

bool race_page_refine(RacePage *page, int fine) {
  const uint32_t before = fine_room(page);
  Pasts *finer[NUM_PASTS] = {NULL};
  const int shift = fine - page->fine;
  assert(shift > 0 && fine <= 2 && "cells only become finer");
  bool ok = true;
  for (int i = 0; i < page->num_pasts; i++) {
    if (!page->pasts[i]) continue;
    finer[i] = pasts_refine(page->pasts[i], shift, is_narrow(page, fine));
    ok = ok && finer[i];
  }
  for (int i = 0; i < page->num_pasts; i++) {
    pasts_destroy(ok ? page->pasts[i] : finer[i]);
    if (ok) page->pasts[i] = finer[i];
  }
  if (ok) refine_others(page, shift);
  for (int i = 0; ok && i < 2; i++)
    if (page->crowds[i]) crowd_refine(page->crowds[i], shift);
  if (ok) page->fine = (uint8_t)fine;
  page->purse.most += fine_room(page) - before;
  if (page->is_crowded) page->purse.most = room_of(page);
  return ok;
}

void race_page_pay(RacePage *page, size_t bytes) {
  if (page->is_near) return;
  purse_spend(&page->purse, bytes);
  if (page->is_crowded) page->purse.most = room_of(page);
}

void race_page_restart(RacePage *page, uint32_t stamp) {
  page->purse.total = NULL; // its launch is over
  forget(page);
  drop_words(page);
  page->stamp = stamp;
  page->is_crowded = page->is_lost = page->has_own = false;
  memset(page->strong, 0, sizeof page->strong);
  page->purse.most = room_of(page);
}

void race_page_crowd(RacePage *page) {
  assert(!page->is_crowded && "a page is crowded once"); // I9
  forget_others(page);
  for (int i = 0; i < page->num_pasts; i++)
    if (i != LAST_WRITE && i != COPIES) race_page_drop(page, i);
  page->is_crowded = true;
  page->purse.most = room_of(page);
}

Pasts *race_page_take_writes(RacePage *page) {
  Pasts *writes = page_pasts(page, LAST_WRITE);
  if (!writes) return NULL;
  pasts_detach(writes);
  page->pasts[LAST_WRITE] = NULL;
  return writes;
}

static bool make_room(RacePage *page, int which) {
  if (which < page->num_pasts) return true;
  const uint32_t before = fine_room(page);
  Pasts **pasts = realloc(page->pasts, ((size_t)which + 1) * sizeof(Pasts *));
  if (!pasts) return false;
  for (int i = page->num_pasts; i <= which; i++) pasts[i] = NULL;
  page->pasts = pasts;
  page->num_pasts = (uint8_t)(which + 1);
  page->purse.most += fine_room(page) - before;
  return true;
}

Pasts *race_page_pasts(RacePage *page, int which) {
  assert(which < NUM_PASTS && page->stamp && "a page that nobody began");
  if (!make_room(page, which)) return NULL;
  Pasts **pasts = &page->pasts[which];
  if (!*pasts)
    *pasts = pasts_create((uint32_t)PAGE_WORDS << page->fine,
                          is_narrow(page, page->fine), &page->purse);
  return *pasts;
}

void race_page_drop(RacePage *page, int which) {
  pasts_destroy(page->pasts[which]);
  page->pasts[which] = NULL;
}

SyncWord *race_sync_word_if_any(const RacePage *page, uint64_t offset) {
  const uint32_t i = race_word_number(offset);
  SyncWord *chunk =
      page->sync_chunks ? page->sync_chunks[i / SYNC_CHUNK] : NULL;
  SyncWord *word = chunk ? &chunk[i % SYNC_CHUNK] : page->other_words;
  if (word) word->clocks.number = (uint16_t)(page->number * PAGE_WORDS + i);
  return word;
}

// Allocates the table of chunks; false: no memory.
static bool make_table(RacePage *page) {
  const size_t bytes = NUM_CHUNKS * sizeof *page->sync_chunks;
  page->sync_chunks = calloc(1, bytes);
  if (page->sync_chunks) purse_spend(&page->purse, bytes);
  return page->sync_chunks;
}

// Allocates a chunk, if there is memory.  Its words get the clocks of
// `other_words`, which has stood for them.
static void make_chunk(RacePage *page, uint32_t i) {
  if (!page->sync_chunks && !make_table(page)) return;
  SyncWord *chunk = calloc(1, chunk_bytes());
  page->sync_chunks[i] = chunk;
  for (int j = 0; chunk && page->other_words && j < SYNC_CHUNK; j++)
    sync_word_copy(&chunk[j], page->other_words);
  page->is_lost = page->is_lost || page->other_words;
  if (chunk) page->num_chunks++;
  if (page->is_near && page->is_crowded) page->purse.most = room_of(page);
}

// Takes room for a chunk from the purse; false: there is none.  A page of
// shared memory may have a few chunks even if the purse is empty.
static bool take_chunk(RacePage *page, bool is_own) {
  if (page->other_words && !is_own) return false;
  if (!is_own && (!page->is_near || page->num_chunks >= NEAR_CHUNKS))
    return purse_take_words(&page->purse, chunk_bytes());
  purse_spend(&page->purse, chunk_bytes());
  return true;
}

static void make_others(RacePage *page) {
  if (page->other_words) return;
  page->other_words = calloc(1, sizeof *page->other_words);
  if (!page->other_words) return;
  page->other_words->clocks.is_shared = true;
  purse_spend(&page->purse, sizeof *page->other_words);
}

static SyncWord *word_at(RacePage *page, uint32_t stamp, uint64_t offset,
                         bool is_own) {
  race_page_begin(page, stamp);
  const uint32_t i = race_word_number(offset) / SYNC_CHUNK;
  const bool is_made = page->sync_chunks && page->sync_chunks[i];
  if (!is_made && take_chunk(page, is_own))
    make_chunk(page, i);
  else if (!is_made)
    make_others(page);
  return race_sync_word_if_any(page, offset);
}

SyncWord *race_own_word(RacePage *page, uint32_t stamp, uint64_t offset) {
  SyncWord *word = word_at(page, stamp, offset, true);
  page->has_own = true;
  if (page->is_near && page->is_crowded) page->purse.most = room_of(page);
  return word;
}

// Adds the words of the chunk to `other_words`, and frees it.
static void merge_chunk(RacePage *page, SyncWord **chunk) {
  for (int i = 0; i < SYNC_CHUNK; i++)
    sync_word_merge(page->other_words, &(*chunk)[i]);
  free(*chunk);
  *chunk = NULL;
  page->num_chunks--;
  purse_give_words(&page->purse, chunk_bytes());
}

static void merge_chunks(RacePage *page) {
  for (int i = 0; page->num_chunks && i < NUM_CHUNKS; i++) {
    if (!page->sync_chunks[i]) continue;
    merge_chunk(page, &page->sync_chunks[i]);
    page->is_lost = true;
  }
}

void race_page_save_words(RacePage *page, uint32_t stamp, ClockUse *use) {
  if (!clock_use_is_full(use, CLOCKS_BY_CTA)) return;
  race_page_begin(page, stamp);
  if (page->has_own) return;
  make_others(page);
  if (!page->other_words) return;
  merge_chunks(page);
  if (clock_use_is_full(use, CLOCKS_COMMON) &&
      !page->other_words->clocks.is_common)
    word_clocks_make_common(&page->other_words->clocks, use);
}

SyncWord *race_sync_word(RacePage *page, uint32_t stamp, uint64_t offset) {
  return word_at(page, stamp, offset, false);
}

SyncWord *cell_word(const Cells *cells, uint32_t i) {
  const uint64_t cell = cells->first + i;
  return race_sync_word(cells->page, cells->page->stamp, cell * cells->bytes);
}

SyncWord *cell_word_if_any(const Cells *cells, uint32_t i) {
  const uint64_t cell = cells->first + i;
  return race_sync_word_if_any(cells->page, cell * cells->bytes);
}

bool cells_have_none(const Cells *cells, int which) {
  const Pasts *pasts = page_pasts(cells->page, which);
  uint32_t found = 0;
  for (uint32_t i = 0; pasts && !pasts->is_narrow && i < cells->count; i++)
    found |= pasts->codes[cells->first + i];
  for (uint32_t i = 0; pasts && pasts->is_narrow && i < cells->count; i++)
    found |= pasts_code(pasts, cells->first + i);
  return !found;
}

bool cells_are_alike(const Cells *cells) {
  const Pasts *pasts = page_pasts(cells->page, LAST_WRITE);
  if (!cells->count || !pasts) return false;
  if (pasts->is_narrow)
    return pasts_count_alike(pasts, cells->first, cells->count) == cells->count;
  const uint16_t *codes = pasts->codes + cells->first;
  return !memcmp(codes, codes + 1, (cells->count - 1) * sizeof *codes);
}

uint32_t cells_count_alike(const Cells *cells, uint32_t i) {
  const RacePage *page = cells->page;
  uint32_t most = cells->count - i;
  if (most == 1) return 1;
  for (int which = 0; which < page->num_pasts && most > 1; which++) {
    const Pasts *pasts = page->pasts[which];
    if (pasts) most = pasts_count_alike(pasts, cells->first + i, most);
  }
  return most;
}

bool cells_have_only_writes(const Cells *cells) {
  return !page_has_others(cells->page) && !page_has_words(cells->page) &&
         !copy_reads_any(cells->page) && cells_have_none(cells, WEAK_WRITE) &&
         cells_have_none(cells, COPIES) && cells_have_none(cells, FIRST_READ);
}
