// words.h -- the lists of words.def.
#ifndef TILE_FRONTEND_VALUE_WORDS_H
#define TILE_FRONTEND_VALUE_WORDS_H

#include <stdbool.h>
#include <stddef.h>

typedef enum {
#define WORDS(list, ...) WORDS_##list,
#include "frontend/value/words.def"
  NUM_WORD_LISTS
} WordList;

// The words of the list; their number in `*count`.
const char *const *words_of(WordList list, size_t *count);
bool words_have(WordList list, const char *word);
// The same for a word of `length` bytes.
bool words_have_span(WordList list, const char *word, size_t length);
// The word nearest to the written one; NULL if none is near.
const char *words_nearest(WordList list, const char *written);

#endif
