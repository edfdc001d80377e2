// libfuzzer.c -- the mutations of libFuzzer for targets that read text.
//
// Half of them are its own, of bytes and words of its dictionary, and half are
// those of the bounded runs, which leave more texts readable.
#include "tests/fuzz/edit.h"

#include <malloc.h>
#include <stdio.h>
#include <string.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size,
                               unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *first, size_t first_size,
                                 const uint8_t *second, size_t second_size,
                                 uint8_t *out, size_t max_size, unsigned seed);
// libFuzzer has it.
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

// Memory that is freed stays with the process: otherwise each execution asks
// the system for the same pages again, a quarter of its time.
int LLVMFuzzerInitialize(int *argc, char ***argv) {
  (void)argc, (void)argv;
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 256 << 20);
  return 0;
}

static uint8_t first_room[MAX_SIZE], second_room[MAX_SIZE];

static Bytes copy_to(uint8_t *room, const uint8_t *data, size_t size) {
  const Bytes bytes = {room, size < MAX_SIZE ? size : MAX_SIZE};
  if (bytes.size) memcpy(room, data, bytes.size);
  return bytes;
}

static size_t copy_from(const Bytes *bytes, uint8_t *out, size_t max_size) {
  const size_t size = bytes->size < max_size ? bytes->size : max_size;
  if (size) memcpy(out, bytes->data, size);
  return size;
}

// The first line that guess.h reads: a number, which selects other guesses.
static void change_guesses(Bytes *b, uint64_t *random) {
  char line[32];
  const bool has = b->size > 1 && !memcmp(b->data, "#:", 2);
  snprintf(line, sizeof line, "#:%zu\n", random_below(random, 100000));
  replace_span(b, has ? line_span(b, 0) : (Span){0, 0}, line);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size,
                               unsigned seed) {
  uint64_t random = seed;
  if (random_below(&random, 2)) return LLVMFuzzerMutate(data, size, max_size);
  Bytes b = copy_to(first_room, data, size);
  const Bytes other = copy_to(second_room, data, size);
  if (random_below(&random, 32))
    mutate_text(&b, &other, &random);
  else
    change_guesses(&b, &random);
  return copy_from(&b, data, max_size);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *first, size_t first_size,
                                 const uint8_t *second, size_t second_size,
                                 uint8_t *out, size_t max_size, unsigned seed) {
  uint64_t random = seed;
  Bytes b = copy_to(first_room, first, first_size);
  const Bytes other = copy_to(second_room, second, second_size);
  mutate_text(&b, &other, &random);
  return copy_from(&b, out, max_size);
}
