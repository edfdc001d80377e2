// race_page.c -- what is remembered of the accesses to memory.
//
// Memory for a page's cells is taken when the first of them wants it.  If there
// is none, nothing is remembered.
#include "runtime/simulator/history/race_page.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/simulator/history/copy_reads.h"
#include "runtime/simulator/history/readers.h"

enum { PAGE_WORDS = RACE_PAGE_BYTES / WORD_BYTES };

// -- Pages -------------------------------------------------------------------

static uint64_t num_pages(uint64_t num_bytes) {
  return num_bytes / RACE_PAGE_BYTES + 1;
}

RacePage *race_pages_create(uint64_t num_bytes) {
  return calloc(num_pages(num_bytes), sizeof(RacePage));
}

static void forget(RacePage *page) {
  for (int i = 0; page->sync_words && i < PAGE_WORDS; i++)
    sync_word_clear(&page->sync_words[i]);
  for (int i = 0; i < page->num_pasts; i++)
    if (page->pasts[i]) pasts_forget_all(page->pasts[i]);
  copy_reads_forget(page);
  page->has_others[OTHER_READS] = page->has_others[OTHER_WRITES] = false;
  for (int i = 0; i < 2 * NUM_REACHES; i++) {
    readers_destroy(page->others[i / NUM_REACHES][i % NUM_REACHES]);
    page->others[i / NUM_REACHES][i % NUM_REACHES] = NULL;
  }
}

void race_pages_destroy(RacePage *pages, uint64_t num_bytes) {
  for (uint64_t i = 0; pages && i < num_pages(num_bytes); i++) {
    if (!pages[i].stamp) continue;
    forget(&pages[i]);
    copy_reads_destroy(&pages[i]);
    for (int j = 0; j < pages[i].num_pasts; j++)
      pasts_destroy(pages[i].pasts[j]);
    free(pages[i].pasts);
    free(pages[i].sync_words);
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

// Accesses for whose finer cells there is no memory are forgotten.
static void refine_others(RacePage *page, int shift) {
  for (int i = 0; i < 2 * NUM_REACHES; i++) {
    Readers **others = &page->others[i / NUM_REACHES][i % NUM_REACHES];
    if (*others && readers_refine(*others, shift)) continue;
    readers_destroy(*others);
    *others = NULL;
  }
}

bool race_page_refine(RacePage *page, int fine) {
  Pasts *finer[NUM_PASTS] = {NULL};
  const int shift = fine - page->fine;
  assert(shift > 0 && fine <= 2 && "cells only become finer");
  bool ok = true;
  for (int i = 0; i < page->num_pasts; i++) {
    if (!page->pasts[i]) continue;
    finer[i] = pasts_refine(page->pasts[i], shift);
    ok = ok && finer[i];
  }
  for (int i = 0; i < page->num_pasts; i++) {
    pasts_destroy(ok ? page->pasts[i] : finer[i]);
    if (ok) page->pasts[i] = finer[i];
  }
  if (ok) refine_others(page, shift);
  if (ok) page->fine = (uint8_t)fine;
  return ok;
}

void race_page_restart(RacePage *page, uint32_t stamp) {
  forget(page);
  page->stamp = stamp;
}

static bool make_room(RacePage *page, int which) {
  if (which < page->num_pasts) return true;
  Pasts **pasts = realloc(page->pasts, ((size_t)which + 1) * sizeof(Pasts *));
  if (!pasts) return false;
  for (int i = page->num_pasts; i <= which; i++) pasts[i] = NULL;
  page->pasts = pasts;
  page->num_pasts = (uint8_t)(which + 1);
  return true;
}

Pasts *race_page_pasts(RacePage *page, int which) {
  assert(which < NUM_PASTS && page->stamp && "a page that nobody began");
  if (!make_room(page, which)) return NULL;
  Pasts **pasts = &page->pasts[which];
  if (!*pasts) *pasts = pasts_create((uint32_t)PAGE_WORDS << page->fine);
  return *pasts;
}

void race_page_drop(RacePage *page, int which) {
  pasts_destroy(page->pasts[which]);
  page->pasts[which] = NULL;
}

SyncWord *race_sync_word(RacePage *page, uint32_t stamp, uint64_t offset) {
  race_page_begin(page, stamp);
  if (!page->sync_words)
    page->sync_words = calloc(PAGE_WORDS, sizeof *page->sync_words);
  return page->sync_words
             ? page->sync_words + offset % RACE_PAGE_BYTES / WORD_BYTES
             : NULL;
}

SyncWord *cell_word(const Cells *cells, uint32_t i) {
  const uint64_t cell = cells->first + i;
  return race_sync_word(cells->page, cells->page->stamp, cell * cells->bytes);
}

bool cells_have_none(const Cells *cells, int which) {
  const Pasts *pasts = page_pasts(cells->page, which);
  uint32_t found = 0;
  for (uint32_t i = 0; pasts && i < cells->count; i++)
    found |= pasts->codes[cells->first + i];
  return !found;
}

bool cells_are_alike(const Cells *cells) {
  const Pasts *pasts = page_pasts(cells->page, LAST_WRITE);
  if (!cells->count || !pasts) return false;
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
  return !page_has_others(cells->page) && !cells->page->sync_words &&
         !copy_reads_any(cells->page) && cells_have_none(cells, WEAK_WRITE) &&
         cells_have_none(cells, COPIES) && cells_have_none(cells, FIRST_READ);
}
