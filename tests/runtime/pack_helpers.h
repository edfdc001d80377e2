// pack_helpers.h -- an allocator that fails on request, and packs with right
// checksums, for tests of libtilert.
#ifndef TESTS_PACK_HELPERS_H
#define TESTS_PACK_HELPERS_H

#include "runtime/pack/format.h"
#include "runtime/pack/pack.h"

#include <stdlib.h>
#include <string.h>

// The `ctx` of a TileAllocator of meter_alloc() and meter_free().
typedef struct {
  int left;  // calls until one fails; -1: none does
  int taken; // blocks
} Meter;

static inline void *meter_alloc(void *ctx, size_t size) {
  Meter *meter = ctx;
  if (meter->left >= 0 && !meter->left--) return NULL;
  void *block = malloc(size);
  meter->taken += block != NULL;
  return block;
}

static inline void meter_free(void *ctx, void *block) {
  Meter *meter = ctx;
  meter->taken -= block != NULL;
  free(block);
}

// Sets the checksum of a pack whose other bytes were changed.
static inline void set_checksum(unsigned char *bytes, size_t size) {
  PackHead head;
  memcpy(&head, bytes, sizeof head);
  head.checksum = pack_checksum(bytes + sizeof head, size - sizeof head);
  memcpy(bytes, &head, sizeof head);
}

#endif
