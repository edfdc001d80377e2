// mutate.c -- one change of a text.
//
// Bytes changed, pieces cut out and exchanged between texts, tokens and lines
// removed, doubled, replaced and swapped, values, operators and arguments
// exchanged (meaning.c).
#include "tests/fuzz/edit.h"

#include <ctype.h>
#include <string.h>

static void mutate_bytes(Bytes *b, const Bytes *other, uint64_t *random) {
  static const char bytes[] = "%#@(){}<>[],=:x0198-.\" \n\\ae_\0\xff";
  const size_t at = random_below(random, b->size);
  size_t length = random_below(random, 16);
  if (length > b->size - at) length = b->size - at;
  const size_t from = random_below(random, other->size);
  size_t take = random_below(random, 40);
  if (take > other->size - from) take = other->size - from;
  switch (random_below(random, 4)) {
  case 0:
    if (b->size)
      b->data[at] = (uint8_t)bytes[random_below(random, sizeof bytes)];
    break;
  case 1: splice(b, at, length, b->data, 0); break;
  case 2: splice(b, at, 0, other->data + from, take); break;
  default: splice(b, at, length, other->data + from, take); break;
  }
}

typedef Span FindSpan(const Bytes *b, size_t at);

// The class of a span, its first byte: most exchanges are within a class, so
// that most results can be parsed.
static int class_of(const Bytes *b, Span span) {
  if (span.begin >= b->size) return -1;
  const uint8_t c = b->data[span.begin];
  return isspace(c) ? 0 : isdigit(c) ? 1 : is_word(c) ? 2 : c;
}

static Span random_span(const Bytes *b, uint64_t *random, FindSpan *find,
                        int class) {
  Span span = {0, 0};
  for (int tries = 0; tries < 16; tries++) {
    span = find(b, random_below(random, b->size));
    if (class < 0 || class_of(b, span) == class) break;
  }
  return span;
}

static void mutate_spans(Bytes *b, const Bytes *other, uint64_t *random,
                         FindSpan *find) {
  static uint8_t copy[MAX_SIZE];
  const Span x = random_span(b, random, find, -1);
  const Span y = random_span(b, random, find, class_of(b, x));
  const Span z = random_span(other, random, find, class_of(b, x));
  const size_t n = z.end - z.begin;
  switch (random_below(random, 4)) {
  case 0: splice(b, x.begin, x.end - x.begin, b->data, 0); break;
  case 1:
    memcpy(copy, b->data + x.begin, x.end - x.begin);
    splice(b, x.end, 0, copy, x.end - x.begin);
    break;
  case 2: swap_spans(b, x, y); break;
  default:
    memcpy(copy, other->data + z.begin, n);
    splice(b, x.begin, x.end - x.begin, copy, n);
    break;
  }
}

void mutate_text(Bytes *b, const Bytes *other, uint64_t *random) {
  switch (random_below(random, 16)) {
  case 0: mutate_bytes(b, other, random); break;
  case 1:
  case 2: mutate_spans(b, other, random, line_span); break;
  case 3:
  case 4:
  case 5:
  case 6:
  case 7: mutate_spans(b, other, random, token_span); break;
  default: mutate_meaning(b, other, random); break;
  }
}
