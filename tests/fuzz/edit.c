// edit.c -- cutting and joining texts.
#include "tests/fuzz/edit.h"

#include <ctype.h>
#include <string.h>

static uint64_t next_random(uint64_t *state) {
  *state += UINT64_C(0x9e3779b97f4a7c15);
  uint64_t z = *state;
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

size_t random_below(uint64_t *state, size_t limit) {
  return limit ? (size_t)(next_random(state) % limit) : 0;
}

void splice(Bytes *b, size_t at, size_t cut, const uint8_t *from,
            size_t length) {
  static uint8_t rest[MAX_SIZE];
  const size_t tail = b->size - at - cut;
  if (at + length + tail > MAX_SIZE) return;
  memcpy(rest, b->data + at + cut, tail);
  memmove(b->data + at, from, length);
  memcpy(b->data + at + length, rest, tail);
  b->size = at + length + tail;
}

void replace_span(Bytes *b, Span span, const char *text) {
  splice(b, span.begin, span.end - span.begin, (const uint8_t *)text,
         strlen(text));
}

bool is_word(uint8_t c) {
  return isalnum(c) || c == '_' || c == '.' || c >= 0x80;
}

Span token_span(const Bytes *b, size_t at) {
  while (at < b->size && isspace(b->data[at])) at++;
  Span span = {at, at};
  if (at >= b->size) return span;
  span.end = at + 1;
  if (!is_word(b->data[at])) return span;
  while (span.begin && is_word(b->data[span.begin - 1])) span.begin--;
  while (span.end < b->size && is_word(b->data[span.end])) span.end++;
  return span;
}

Span line_span(const Bytes *b, size_t at) {
  Span span = {at, at};
  while (span.begin && b->data[span.begin - 1] != '\n') span.begin--;
  while (span.end < b->size && b->data[span.end++] != '\n') {
  }
  return span;
}

void swap_spans(Bytes *b, Span x, Span y) {
  static uint8_t first[MAX_SIZE], second[MAX_SIZE];
  if (x.begin > y.begin) {
    const Span z = x;
    x = y;
    y = z;
  }
  if (x.end > y.begin) return;
  const size_t n = x.end - x.begin, m = y.end - y.begin;
  memcpy(first, b->data + x.begin, n);
  memcpy(second, b->data + y.begin, m);
  splice(b, y.begin, m, first, n);
  splice(b, x.begin, n, second, m);
}
