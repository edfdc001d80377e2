// limited.h -- an allocator that gives a small input at most LIMITED_BYTES.
//
// An input of a few lines that takes a gigabyte is a fault, like one that takes
// seconds.
#ifndef TILE_TESTS_FUZZ_LIMITED_H
#define TILE_TESTS_FUZZ_LIMITED_H

#include "ir/base/arena.h"

#include <stdint.h>
#include <string.h>

enum {
  LIMITED_SMALL = 4096, // bytes of an input
  LIMITED_BYTES = 1 << 30,
  LIMITED_HEAD = 16 // before a block, with its size
};

typedef struct {
  Allocator allocator;
  size_t left;
} Limited;

static inline void *limited_alloc(void *ctx, size_t size) {
  Limited *limited = ctx;
  if (size > limited->left) return NULL;
  char *whole =
      system_allocator.alloc(system_allocator.ctx, LIMITED_HEAD + size);
  if (!whole) return NULL;
  limited->left -= size;
  memcpy(whole, &size, sizeof size);
  return whole + LIMITED_HEAD;
}

static inline void limited_free(void *ctx, void *block) {
  Limited *limited = ctx;
  size_t size;
  if (!block) return;
  char *whole = (char *)block - LIMITED_HEAD;
  memcpy(&size, whole, sizeof size);
  limited->left += size;
  system_allocator.free(system_allocator.ctx, whole);
}

// `input_size`: large inputs have no limit.
static inline void limited_init(Limited *limited, size_t input_size) {
  limited->allocator = (Allocator){limited_alloc, limited_free, limited};
  limited->left = input_size > LIMITED_SMALL ? SIZE_MAX / 2 : LIMITED_BYTES;
}

#endif
