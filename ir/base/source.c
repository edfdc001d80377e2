// source.c -- finding the lines of a text.
#include "ir/base/source.h"

#include "ir/base/utf8.h"

#include <string.h>

Source *source_create(Arena *arena, const char *name, const char *text,
                      size_t length) {
  Source *source = arena_new(arena, Source);
  *source = (Source){
      .name = arena_strdup(arena, name), .text = text, .length = length};
  return source;
}

bool source_same_text(const Source *a, const Source *b) {
  return a->text == b->text ||
         (a->length == b->length && !memcmp(a->text, b->text, a->length));
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

static int count_letters(const char *text, int length) {
  int count = 0;
  for (int i = 0; i < length; i++) count += !utf8_continues(text[i]);
  return count;
}

SrcLoc source_place(const Source *source, SrcLoc loc) {
  size_t length;
  if (!source || !source->is_recoded) return loc;
  const char *line = source_line(source, loc.line, &length);
  const int most = line ? (int)length : 0, before = loc.column - 1;
  if (before < 0 || loc.span < 0 || before > most || loc.span > most - before)
    return loc;
  loc.column = count_letters(line, before) + 1;
  loc.span = count_letters(line + before, loc.span);
  return loc;
}
