// sync_word.c -- what strong writes left at a word.
#include "runtime/simulator/order/sync_word.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

static void clear_clocks(SyncWord *word) {
  clock_drop(word->far);
  word->far = NULL;
  for (int i = 0; i < NUM_NEARS; i++) {
    clock_drop(word->near[i]);
    word->near[i] = NULL;
  }
}

void sync_word_clear(SyncWord *word) {
  clear_clocks(word);
  found_forget(word);
  *word = (SyncWord){.far = NULL};
}

void sync_word_overwrite(SyncWord *word) {
  const bool is_polled = word->is_polled;
  sync_word_clear(word);
  word->is_polled = is_polled;
}

void sync_word_move(SyncWord *to, SyncWord *from) {
  assert(to != from && "a word that would lose its clocks");
  sync_word_clear(to);
  *to = *from;
  *from = (SyncWord){.far = NULL};
}

Clock *sync_word_near(const SyncWord *word, uint32_t cta) {
  for (int i = 0; i < NUM_NEARS && word->near[i]; i++)
    if (word->near_cta[i] == cta) return word->near[i];
  return NULL;
}

static void join_into(Clock **place, Clock *clock) {
  if (!clock || clock == *place) return;
  Clock *both = clock_join(*place, clock);
  clock_drop(*place);
  *place = both;
}

// The CTA's place, which becomes the first; the last one gives way.
static Clock **near_place(SyncWord *word, uint32_t cta) {
  int i = 0;
  while (i < NUM_NEARS - 1 && word->near[i] && word->near_cta[i] != cta) i++;
  Clock *own = word->near[i];
  if (word->near_cta[i] != cta) {
    clock_drop(own);
    own = NULL;
  }
  memmove(word->near + 1, word->near, (size_t)i * sizeof *word->near);
  memmove(word->near_cta + 1, word->near_cta,
          (size_t)i * sizeof *word->near_cta);
  word->near[0] = own;
  word->near_cta[0] = cta;
  return &word->near[0];
}

void sync_word_leave(SyncWord *word, uint32_t cta, Clock *near, Clock *far,
                     bool is_update) {
  if (!is_update) clear_clocks(word);
  join_into(&word->far, far);
  if (near) join_into(near_place(word, cta), near);
}
