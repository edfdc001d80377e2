// sync_word.c -- the clocks that strong writes left at a word.
#include "runtime/simulator/history/sync_word.h"

#include <assert.h>
#include <stddef.h>

void sync_word_clear(SyncWord *word) {
  word_clocks_clear(&word->clocks);
  found_forget(word);
  *word = (SyncWord){.found = NULL};
}

void sync_word_merge(SyncWord *shared, SyncWord *word) {
  word_clocks_merge(&shared->clocks, &word->clocks);
  shared->is_polled = shared->is_polled || word->is_polled;
  sync_word_clear(word);
}

void sync_word_copy(SyncWord *word, const SyncWord *from) {
  *word = (SyncWord){.clocks = from->clocks, .is_polled = from->is_polled};
  word->clocks.is_shared = false;
  clock_keep(word->clocks.far);
  for (int i = 0; i < NUM_NEARS; i++) clock_keep(word->clocks.near[i]);
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
  *from = (SyncWord){.found = NULL};
}
