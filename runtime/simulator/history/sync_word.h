// sync_word.h -- the clocks that strong writes left at a word, and whether
// lanes wait for it.
#ifndef TILE_SIMULATOR_SYNC_WORD_H
#define TILE_SIMULATOR_SYNC_WORD_H

#include "runtime/simulator/order/order.h"

typedef struct SyncWord {
  WordClocks clocks;
  bool is_polled;      // a lane waits, or has waited, for a change
  uint32_t version;    // counts strong writes while `found` has entries
  struct Found *found; // see found.h; the latest first
} SyncWord;

void sync_word_clear(SyncWord *word);
// Adds the clocks of `word`, which is cleared, to those of several.
void sync_word_merge(SyncWord *shared, SyncWord *word);
void found_forget(SyncWord *word);
// Copies clocks to `word`, which is new.
void sync_word_copy(SyncWord *word, const SyncWord *from);
// A weak write removes the clocks.
void sync_word_overwrite(SyncWord *word);
// Moves the clocks from `from` to `to`.
void sync_word_move(SyncWord *to, SyncWord *from);

#endif
