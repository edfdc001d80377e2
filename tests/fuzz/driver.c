// driver.c -- a bounded run of a fuzz target without libFuzzer.
//
//   fuzz_x SEED COUNT FILE...
//
// Feeds each file, then COUNT mutations of them (mutate.c).  The same seed
// tries the same inputs.  The environment's FUZZ_KEEP names a file for the
// input at hand.
#include "tests/fuzz/edit.h"

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
      mutate_text(&b, other, &random);
    }
    feed(&b);
  }
  free(b.data);
  for (size_t i = 0; i < num_files; i++) free(files[i].data);
  printf("%ld mutations of %zu files\n", count, num_files);
  return 0;
}
