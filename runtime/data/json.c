// json.c -- JSON, taken piece by piece from the bytes of a file.
#include "runtime/data/json.h"

#include "ir/base/base.h"

#include <string.h>

static void skip_space(Json *json) {
  ByteView *text = &json->text;
  while (text->at < text->end && strchr(" \t\r\n", *text->at) && *text->at)
    text->at++;
}

// The next byte; 0 at the end.
static char peek(Json *json) {
  skip_space(json);
  return json->text.at < json->text.end ? *json->text.at : 0;
}

bool json_take(Json *json, char c) {
  if (peek(json) != c || !c) return false;
  json->text.at++;
  return true;
}

bool json_integer(Json *json, uint64_t *out) {
  ByteView *text = &json->text;
  skip_space(json);
  const char *start = text->at;
  *out = 0;
  for (; text->at < text->end && *text->at >= '0' && *text->at <= '9';
       text->at++) {
    if (*out > UINT64_MAX / 16) return false;
    *out = *out * 10 + (uint64_t)(*text->at - '0');
  }
  return text->at > start;
}

// -- Strings -----------------------------------------------------------------

static bool take_hex(ByteView *text, uint32_t *out) {
  static const char digits[] = "0123456789abcdef0123456789ABCDEF";
  *out = 0;
  for (int i = 0; i < 4; i++, text->at++) {
    const char *digit =
        text->at < text->end && *text->at ? strchr(digits, *text->at) : NULL;
    if (!digit) return false;
    *out = *out << 4 | (uint32_t)(digit - digits) % 16;
  }
  return true;
}

static void add_utf8(Str *out, uint32_t c) {
  static const unsigned char first[] = {0, 0xc0, 0xe0, 0xf0};
  const int more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  str_add_char(out, (char)(first[more] | c >> 6 * more));
  for (int i = more - 1; i >= 0; i--)
    str_add_char(out, (char)(0x80 | (c >> 6 * i & 0x3f)));
}

// Behind "\u"; a character past 16 bits is two halves.
static bool take_unicode(ByteView *text, Str *out) {
  uint32_t c, low;
  if (!take_hex(text, &c) || !c) return false;
  if (c >= 0xd800 && c < 0xdc00) {
    if (text->end - text->at < 2 || memcmp(text->at, "\\u", 2)) return false;
    text->at += 2;
    if (!take_hex(text, &low) || low < 0xdc00 || low > 0xdfff) return false;
    c = 0x10000 + ((c - 0xd800) << 10 | (low - 0xdc00));
  } else if (c >= 0xdc00 && c < 0xe000) {
    return false;
  }
  add_utf8(out, c);
  return true;
}

static bool take_escape(ByteView *text, Str *out) {
  static const char names[] = "\"\\/bfnrt", means[] = "\"\\/\b\f\n\r\t";
  if (text->at == text->end || !*text->at) return false;
  const char c = *text->at++;
  if (c == 'u') return take_unicode(text, out);
  const char *found = strchr(names, c);
  if (found) str_add_char(out, means[found - names]);
  return found != NULL;
}

const char *json_string(Json *json) {
  ByteView *text = &json->text;
  Str out = str_in(json->arena);
  if (!json_take(json, '"')) return NULL;
  while (text->at < text->end && *text->at != '"') {
    const char c = *text->at++;
    if ((unsigned char)c < ' ') return NULL;
    if (c != '\\')
      str_add_char(&out, c);
    else if (!take_escape(text, &out))
      return NULL;
  }
  return json_take(json, '"') ? str_text(&out) : NULL;
}

// -- Any value ---------------------------------------------------------------

static bool skip_word(Json *json) {
  ByteView *text = &json->text;
  const char *start = text->at;
  while (text->at < text->end && *text->at &&
         strchr("+-.0123456789abcdefghijklmnopqrstuvwxyzE", *text->at))
    text->at++;
  return text->at > start;
}

static bool skip_nested(Json *json, int depth);

static bool skip_items(Json *json, char close, int depth) {
  if (json_take(json, close)) return true;
  do {
    if (close == '}' && (!json_string(json) || !json_take(json, ':')))
      return false;
    if (!skip_nested(json, depth)) return false;
  } while (json_take(json, ','));
  return json_take(json, close);
}

static bool skip_nested(Json *json, int depth) {
  enum { MAX_DEPTH = 64 };
  if (depth == MAX_DEPTH) return false;
  if (json_take(json, '{')) return skip_items(json, '}', depth + 1);
  if (json_take(json, '[')) return skip_items(json, ']', depth + 1);
  return peek(json) == '"' ? json_string(json) != NULL : skip_word(json);
}

bool json_skip(Json *json) {
  return skip_nested(json, 0);
}
