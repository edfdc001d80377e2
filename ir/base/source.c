// source.c -- finding lines again.
#include "ir/base/source.h"

#include <string.h>

Source *source_create(Arena *arena, const char *name, const char *text,
                      size_t length) {
  Source *source = arena_new(arena, Source);
  *source = (Source){NULL, arena_strdup(arena, name), text, length};
  return source;
}

const char *source_line(const Source *source, int line, size_t *length) {
  const char *at = source->text, *const end = at + source->length;
  for (int i = 1; i < line; i++) {
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    if (!newline) return NULL;
    at = newline + 1;
  }
  const char *stop = memchr(at, '\n', (size_t)(end - at));
  if (!stop) stop = end;
  if (stop > at && stop[-1] == '\r') stop--;
  *length = (size_t)(stop - at);
  return at;
}
