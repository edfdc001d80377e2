// characters.c -- text as characters.
#include "frontend/syntax/characters.h"

#include "ir/base/utf8.h"

size_t character_size(const char *text) {
  size_t n = *text != 0;
  while (n && n < 4 && utf8_continues(text[n])) n++;
  return n;
}

size_t count_characters(const char *text, size_t length) {
  size_t n = 0;
  for (size_t i = 0; i < length; i++) n += !utf8_continues(text[i]);
  return n;
}

size_t characters_bytes(const char *text, size_t length, size_t count) {
  size_t i = 0;
  for (; i < length; i++) {
    if (!utf8_continues(text[i]) && count-- == 0) break;
  }
  return i;
}

void add_character(Str *out, uint32_t code) {
  if (code < 0x80) {
    str_add_char(out, (char)code);
    return;
  }
  const int extra = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  static const unsigned lead[] = {0, 0xc0, 0xe0, 0xf0};
  str_add_char(out, (char)(lead[extra] | code >> (6 * extra)));
  for (int i = extra - 1; i >= 0; i--) {
    str_add_char(out, (char)(0x80 | ((code >> (6 * i)) & 0x3f)));
  }
}
