// encoding.c -- the bytes of a file as UTF-8, with line feeds as line ends.
//
// A comment in the first two lines may name another encoding: `# -*- coding:
// latin-1 -*-`.  Latin-1 needs no table; for others, the C library is used.  A
// file in an unknown encoding, or with bytes that are invalid in its encoding,
// is read as it is.
#include "frontend/syntax/encoding.h"

#include "ir/base/base.h"

#include <iconv.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
  const char *at, *end;
} Text;

static bool is_name_part(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
}

enum { MAX_NAME = 40 };

// The name in the spelling that Python compares: small letters, no underscores.
typedef struct {
  char text[MAX_NAME];
} EncodingName;

static EncodingName name_of(const char *at, const char *end) {
  EncodingName name = {""};
  const size_t length = (size_t)(end - at);
  for (size_t i = 0; length < MAX_NAME && i < length; i++) {
    const char c = at[i] == '_' ? '-' : at[i];
    name.text[i] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
  }
  return name;
}

// The NAME in `coding: NAME` or `coding=NAME` of a comment, or "".
static EncodingName named_in(Text comment) {
  static const char word[] = "coding";
  const size_t length = sizeof word - 1;
  for (const char *c = comment.at; c + length < comment.end; c++) {
    if (memcmp(c, word, length) != 0) continue;
    const char *name = c + length;
    if (*name != ':' && *name != '=') continue;
    for (name++; name < comment.end && (*name == ' ' || *name == '\t');) name++;
    const char *stop = name;
    while (stop < comment.end && is_name_part(*stop)) stop++;
    if (stop > name) return name_of(name, stop);
  }
  return (EncodingName){""};
}

static bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\f' || c == '\r';
}

static EncodingName declared(const Source *source) {
  Text rest = {source->text, source->text + source->length};
  EncodingName name = {""};
  for (int line = 0; line < 2 && rest.at < rest.end && !*name.text; line++) {
    const char *stop = memchr(rest.at, '\n', (size_t)(rest.end - rest.at));
    if (!stop) stop = rest.end;
    const char *first = rest.at;
    while (first < stop && is_blank(*first)) first++;
    if (first < stop && *first != '#') return name; // code comes first
    name = named_in((Text){first, stop});
    rest.at = stop < rest.end ? stop + 1 : rest.end;
  }
  return name;
}

static bool is_one_of(const char *name, const char *const *names) {
  while (*names && strcmp(*names, name)) names++;
  return *names != NULL;
}

static void from_latin1(Arena *arena, Source *source) {
  Str text = str_in(arena);
  for (size_t i = 0; i < source->length; i++) {
    const unsigned char c = (unsigned char)source->text[i];
    if (c >= 0x80) str_add_char(&text, (char)(0xc0 | c >> 6));
    str_add_char(&text, (char)(c < 0x80 ? c : 0x80 | (c & 0x3f)));
  }
  source->length = text.length;
  source->text = str_text(&text);
  source->is_recoded = true;
}

// Converts into `out`, of `most` bytes; with NULL, only counts.  Returns the
// number of bytes, or -1.
static ptrdiff_t convert(const char *encoding, const Source *source, char *out,
                         size_t most) {
  char chunk[1024], *from = (char *)(uintptr_t)source->text;
  size_t left = source->length, total = 0;
  const iconv_t table = iconv_open("UTF-8", encoding);
  if (table == (iconv_t)-1) return -1;
  while (left) {
    char *to = out ? out + total : chunk;
    size_t room = out ? most - total : sizeof chunk;
    const size_t before = left, had = room;
    const size_t status = iconv(table, &from, &left, &to, &room);
    total += had - room;
    if (status == (size_t)-1 && (left == before || had == room)) break;
  }
  iconv_close(table);
  return left ? -1 : (ptrdiff_t)total;
}

// Does the conversion keep ASCII, as Python's encodings do?
static bool keeps_ascii(const Source *source, const char *text) {
  size_t length = 0;
  while (length < source->length && !(source->text[length] & 0x80)) length++;
  return !strncmp(source->text, text, length);
}

static void from_table(Arena *arena, const char *encoding, Source *source) {
  const ptrdiff_t length = convert(encoding, source, NULL, 0);
  if (length < 0) return;
  char *text = arena_array(arena, char, (size_t)length + 1);
  if (convert(encoding, source, text, (size_t)length) != length) return;
  if (!keeps_ascii(source, text)) return;
  source->text = text;
  source->length = (size_t)length;
  source->is_recoded = true;
}

// A carriage return ends a line in Python, too.  One before a line feed belongs
// to that line end, and is kept.
static const char *next_return(const char *at, const char *end) {
  while ((at = memchr(at, '\r', (size_t)(end - at)))) {
    if (at + 1 == end || at[1] != '\n') return at;
    at++;
  }
  return NULL;
}

static Source with_line_feeds(Arena *arena, const Source *source) {
  Source result = *source;
  const char *at = next_return(source->text, source->text + source->length);
  if (!at) return result;
  char *text = arena_array(arena, char, source->length + 1);
  memcpy(text, source->text, source->length);
  result.text = text;
  for (; at; at = next_return(at + 1, source->text + source->length))
    text[at - source->text] = '\n';
  return result;
}

Source source_as_utf8(Arena *arena, const Source *source) {
  static const char *const unicode[] = {
#define UTF_8(name) name,
#include "frontend/syntax/encodings.def"
      NULL};
  static const char *const latin1[] = {
#define LATIN_1(name) name,
#include "frontend/syntax/encodings.def"
      NULL};
  static const char *const japanese[] = {
#define CP932(name) name,
#include "frontend/syntax/encodings.def"
      NULL};
  Source result = with_line_feeds(arena, source);
  const EncodingName name = declared(&result);
  if (is_one_of(name.text, unicode)) return result;
  if (is_one_of(name.text, latin1))
    from_latin1(arena, &result);
  else
    from_table(arena, is_one_of(name.text, japanese) ? "cp932" : name.text,
               &result);
  return result;
}
