// encoding.c -- the bytes of a file as UTF-8.
//
// A comment on one of the first two lines may name another encoding:
// `# -*- coding: latin-1 -*-`.  Of those, only Latin-1 has letters that need no
// table; a file in another one is read if its bytes are UTF-8.
#include "frontend/encoding.h"

#include "ir/base/str.h"

#include <string.h>

typedef struct {
  const char *at, *end;
} Text;

static bool is_name_part(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
}

static bool is_latin1(const char *name, size_t length) {
  static const char *const names[] = {"latin-1",    "latin1",    "l1",
                                      "iso-8859-1", "iso8859-1", "iso-latin-1"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    size_t k = 0;
    for (; k < length && names[i][k]; k++) {
      char c = name[k] == '_' ? '-' : name[k];
      if (c >= 'A' && c <= 'Z') c = (char)(c - 'A' + 'a');
      if (c != names[i][k]) break;
    }
    if (k == length && !names[i][k]) return true;
  }
  return false;
}

// `coding: NAME` or `coding=NAME` in a comment.
static bool says_latin1(Text comment) {
  static const char word[] = "coding";
  const size_t length = sizeof word - 1;
  for (const char *c = comment.at; c + length < comment.end; c++) {
    if (memcmp(c, word, length) != 0) continue;
    const char *name = c + length;
    if (*name != ':' && *name != '=') continue;
    for (name++; name < comment.end && (*name == ' ' || *name == '\t');) name++;
    const char *stop = name;
    while (stop < comment.end && is_name_part(*stop)) stop++;
    if (stop > name) return is_latin1(name, (size_t)(stop - name));
  }
  return false;
}

static bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\f' || c == '\r';
}

static bool is_declared_latin1(const Source *source) {
  Text rest = {source->text, source->text + source->length};
  for (int line = 0; line < 2 && rest.at < rest.end; line++) {
    const char *stop = memchr(rest.at, '\n', (size_t)(rest.end - rest.at));
    if (!stop) stop = rest.end;
    const char *first = rest.at;
    while (first < stop && is_blank(*first)) first++;
    if (first < stop && *first != '#') return false; // code comes first
    if (says_latin1((Text){first, stop})) return true;
    rest.at = stop < rest.end ? stop + 1 : rest.end;
  }
  return false;
}

Source source_as_utf8(Arena *arena, const Source *source) {
  Source result = *source;
  if (!is_declared_latin1(source)) return result;
  Str text = str_in(arena);
  for (size_t i = 0; i < source->length; i++) {
    const unsigned char c = (unsigned char)source->text[i];
    if (c >= 0x80) str_add_char(&text, (char)(0xc0 | c >> 6));
    str_add_char(&text, (char)(c < 0x80 ? c : 0x80 | (c & 0x3f)));
  }
  result.length = text.length;
  result.text = str_text(&text);
  return result;
}
