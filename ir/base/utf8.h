// utf8.h -- characters of UTF-8 text, and the room they take on a terminal.
#ifndef TILE_IR_BASE_UTF8_H
#define TILE_IR_BASE_UTF8_H

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

#endif
