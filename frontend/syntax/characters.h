// characters.h -- text as characters: strings are UTF-8, and Python counts and
// indexes what they spell, not their bytes.
#ifndef TILE_FRONTEND_CHARACTERS_H
#define TILE_FRONTEND_CHARACTERS_H

#include "ir/base/str.h"

#include <stddef.h>
#include <stdint.h>

// Bytes of the character at `text`; 0 at its end.
size_t character_size(const char *text);
size_t count_characters(const char *text, size_t length);
// Bytes of the first `count` characters, or of all if there are fewer.
size_t characters_bytes(const char *text, size_t length, size_t count);
void add_character(Str *out, uint32_t code);

#endif
