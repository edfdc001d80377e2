// utf8.h -- characters of UTF-8 text, and their width on a terminal.
#ifndef TILE_IR_BASE_UTF8_H
#define TILE_IR_BASE_UTF8_H

#include "ir/base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
  uint32_t code;
  size_t length; // in bytes; 0: no valid character
} Utf8;

// The first character of the `left` bytes at `at`.
Utf8 utf8_next(const char *at, size_t left);
// Does the byte continue a character, whose first byte is another one?
static inline bool utf8_continues(char byte) {
  return ((unsigned char)byte & 0xc0) == 0x80;
}
// Must the code point be kept from a terminal?  True for control characters,
// and for marks that change the direction of text, and so the order in which
// the text is read.
bool utf8_is_control(uint32_t code);
// 0 for a character that combines with the one before it, 2 for East Asian
// characters and pictures, else 1.
int utf8_width(uint32_t code);

// -- Characters of valid UTF-8 text, as Python counts and indexes them -------

// The number of bytes of the character at `text`; 0 at the end.
size_t character_size(const char *text);
size_t count_characters(const char *text, size_t length);
// The number of bytes of the first `count` characters, or of all if there are
// fewer.
size_t characters_bytes(const char *text, size_t length, size_t count);
void add_character(Str *out, uint32_t code);

#endif
