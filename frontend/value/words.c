// words.c -- the lists of words.def.
#include "frontend/value/words.h"

#include "ir/base/base.h"
#include "ir/base/diag.h"

#include <assert.h>

#define WORDS(list, ...)                                                       \
  static const char *const words_##list[] = {__VA_ARGS__};
#include "frontend/value/words.def"

static const struct {
  const char *const *words;
  size_t count;
} lists[] = {
#define WORDS(list, ...) {words_##list, sizeof words_##list / sizeof(char *)},
#include "frontend/value/words.def"
};

const char *const *words_of(WordList list, size_t *count) {
  *count = lists[list].count;
  return lists[list].words;
}

bool words_have(WordList list, const char *word) {
  return words_have_span(list, word, strlen(word));
}

bool words_have_span(WordList list, const char *word, size_t length) {
  assert(list < NUM_WORD_LISTS && lists[list].count > 0); // I11
  return names_have_span(lists[list].words, lists[list].count, word, length);
}

const char *words_nearest(WordList list, const char *written) {
  return diag_nearest(written, lists[list].words, lists[list].count);
}
