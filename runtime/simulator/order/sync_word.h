// sync_word.h -- what strong writes left at a word.
//
// For all that a write of the GPU's reach hands on, and for each CTA what its
// own threads hand on to each other, which may be more.
#ifndef TILE_SIMULATOR_SYNC_WORD_H
#define TILE_SIMULATOR_SYNC_WORD_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/simulator/code/clock.h"

enum { NUM_NEARS = 3 };

typedef struct SyncWord {
  Clock *far;
  // The clocks of the CTAs that wrote last, the last first; no clock: no more
  // of them.
  Clock *near[NUM_NEARS];
  uint32_t near_cta[NUM_NEARS];
  bool is_polled;      // somebody waits, or has waited, for a change
  uint32_t version;    // counts strong writes, while something is found
  struct Found *found; // see found.h; the latest first
} SyncWord;

void sync_word_clear(SyncWord *word);
void found_forget(SyncWord *word);
// For threads of the CTA; NULL: nothing.  The word keeps it.
Clock *sync_word_near(const SyncWord *word, uint32_t cta);
// An update keeps what earlier writes left, a plain write does not.
void sync_word_leave(SyncWord *word, uint32_t cta, Clock *near, Clock *far,
                     bool is_update);
// A weak write leaves nothing.
void sync_word_overwrite(SyncWord *word);
// The clocks that writes have left at `from` move to `to`.
void sync_word_move(SyncWord *to, SyncWord *from);

#endif
