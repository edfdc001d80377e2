// utf8.h -- characters of UTF-8 text, and the room they take on a terminal.
#ifndef TILE_IR_BASE_UTF8_H
#define TILE_IR_BASE_UTF8_H

#include "ir/base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
  uint32_t code;
  size_t length; // in bytes; 0: there is no valid character
} Utf8;

// The character that the `left` bytes at `at` begin with.
Utf8 utf8_next(const char *at, size_t left);
// Is it a byte within a character, not the first one?
static inline bool utf8_continues(char byte) {
  return ((unsigned char)byte & 0xc0) == 0x80;
}
// Must the code point not reach a terminal?  Controls, and marks that change
// the direction of text, so that it reads in another order than it is compiled.
bool utf8_is_control(uint32_t code);
// 0 for what combines with the character before it, 2 for East Asian characters
// and pictures, else 1.
int utf8_width(uint32_t code);

// -- Characters of text that is UTF-8, as Python counts and indexes it --------

// Bytes of the character at `text`; 0 at its end.
size_t character_size(const char *text);
size_t count_characters(const char *text, size_t length);
// Bytes of the first `count` characters, or of all if there are fewer.
size_t characters_bytes(const char *text, size_t length, size_t count);
void add_character(Str *out, uint32_t code);

#endif
