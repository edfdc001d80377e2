// str.h -- text under construction, in an Arena.
//
// `data` is always NUL-terminated once something was appended; str_text()
// gives "" before that.
#ifndef TILE_IR_BASE_STR_H
#define TILE_IR_BASE_STR_H

#include "ir/base/arena.h"

#include <stdarg.h>

typedef struct {
  Arena *arena;
  char *data;
  size_t length, capacity;
} Str;

static inline Str str_in(Arena *arena) {
  return (Str){.arena = arena};
}

void str_add_bytes(Str *str, const void *bytes, size_t length);
void str_add(Str *str, const char *text);
void str_add_char(Str *str, char c);
void str_add_repeat(Str *str, char c, size_t count);
__attribute__((format(printf, 2, 3))) void str_addf(Str *str,
                                                    const char *format, ...);
void str_vaddf(Str *str, const char *format, va_list args);
// Appends the text as a JSON string, in quotes; invalid UTF-8 becomes U+FFFD.
void str_add_json(Str *str, const char *text);
const char *str_text(const Str *str);

// A formatted string in the arena.
__attribute__((format(printf, 2, 3))) char *
arena_printf(Arena *arena, const char *format, ...);

#endif
