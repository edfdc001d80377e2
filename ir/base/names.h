// names.h -- tests of a text against a short list of names, or of pairs; ends
// of texts.
#ifndef TILE_IR_BASE_NAMES_H
#define TILE_IR_BASE_NAMES_H

#include "ir/base/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

typedef Vec(const char *) Names;

static inline bool names_have_span(const char *const *names, size_t count,
                                   const char *text, size_t length) {
  const char first = length ? *text : '\0';
  for (size_t i = 0; i < count; i++) {
    if (*names[i] == first && strlen(names[i]) == length &&
        !memcmp(names[i], text, length))
      return true;
  }
  return false;
}

static inline bool names_have(const char *const *names, size_t count,
                              const char *text) {
  return names_have_span(names, count, text, strlen(text));
}

static inline bool text_ends_with(const char *text, const char *end) {
  const size_t length = strlen(text), size = strlen(end);
  return length >= size && !memcmp(text + length - size, end, size);
}

// The second word of the pair whose first word is `text`; NULL if there is
// none.
static inline const char *names_other(const char *const pairs[][2],
                                      size_t count, const char *text) {
  for (size_t i = 0; i < count; i++) {
    if (!strcmp(pairs[i][0], text)) return pairs[i][1];
  }
  return NULL;
}

#endif
