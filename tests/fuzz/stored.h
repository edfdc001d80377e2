// stored.h -- any bytes as a file of many arrays.
//
// Reading of any bytes ends with arrays or with a sentence; each byte of an
// array can be read, and none is far more than the file.
#ifndef TILE_TESTS_FUZZ_STORED_H
#define TILE_TESTS_FUZZ_STORED_H

#include "runtime/data/stored.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  Arena *arena;
  StoredReader *reader;
  const char *bytes;
  size_t size;
  uint64_t sum; // of the bytes, so that each is read
} StoredJob;

static inline void stored_check(bool ok, const char *what) {
  if (ok) return;
  fprintf(stderr, "%s\n", what);
  abort();
}

static inline void stored_feed_array(StoredJob *job, const Stored *stored,
                                     TileDtype dtype) {
  char text[256] = "";
  NpyArray array;
  const NpyWant want = {.dtype = dtype};
  if (!stored_read(job->arena, stored, want, &array,
                   (Why){text, sizeof text})) {
    stored_check(*text, "an array is refused without a word");
    return;
  }
  const unsigned char *data = array.data;
  stored_check(npy_size(&array) <= 2000 * (job->size + 1), "too large");
  for (size_t i = 0; i < npy_size(&array); i++) job->sum += data[i];
}

static inline void stored_feed_body(void *data) {
  StoredJob *job = data;
  char text[256] = "";
  StoredList list = {0};
  const bool ok = job->reader(job->arena, job->bytes, job->size, &list,
                              (Why){text, sizeof text});
  stored_check(ok == !*text, "neither arrays nor a sentence");
  for (size_t i = 0; ok && i < list.count; i++) {
    job->sum += strlen(list.items[i].name);
    stored_feed_array(job, &list.items[i], TILE_DTYPE_NONE);
    stored_feed_array(job, &list.items[i], TILE_FP8E5);
  }
  static const char name[] = "nothing like it";
  bool is_there = false;
  for (size_t i = 0; i < list.count; i++)
    is_there = is_there || strcmp(list.items[i].name, name) == 0;
  *text = 0;
  const Stored *found =
      stored_find(job->arena, &list, name, (Why){text, sizeof text});
  stored_check(!found == !is_there && !*text == is_there,
               "a name is found, or told not to be there");
}

static inline uint64_t stored_feed(StoredReader *reader, const uint8_t *data,
                                   size_t size) {
  // A copy of its own: a sanitizer knows where it ends.
  char *copy = malloc(size + !size);
  Arena arena;
  arena_init(&arena, &system_allocator);
  StoredJob job = {&arena, reader, copy, size, 0};
  if (copy && size) memcpy(copy, data, size);
  stored_check(copy && arena_protect(&arena, stored_feed_body, &job),
               "out of memory");
  arena_free(&arena);
  free(copy);
  return job.sum;
}

#endif
