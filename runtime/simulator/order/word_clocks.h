// word_clocks.h -- the clocks that strong writes left at a word.
//
// For all that a write of the GPU's reach hands on, and for each CTA what its
// own threads hand on to each other, which may be more.
#ifndef TILE_SIMULATOR_WORD_CLOCKS_H
#define TILE_SIMULATOR_WORD_CLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/simulator/order/clock.h"

enum { NUM_NEARS = 3 };

typedef struct WordClocks {
  Clock *far;
  // The clocks of the CTAs that wrote last, the last first; no clock: no more
  // of them.
  Clock *near[NUM_NEARS];
  uint32_t near_cta[NUM_NEARS];
} WordClocks;

void word_clocks_clear(WordClocks *word);
// For threads of the CTA; NULL: nothing.  The word keeps it.
Clock *word_clocks_near(const WordClocks *word, uint32_t cta);
// An update keeps what earlier writes left, a plain write does not.
void word_clocks_leave(WordClocks *word, uint32_t cta, Clock *near, Clock *far,
                       bool is_update);

#endif
