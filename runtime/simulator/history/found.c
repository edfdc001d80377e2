// found.c -- the strong writes of a word that each lane has read (found).
//
// A read that finds a strong write comes after it.  An atomic that returns a
// value needs no entry here while it is the last write of its word, as in most
// counters and locks: it has read the write before it.  Other words keep the
// latest reads.
//
// For example, lane 0 of warp 1 writes a flag by st.relaxed at time 4, and lane
// 0 of warp 2 reads it by ld.relaxed.  No clock is released, but the entry says
// that warp 2 has found that write; so a later weak write of the flag by warp 2
// is no race with it.
#include "runtime/simulator/history/found.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/simulator/history/readers.h"

enum { MOST_FOUND = 32 };

// A read by lanes of a warp at one time, between two writes of the word.
typedef struct Found {
  struct Found *next; // an older one
  Past who;
  uint32_t version; // of the word
  uint32_t count, room;
  Past *writes;
  Purse *purse; // of the page
} Found;

// The size of the record and its array.
static size_t bytes_of(const Found *found) {
  return sizeof *found + found->room * sizeof *found->writes +
         (size_t)2 * MALLOC_ADDS;
}

static Found *drop(Found *found) {
  Found *next = found->next;
  purse_give_words(found->purse, bytes_of(found));
  free(found->writes);
  free(found);
  return next;
}

void found_forget(SyncWord *word) {
  while (word->found) word->found = drop(word->found);
}

// Whether the word shares its record with other words; then it is unknown which
// lane has found which write.
static bool is_shared(const Cells *cells, const SyncWord *word) {
  return word && word == cells->page->other_words;
}

static uint32_t number_of(const Cells *cells, uint32_t i) {
  return race_word_number((uint64_t)(cells->first + i) * cells->bytes);
}

// Whether any lane may have found strong writes of the word, because the
// records were lost.
static bool is_lost(const Cells *cells, uint32_t i) {
  const RacePage *page = cells->page;
  const uint32_t word = number_of(cells, i);
  return (page->is_lost || is_shared(cells, cell_word_if_any(cells, i))) &&
         page->strong[word / 64] >> word % 64 & 1;
}

// -- Finding -----------------------------------------------------------------

static void add_write(Found *found, const Past *write) {
  if (found->count == found->room) {
    const uint32_t room = found->room ? 2 * found->room : 4;
    Past *writes = realloc(found->writes, room * sizeof *writes);
    if (!writes) return;
    found->writes = writes;
    found->room = room;
  }
  found->writes[found->count++] = *write;
}

// Adds the writes that the last write has passed on, or comes after.
static void add_others(Found *found, const Cells *cells, uint32_t i) {
  const Past last = cell_past(cells, LAST_WRITE, i);
  for (int j = REACH_CTA; j <= REACH_GPU; j++) {
    const Readers *others = cells->page->others[OTHER_WRITES][j];
    Past past;
    ReadersAt at = {NULL, 0, 0};
    while (others && readers_next(others, cells->first + i, &at, &past))
      if (is_strong_with(&past, last.cta, reach_of(&last)))
        add_write(found, &past);
  }
}

static bool knows_all(const Found *found, const Warp *warp, int lane) {
  for (uint32_t i = 0; i < found->count; i++)
    if (past_unknown(&found->writes[i], warp, lane)) return false;
  return true;
}

static void keep_latest(SyncWord *word) {
  Found **link = &word->found;
  for (int i = 0; *link && i < MOST_FOUND; i++) link = &(*link)->next;
  while (*link) *link = drop(*link);
}

// From now on every lane counts as having found every strong write.
static void lose(RacePage *page) {
  page->is_lost = true;
  for (int i = 0; page->sync_chunks && i < NUM_CHUNKS * SYNC_CHUNK; i++) {
    SyncWord *chunk = page->sync_chunks[i / SYNC_CHUNK];
    if (chunk) found_forget(&chunk[i % SYNC_CHUNK]);
  }
}

static bool may_add(RacePage *page, const Found *found) {
  if (page->is_lost) return false;
  if (purse_take_words(&page->purse, bytes_of(found))) return true;
  lose(page);
  return false;
}

static void add_found(RacePage *page, SyncWord *word, const Found *found) {
  assert(found->count && found->version == word->version &&
         "found nothing of this word");
  Found *added = may_add(page, found) ? malloc(sizeof *added) : NULL;
  if (!added) {
    free(found->writes);
    return;
  }
  *added = *found;
  added->purse = &page->purse;
  added->next = word->found;
  word->found = added;
  keep_latest(word);
}

// Whether the lane, or others of its warp at that time, have found the same.
static bool has_found(const SyncWord *word, const Past *who) {
  for (Found *found = word->found; found && found->version == word->version;
       found = found->next) {
    if (!is_same_warp(&found->who, who)) continue;
    if (!(who->lanes & ~found->who.lanes)) return true;
    if (found->who.clock != who->clock) continue;
    found->who.lanes |= who->lanes;
    return true;
  }
  return false;
}

void found_read(const Cells *cells, uint32_t i, const Past *who,
                const Warp *warp, int lane) {
  const Past last = cell_past(cells, LAST_WRITE, i);
  if (!last.what || !is_strong_with(&last, who->cta, reach_of(who))) return;
  const bool passes_on = cells->page->has_others[OTHER_WRITES] &&
                         last.what & (PAST_UPDATES | PAST_FINDS);
  if (!passes_on && !past_unknown(&last, warp, lane)) return;
  SyncWord *word = cell_word(cells, i);
  if (!word || is_shared(cells, word) || has_found(word, who)) return;
  Found found = {.who = *who, .version = word->version};
  add_write(&found, &last);
  if (passes_on) add_others(&found, cells, i);
  if (!cells->page->crowds[OTHER_WRITES] && knows_all(&found, warp, lane))
    free(found.writes);
  else
    add_found(cells->page, word, &found);
}

// -- Writing -----------------------------------------------------------------

// Removes a write: reads have found another write of the lane at that time, not
// this one.
static void take_from(Found *found, const Past *write) {
  for (uint32_t i = 0; i < found->count; i++) {
    Past *past = &found->writes[i];
    if (is_same_warp(past, write) && past->clock == write->clock)
      past->lanes &= ~write->lanes;
  }
}

// Before the last write is replaced, stores the writes that its lane had found
// as an entry, so that accesses after it are still known to come after these
// writes.
static void keep_found(const Cells *cells, uint32_t i, const Past *last) {
  if (!cells->page->has_others[OTHER_WRITES]) return;
  SyncWord *word = cell_word(cells, i);
  if (!word || is_shared(cells, word)) return;
  Found found = {.who = *last, .version = word->version};
  add_others(&found, cells, i);
  if (cells->page->crowds[OTHER_WRITES]) add_write(&found, last);
  if (found.count) add_found(cells->page, word, &found);
}

uint32_t found_write(const Cells *cells, uint32_t i, const Past *write,
                     const Warp *warp, int lane) {
  const Past last = cell_past(cells, LAST_WRITE, i);
  SyncWord *word = cell_word_if_any(cells, i);
  const uint32_t at = number_of(cells, i);
  cells->page->strong[at / 64] |= UINT64_C(1) << at % 64;
  const bool was_found = last.what & PAST_FINDS;
  const bool is_known = was_found && !past_unknown(&last, warp, lane);
  const bool finds =
      is_known || (write->what & PAST_FINDS &&
                   (!last.what || !reach_of(&last) ||
                    is_strong_with(&last, write->cta, reach_of(write))));
  if (was_found && (!finds || reach_of(write) < reach_of(&last)))
    keep_found(cells, i, &last);
  if (word && word->found) {
    word->version++;
    for (Found *found = word->found; found; found = found->next)
      take_from(found, write);
  }
  return finds ? PAST_FINDS : 0;
}

// -- Looking -----------------------------------------------------------------

static bool knows_any(const Past *past, const Warp *warp, int lane) {
  return past_unknown(past, warp, lane) != past->lanes;
}

// Whether the lane has found the write through the last write, if that is
// another one.
static bool last_tells(const Cells *cells, uint32_t i, const Past *write,
                       const Warp *warp, int lane) {
  const Past last = cell_past(cells, LAST_WRITE, i);
  return last.what & PAST_FINDS && memcmp(&last, write, sizeof last) &&
         is_strong_with(&last, write->cta, reach_of(write)) &&
         knows_any(&last, warp, lane);
}

uint32_t found_not(const Cells *cells, uint32_t i, const Past *write,
                   uint32_t lanes, const Warp *warp, int lane) {
  if (!lanes || !reach_of(write)) return lanes;
  if (is_lost(cells, i)) return 0;
  if (last_tells(cells, i, write, warp, lane)) return 0;
  const SyncWord *word = cell_word_if_any(cells, i);
  const Found *found = word ? word->found : NULL;
  for (; found && lanes; found = found->next) {
    for (uint32_t j = 0; j < found->count; j++) {
      const Past *past = &found->writes[j];
      if (is_same_warp(past, write) && past->clock == write->clock &&
          (past->lanes & lanes) && knows_any(&found->who, warp, lane))
        lanes &= ~past->lanes;
    }
  }
  return lanes;
}

bool found_any(const Cells *cells, uint32_t i, const Warp *warp, int lane) {
  const Past last = cell_past(cells, LAST_WRITE, i);
  if (is_lost(cells, i) ||
      (last.what & PAST_FINDS && knows_any(&last, warp, lane)))
    return true;
  const SyncWord *word = cell_word_if_any(cells, i);
  const Found *found = word ? word->found : NULL;
  while (found && !knows_any(&found->who, warp, lane)) found = found->next;
  return found;
}
