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

bool words_have(WordList list, const char *word);
// The same of a word of `length` bytes.
bool words_have_span(WordList list, const char *word, size_t length);

#endif
