// word_clocks.c -- the clocks that strong writes left at a word.
#include "runtime/simulator/order/word_clocks.h"

#include <stddef.h>
#include <string.h>

void word_clocks_clear(WordClocks *word) {
  clock_drop(word->far);
  word->far = NULL;
  for (int i = 0; i < NUM_NEARS; i++) {
    clock_drop(word->near[i]);
    word->near[i] = NULL;
  }
}

Clock *word_clocks_near(const WordClocks *word, uint32_t cta) {
  for (int i = 0; i < NUM_NEARS && word->near[i]; i++)
    if (word->near_cta[i] == cta) return word->near[i];
  return NULL;
}

// The CTA's slot, moved to the front; a new CTA replaces the last one.
static Clock **near_place(WordClocks *word, uint32_t cta) {
  int i = 0;
  while (i < NUM_NEARS - 1 && word->near[i] && word->near_cta[i] != cta) i++;
  Clock *own = word->near[i];
  if (word->near_cta[i] != cta) {
    if (word->is_shared) clock_add(&word->far, own);
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

void word_clocks_leave(WordClocks *word, uint32_t cta, Clock *near, Clock *far,
                       bool is_update) {
  if (!is_update) word_clocks_clear(word);
  clock_add(&word->far, far);
  if (near) clock_add(near_place(word, cta), near);
}

void word_clocks_merge(WordClocks *shared, WordClocks *word) {
  clock_add(&shared->far, word->far);
  for (int i = 0; i < NUM_NEARS && word->near[i]; i++)
    clock_add(near_place(shared, word->near_cta[i]), word->near[i]);
  word_clocks_clear(word);
}

void word_clocks_make_common(WordClocks *shared, ClockUse *use) {
  shared->is_common = true;
  clock_use_leave(use, shared->far);
  for (int i = 0; i < NUM_NEARS && shared->near[i]; i++)
    clock_use_leave(use, shared->near[i]);
  word_clocks_clear(shared);
}
