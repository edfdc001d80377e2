// items.c -- tuples in the values of options, as texts.
#include "runtime/tools/parts/arithmetic.h"

#include <ctype.h>
#include <string.h>

#define WORD "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789"

// The length of the string in quotes at `text`; 0: there is none.
static size_t string_length(const char *text) {
  if (*text != '"' && *text != '\'') return 0;
  const char *end = strchr(text + 1, *text);
  return end ? (size_t)(end - text) + 1 : 0;
}

// The length up to the comma or the end at this depth of brackets.
static size_t item_length(const char *text) {
  int depth = 0;
  size_t n = 0;
  while (text[n] && (depth || !strchr(",)", text[n]))) {
    const size_t string = string_length(text + n);
    depth += text[n] == '(' || text[n] == '['   ? 1
             : text[n] == ')' || text[n] == ']' ? -1
                                                : 0;
    n += string ? string : 1;
  }
  return n;
}

int items_depth(const char *text) {
  int depth = 0, most = 0;
  while (*text) {
    const size_t string = string_length(text);
    depth += *text == '(' ? 1 : *text == ')' ? -1 : 0;
    if (depth > most) most = depth;
    text += string ? string : 1;
  }
  return most;
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

// -- Items that are expressions ----------------------------------------------

typedef struct {
  Arena *arena;
  const char *at;  // unread rest
  const char *why; // reason if there is no result
  Str out;
  int depth;
} Computing;

static void copy(Computing *c, size_t length) {
  str_add_bytes(&c->out, c->at, length);
  c->at += length;
}

static void copy_name(Computing *c) {
  copy(c, strspn(c->at, " "));
  const size_t length = name_length(c->at);
  if (!length) return;
  copy(c, (size_t)(strchr(c->at + length, '=') + 1 - c->at));
  copy(c, strspn(c->at, " "));
}

// Copies the text between items: a comma, or a bracket with anything behind it.
static bool copy_end(Computing *c) {
  const bool closes = *c->at == ')';
  if (!closes && *c->at != ',') return false;
  copy(c, 1);
  if (closes) copy(c, item_length(c->at));
  c->depth -= closes;
  return true;
}

// Computes the next item; if the item is a tuple, enters it; at the end of a
// tuple, leaves it.  Each level of brackets reads its characters once more, so
// that the limit of depth limits the time, too.
static bool compute_item(Computing *c) {
  if (copy_end(c)) return true;
  copy_name(c);
  const size_t length = item_length(c->at);
  const char *item = arena_strndup(c->arena, c->at, length);
  const char *text = arithmetic_text(c->arena, item, &c->why);
  if (!text) return false;
  if (text == item && *item == '(' && c->depth < MAX_ITEMS_DEPTH) {
    c->depth++;
    copy(c, 1);
    return true;
  }
  str_add(&c->out, text);
  c->at += length;
  return true;
}

const char *items_compute(Arena *arena, const char *text, const char **why) {
  Computing c = {.arena = arena, .at = text, .out = str_in(arena)};
  bool ok = true;
  while (ok && *c.at) ok = compute_item(&c);
  *why = c.why;
  return ok ? str_text(&c.out) : NULL;
}

size_t items_place(Arena *arena, const char *text, size_t place) {
  Computing c = {.arena = arena, .at = text, .out = str_in(arena)};
  const char *start = text;
  size_t before = 0; // in the result, where that of `start` is
  while (*c.at && c.out.length <= place) {
    start = c.at;
    before = c.out.length;
    if (!compute_item(&c)) break;
  }
  const size_t length = (size_t)(c.at - start);
  const size_t from = place - before;
  return (size_t)(start - text) + (from < length ? from : length);
}
