// items.c -- tuples in the values of options, as texts.
#include "runtime/tools/parts/arithmetic.h"

#include <ctype.h>
#include <string.h>

#define WORD "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789"

// The length up to the comma or the end at this depth of brackets.
static size_t item_length(const char *text) {
  int depth = 0;
  size_t n = 0;
  for (; text[n] && (depth || !strchr(",)", text[n])); n++)
    depth += text[n] == '(' || text[n] == '['   ? 1
             : text[n] == ')' || text[n] == ']' ? -1
                                                : 0;
  return n;
}

// The length of the name before `=`; 0: none.
static size_t name_length(const char *text) {
  const size_t length = strspn(text, WORD);
  const char *after = text + length + strspn(text + length, " ");
  return *after != '=' || isdigit((unsigned char)*text) ? 0 : length;
}

// Finds the bracket that closes the first one of `text`, or the text's end.
// `*commas`: the commas between its items.
static const char *find_end(const char *text, int *commas) {
  *commas = 0;
  for (text++; *text && *text != ')'; text += *text == ',') {
    text += item_length(text);
    *commas += *text == ',';
  }
  return text;
}

static bool is_last(const char *bracket) {
  return !bracket[1 + strspn(bracket + 1, " ")];
}

bool items_are_tuple(const char *text) {
  int commas;
  if (*text != '(') return false;
  const char *end = find_end(text, &commas);
  if (!*end || !is_last(end)) return !*end;
  const char *first = text + 1 + strspn(text + 1, " ");
  return commas || *first == ')' || name_length(first);
}

const char *items_unwrap(Arena *arena, const char *text) {
  int commas;
  while (*text == '(' && !items_are_tuple(text)) {
    const char *end = find_end(text, &commas);
    if (!is_last(end)) return text;
    text += 1 + strspn(text + 1, " ");
    while (end > text && end[-1] == ' ') end--;
    text = arena_strndup(arena, text, (size_t)(end - text));
  }
  return text;
}

const char *items_take(Arena *arena, const char **text) {
  *text += strspn(*text, " ");
  const size_t length = item_length(*text);
  const char *item = arena_strndup(arena, *text, length);
  *text += length + ((*text)[length] == ',');
  return item;
}

const char *items_take_name(Arena *arena, const char **item) {
  const char *text = *item;
  const size_t length = name_length(text);
  if (!length) return NULL;
  const char *after = strchr(text + length, '=') + 1;
  *item = after + strspn(after, " ");
  return arena_strndup(arena, text, length);
}
