// mutate.c -- a bounded run of a fuzz target without libFuzzer.
//
//   fuzz_x SEED COUNT FILE...
//
// Feeds each file, then COUNT mutations of them: bytes changed, pieces cut out,
// doubled and exchanged between files.  The same seed tries the same inputs.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_FILES = 64, MAX_SIZE = 1 << 16 };

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

static void mutate_once(Bytes *b, const Bytes *other, uint64_t *random) {
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
    for (size_t k = 1 + below(&random, 4); k--;) {
      mutate_once(&b, other, &random);
    }
    feed(&b);
  }
  free(b.data);
  for (size_t i = 0; i < num_files; i++) free(files[i].data);
  printf("%ld mutations of %zu files\n", count, num_files);
  return 0;
}
