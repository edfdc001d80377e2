// json.c -- a small reader of JSON.
//
// The text ends with a NUL, which is no part of any value, so looking one
// character ahead never leaves the text.
#include "runtime/base/json.h"

#include "ir/base/base.h"
#include "ir/number.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 16 };

typedef struct {
  Arena *arena;
  const char *at;
  int depth;
} JsonReader;

static void skip_space(JsonReader *r) {
  r->at += strspn(r->at, " \t\r\n");
}

// Skips white space, and then this character if it is next.
static bool take(JsonReader *r, char c) {
  skip_space(r);
  if (*r->at != c) return false;
  r->at++;
  return true;
}

static bool take_word(JsonReader *r, const char *word) {
  const size_t length = strlen(word);
  if (strncmp(r->at, word, length)) return false;
  r->at += length;
  return true;
}

// -- Strings -----------------------------------------------------------------

static bool read_code(JsonReader *r, unsigned *out) {
  char digits[5] = "";
  if (strspn(r->at, "0123456789abcdefABCDEF") < 4) return false;
  memcpy(digits, r->at, 4);
  r->at += 4;
  *out = (unsigned)strtoul(digits, NULL, 16);
  return *out != 0;
}

// The character behind "\u"; one past 16 bits is two escapes, a surrogate pair.
static bool read_character(JsonReader *r, Str *out) {
  unsigned code, low;
  if (!read_code(r, &code)) return false;
  if (code >= 0xdc00 && code < 0xe000) return false;
  if (code >= 0xd800 && code < 0xdc00) {
    if (!take_word(r, "\\u") || !read_code(r, &low) || low < 0xdc00 ||
        low > 0xdfff)
      return false;
    code = 0x10000 + ((code - 0xd800) << 10 | (low - 0xdc00));
  }
  add_character(out, code);
  return true;
}

static bool read_escape(JsonReader *r, Str *out) {
  static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
  const char c = *r->at;
  if (!c) return false;
  r->at++;
  const char *known = strchr(from, c);
  if (known) {
    str_add_char(out, to[known - from]);
    return true;
  }
  return c == 'u' && read_character(r, out);
}

static bool read_string(JsonReader *r, const char **out) {
  Str text = str_in(r->arena);
  if (!take(r, '"')) return false;
  while (*r->at != '"') {
    if ((unsigned char)*r->at < ' ') return false; // includes the end, too
    if (*r->at == '\\') {
      r->at++;
      if (!read_escape(r, &text)) return false;
    } else {
      str_add_char(&text, *r->at++);
    }
  }
  r->at++;
  *out = str_text(&text);
  return true;
}

// -- Values ------------------------------------------------------------------

static JsonValue *read_value(JsonReader *r);

// The items between the brackets; members of an object have names.
static bool read_items(JsonReader *r, char close, JsonValue *out) {
  const JsonValue **link = &out->items;
  if (take(r, close)) return true;
  do {
    const char *name = NULL;
    if (close == '}' && (!read_string(r, &name) || !take(r, ':'))) return false;
    JsonValue *item = read_value(r);
    if (!item) return false;
    item->name = name;
    *link = item;
    link = &item->next;
  } while (take(r, ','));
  return take(r, close);
}

static bool read_nested(JsonReader *r, char close, JsonKind kind,
                        JsonValue *out) {
  out->kind = kind;
  const int outer = r->depth;
  if (outer == MAX_DEPTH) return false;
  r->depth++;
  const bool ok = read_items(r, close, out);
  assert(r->depth == outer + 1 && r->depth <= MAX_DEPTH); // I8
  r->depth = outer;
  return ok;
}

static bool read_number(JsonReader *r, JsonValue *out) {
  const char *text = r->at;
  const size_t length = strspn(text, "+-.eE0123456789");
  out->kind = JSON_NUMBER;
  out->text = arena_strndup(r->arena, text, length);
  r->at += length;
  return float_parse(text, length, ELEM_f64, &out->number);
}

static bool read_word(JsonReader *r, JsonValue *out) {
  out->kind = JSON_BOOL;
  out->number = take_word(r, "true");
  if (out->number > 0 || take_word(r, "false")) return true;
  out->kind = JSON_NULL;
  return take_word(r, "null");
}

static bool read_into(JsonReader *r, JsonValue *out) {
  skip_space(r);
  if (take(r, '{')) return read_nested(r, '}', JSON_OBJECT, out);
  if (take(r, '[')) return read_nested(r, ']', JSON_ARRAY, out);
  if (strchr("-0123456789", *r->at) && *r->at) return read_number(r, out);
  if (*r->at != '"') return read_word(r, out);
  out->kind = JSON_STRING;
  return read_string(r, &out->text);
}

static JsonValue *read_value(JsonReader *r) {
  JsonValue *out = arena_new(r->arena, JsonValue);
  return read_into(r, out) ? out : NULL;
}

const JsonValue *json_parse(Arena *arena, const char *text, size_t length) {
  JsonReader r = {arena, arena_strndup(arena, text, length), 0};
  const char *end = r.at + length;
  const JsonValue *value = read_value(&r);
  skip_space(&r);
  return r.at == end ? value : NULL;
}

// -- Members -----------------------------------------------------------------

const JsonValue *json_member(const JsonValue *object, const char *name) {
  if (!object || object->kind != JSON_OBJECT) return NULL;
  const JsonValue *member = object->items;
  while (member && strcmp(member->name, name)) member = member->next;
  return member;
}

const char *json_text(const JsonValue *object, const char *name) {
  const JsonValue *member = json_member(object, name);
  return member && member->kind == JSON_STRING ? member->text : "";
}

double json_number(const JsonValue *object, const char *name) {
  const JsonValue *member = json_member(object, name);
  return member && member->kind == JSON_NUMBER ? member->number : 0;
}
