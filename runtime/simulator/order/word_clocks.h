// word_clocks.h -- the clocks that strong writes left at a word.
//
// There is one clock for all threads, from writes with the GPU's reach, and one
// for each CTA, for its own threads, which may know more.  If memory is short,
// neighbouring words share them, and such words of all pages share one clock of
// the launch (clock_use_common()).
#ifndef TILE_SIMULATOR_WORD_CLOCKS_H
#define TILE_SIMULATOR_WORD_CLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/simulator/order/clock.h"

enum { NUM_NEARS = 3 };

typedef struct WordClocks {
  Clock *far;
  // The clocks of the CTAs that wrote last, the latest first; NULL: the end.
  Clock *near[NUM_NEARS];
  uint32_t near_cta[NUM_NEARS];
  bool is_shared;  // by several words
  bool is_common;  // the launch's clock belongs to these, too
  uint16_t number; // the same in each run; words far apart may share it
} WordClocks;

void word_clocks_clear(WordClocks *word);
// For threads of the CTA; NULL: empty.  The word keeps the reference.
Clock *word_clocks_near(const WordClocks *word, uint32_t cta);
// An update keeps the clocks of earlier writes, a plain write does not.
void word_clocks_leave(WordClocks *word, uint32_t cta, Clock *near, Clock *far,
                       bool is_update);
// Adds the clocks of a word, which has none then, to those of several.
void word_clocks_merge(WordClocks *shared, WordClocks *word);
// Moves them to the launch's clock.
void word_clocks_make_common(WordClocks *shared, ClockUse *use);

#endif
