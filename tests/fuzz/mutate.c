// mutate.c -- a bounded run of a fuzz target without libFuzzer.
//
//   fuzz_x SEED COUNT FILE...
//
// Feeds each file, then COUNT mutations of them: bytes changed, pieces cut out
// and exchanged between files, tokens and lines removed, doubled, replaced and
// swapped, values, operators and arguments exchanged (meaning.c).  The same
// seed tries the same inputs.  The environment's FUZZ_KEEP names a file for
// the input at hand.
#include "tests/fuzz/edit.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_FILES = 1024, MAX_SECONDS = 60 };

static Bytes read_file(const char *name) {
  Bytes bytes = {malloc(MAX_SIZE), 0};
  FILE *file = fopen(name, "rb");
  if (file && bytes.data) bytes.size = fread(bytes.data, 1, MAX_SIZE, file);
  if (file) fclose(file);
  return bytes;
}

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

static void mutate_once(Bytes *b, const Bytes *other, uint64_t *random) {
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

// The current text, for debugging a crash.
static void keep(const Bytes *b) {
  const char *name = getenv("FUZZ_KEEP");
  FILE *file = name ? fopen(name, "wb") : NULL;
  if (!file) return;
  fwrite(b->data, 1, b->size, file);
  fclose(file);
}

// A hang ends the program by SIGPROF.
static void feed(const Bytes *b) {
  const struct itimerval limit = {.it_value = {.tv_sec = MAX_SECONDS}};
  keep(b);
  setitimer(ITIMER_PROF, &limit, NULL);
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
    const Bytes *base = &files[random_below(&random, num_files)];
    const Bytes *other = &files[random_below(&random, num_files)];
    memcpy(b.data, base->data, base->size);
    b.size = base->size;
    for (size_t k = 1 + random_below(&random, 3); k--;) {
      mutate_once(&b, other, &random);
    }
    feed(&b);
  }
  free(b.data);
  for (size_t i = 0; i < num_files; i++) free(files[i].data);
  printf("%ld mutations of %zu files\n", count, num_files);
  return 0;
}
