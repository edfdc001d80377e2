// mutate.c -- a bounded run of a fuzz target without libFuzzer.
//
//   fuzz_x SEED COUNT FILE...
//
// Feeds each file, then COUNT mutations of them: bytes changed, pieces cut out
// and exchanged between files, tokens and lines removed, doubled, replaced and
// swapped.  The same seed tries the same inputs.
#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_FILES = 256, MAX_SIZE = 1 << 16 };

typedef struct {
  uint8_t *data;
  size_t size;
} Bytes;

static uint64_t next_random(uint64_t *state) {
  *state += UINT64_C(0x9e3779b97f4a7c15);
  uint64_t z = *state;
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

static size_t below(uint64_t *state, size_t limit) {
  return limit ? (size_t)(next_random(state) % limit) : 0;
}

static Bytes read_file(const char *name) {
  Bytes bytes = {malloc(MAX_SIZE), 0};
  FILE *file = fopen(name, "rb");
  if (file && bytes.data) bytes.size = fread(bytes.data, 1, MAX_SIZE, file);
  if (file) fclose(file);
  return bytes;
}

// Replaces data[at..at+cut) by `length` bytes of `from`.
static void splice(Bytes *b, size_t at, size_t cut, const uint8_t *from,
                   size_t length) {
  static uint8_t rest[MAX_SIZE];
  const size_t tail = b->size - at - cut;
  if (at + length + tail > MAX_SIZE) return;
  memcpy(rest, b->data + at + cut, tail);
  memmove(b->data + at, from, length);
  memcpy(b->data + at + length, rest, tail);
  b->size = at + length + tail;
}

static void mutate_bytes(Bytes *b, const Bytes *other, uint64_t *random) {
  static const char bytes[] = "%#@(){}<>[],=:x0198-.\" \n\\ae_\0\xff";
  const size_t at = below(random, b->size);
  size_t length = below(random, 16);
  if (length > b->size - at) length = b->size - at;
  const size_t from = below(random, other->size);
  size_t take = below(random, 40);
  if (take > other->size - from) take = other->size - from;
  switch (below(random, 4)) {
  case 0:
    if (b->size) b->data[at] = (uint8_t)bytes[below(random, sizeof bytes)];
    break;
  case 1: splice(b, at, length, b->data, 0); break;
  case 2: splice(b, at, 0, other->data + from, take); break;
  default: splice(b, at, length, other->data + from, take); break;
  }
}

typedef struct {
  size_t begin, end;
} Span;

static bool is_word(uint8_t c) {
  return isalnum(c) || c == '_' || c == '.' || c >= 0x80;
}

// The token around or after `at`; spaces of indentation are no tokens.
static Span token_span(const Bytes *b, size_t at) {
  while (at < b->size && isspace(b->data[at])) at++;
  Span span = {at, at};
  if (at >= b->size) return span;
  span.end = at + 1;
  if (!is_word(b->data[at])) return span;
  while (span.begin && is_word(b->data[span.begin - 1])) span.begin--;
  while (span.end < b->size && is_word(b->data[span.end])) span.end++;
  return span;
}

static Span line_span(const Bytes *b, size_t at) {
  Span span = {at, at};
  while (span.begin && b->data[span.begin - 1] != '\n') span.begin--;
  while (span.end < b->size && b->data[span.end++] != '\n') {
  }
  return span;
}

static void swap_spans(Bytes *b, Span x, Span y) {
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

typedef Span FindSpan(const Bytes *b, size_t at);

// What a span starts with: most exchanges are between equals, so that much of
// what comes out can still be parsed.
static int class_of(const Bytes *b, Span span) {
  if (span.begin >= b->size) return -1;
  const uint8_t c = b->data[span.begin];
  return isspace(c) ? 0 : isdigit(c) ? 1 : is_word(c) ? 2 : c;
}

static Span random_span(const Bytes *b, uint64_t *random, FindSpan *find,
                        int class) {
  Span span = {0, 0};
  for (int tries = 0; tries < 16; tries++) {
    span = find(b, below(random, b->size));
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
  switch (below(random, 4)) {
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

static void mutate_once(Bytes *b, const Bytes *other, uint64_t *random) {
  switch (below(random, 8)) {
  case 0: mutate_bytes(b, other, random); break;
  case 1:
  case 2: mutate_spans(b, other, random, line_span); break;
  default: mutate_spans(b, other, random, token_span); break;
  }
}

static void feed(const Bytes *b) {
  LLVMFuzzerTestOneInput(b->data, b->size);
}

int main(int argc, char **argv) {
  if (argc < 4 || argc - 3 > MAX_FILES) return 2;
  uint64_t random = strtoull(argv[1], NULL, 10);
  const long count = strtol(argv[2], NULL, 10);
  const size_t num_files = (size_t)argc - 3;
  Bytes files[MAX_FILES];
  for (size_t i = 0; i < num_files; i++) {
    files[i] = read_file(argv[i + 3]);
    feed(&files[i]);
  }
  Bytes b = {malloc(MAX_SIZE), 0};
  for (long i = 0; b.data && i < count; i++) {
    const Bytes *base = &files[below(&random, num_files)];
    const Bytes *other = &files[below(&random, num_files)];
    memcpy(b.data, base->data, base->size);
    b.size = base->size;
    for (size_t k = 1 + below(&random, 3); k--;) {
      mutate_once(&b, other, &random);
    }
    feed(&b);
  }
  free(b.data);
  for (size_t i = 0; i < num_files; i++) free(files[i].data);
  printf("%ld mutations of %zu files\n", count, num_files);
  return 0;
}
