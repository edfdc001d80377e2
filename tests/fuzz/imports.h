// imports.h -- the files that a text imports: pieces of the text itself.
//
// The existence of a file, and its beginning in the text, depend on its name
// alone, so that a text always has the same meaning.  There are few files, and
// no packages above the text.
#ifndef TILE_TESTS_FUZZ_IMPORTS_H
#define TILE_TESTS_FUZZ_IMPORTS_H

#include "frontend/frontend.h"
#include "tests/tools/fnv.h"

#include <stdint.h>
#include <string.h>

typedef struct {
  const char *text;
  size_t length;
  int left; // number of further files
} Imports;

static inline uint32_t imports_hash(const char *path) {
  const uint32_t hash = fnv_text(FNV_SEED, path);
  return hash ^ hash >> 15;
}

// Gives an import the text from a line on, or all of the text.
static inline const char *imports_read(void *ctx, const char *path,
                                       Arena *arena, size_t *length) {
  Imports *imports = ctx;
  const char *slash = strchr(path, '/');
  const uint32_t hash = imports_hash(path);
  if (*path == '/' || !strncmp(path, "..", 2) ||
      (slash && strchr(slash + 1, '/')))
    return NULL;
  if (hash % 3 == 0 || imports->left <= 0 || !imports->length) return NULL;
  imports->left--;
  size_t begin = hash % 2 ? hash / 8 % imports->length : 0;
  while (begin && imports->text[begin - 1] != '\n') begin--;
  *length = imports->length - begin;
  return arena_strndup(arena, imports->text + begin, *length);
}

#endif
