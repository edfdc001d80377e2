// letters.h -- the characters of a word in the text of IR; private to the room.
#ifndef TILE_IR_LETTERS_H
#define TILE_IR_LETTERS_H

#include <stdbool.h>

// A letter, a digit, '_', '.', '$' or a byte of a non-ASCII character.
static inline bool is_word_letter(char c) {
  const unsigned char u = (unsigned char)c;
  return (u >= 'a' && u <= 'z') || (u >= 'A' && u <= 'Z') ||
         (u >= '0' && u <= '9') || u == '_' || u == '.' || u == '$' ||
         u >= 0x80;
}

#endif
