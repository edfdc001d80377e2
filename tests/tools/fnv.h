// fnv.h -- the 32-bit hash FNV-1a.  Hashes in tables must not change with the
// product's own hash function.
#ifndef TILE_TESTS_FNV_H
#define TILE_TESTS_FNV_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

// The hash of the empty text.
#define FNV_SEED 2166136261u

static inline uint32_t fnv_bytes(uint32_t hash, const void *data, size_t size) {
  const unsigned char *bytes = data;
  for (size_t i = 0; i < size; i++) hash = (hash ^ bytes[i]) * 16777619u;
  return hash;
}

static inline uint32_t fnv_text(uint32_t hash, const char *text) {
  return fnv_bytes(hash, text, strlen(text));
}

#endif
