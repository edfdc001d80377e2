// sync_word.h -- the clocks that strong writes left at a word, and the lanes
// that wait for it.
#ifndef TILE_SIMULATOR_SYNC_WORD_H
#define TILE_SIMULATOR_SYNC_WORD_H

#include "runtime/simulator/order/order.h"

typedef struct SyncWord {
  WordClocks clocks;
  bool is_polled;      // a lane waits, or has waited, for a change
  uint32_t version;    // counts strong writes, while something is found
  struct Found *found; // see found.h; the latest first
} SyncWord;

void sync_word_clear(SyncWord *word);
void found_forget(SyncWord *word);
// `word`, which is new, gets the clocks of another.
void sync_word_copy(SyncWord *word, const SyncWord *from);
// A weak write leaves nothing.
void sync_word_overwrite(SyncWord *word);
// The clocks that writes have left at `from` move to `to`.
void sync_word_move(SyncWord *to, SyncWord *from);

#endif
