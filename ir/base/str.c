// str.c -- text under construction.
#include "ir/base/str.h"
#include "ir/base/utf8.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static void reserve(Str *str, size_t extra) {
  if (str->length + extra < str->capacity) return;
  size_t capacity = str->capacity ? str->capacity : 64;
  while (str->length + extra >= capacity) capacity *= 2;
  char *data = arena_array(str->arena, char, capacity);
  if (str->length) memcpy(data, str->data, str->length);
  str->data = data;
  str->capacity = capacity;
  assert(str->length + extra < str->capacity && "no room for the NUL"); // I4
}

void str_add_bytes(Str *str, const void *bytes, size_t length) {
  reserve(str, length);
  if (length) memcpy(str->data + str->length, bytes, length);
  str->length += length;
  str->data[str->length] = '\0';
}

void str_add(Str *str, const char *text) {
  str_add_bytes(str, text, strlen(text));
}

void str_add_char(Str *str, char c) {
  str_add_bytes(str, &c, 1);
}

void str_add_repeat(Str *str, char c, size_t count) {
  reserve(str, count);
  memset(str->data + str->length, c, count);
  str->length += count;
  str->data[str->length] = '\0';
}

// Tries first to print into the present buffer, which is mostly large enough.
void str_vaddf(Str *str, const char *format, va_list args) {
  va_list again;
  va_copy(again, args);
  reserve(str, 1);
  const size_t room = str->capacity - str->length;
  const int length = vsnprintf(str->data + str->length, room, format, args);
  assert(length >= 0 && "a format of ours is wrong");
  if ((size_t)length >= room) {
    reserve(str, (size_t)length);
    vsnprintf(str->data + str->length, (size_t)length + 1, format, again);
  }
  va_end(again);
  str->length += (size_t)length;
  assert(!str->data[str->length] && "the text has no end"); // I4
}

void str_addf(Str *str, const char *format, ...) {
  va_list args;
  va_start(args, format);
  str_vaddf(str, format, args);
  va_end(args);
}

void str_add_json(Str *str, const char *text) {
  str_add_char(str, '"');
  for (size_t left = strlen(text), step; left; text += step, left -= step) {
    const Utf8 c = utf8_next(text, left);
    step = c.length ? c.length : 1;
    if (!c.length)
      str_add(str, "\\ufffd");
    else if (c.code == '"' || c.code == '\\')
      str_addf(str, "\\%c", *text);
    else if (c.code < 0x20 || c.code == 0x7f)
      str_addf(str, "\\u%04x", c.code);
    else
      str_add_bytes(str, text, c.length);
  }
  str_add_char(str, '"');
}

const char *str_text(const Str *str) {
  return str->data ? str->data : "";
}

char *arena_printf(Arena *arena, const char *format, ...) {
  Str str = str_in(arena);
  va_list args;
  va_start(args, format);
  str_vaddf(&str, format, args);
  va_end(args);
  return str.data;
}
