// purse.h -- the memory that what is remembered of a page may take.
#ifndef TILE_SIMULATOR_PURSE_H
#define TILE_SIMULATOR_PURSE_H

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Purse {
  uint32_t used, most;  // bytes
  atomic_size_t *total; // of all purses of a launch; or NULL
} Purse;

// Takes so many bytes; false: there are not as many.
static inline bool purse_take(Purse *purse, size_t bytes) {
  if (purse->used + bytes > purse->most) return false;
  purse->used += (uint32_t)bytes;
  if (purse->total) *purse->total += bytes;
  return true;
}

// The same of what cannot be done without.
static inline void purse_spend(Purse *purse, size_t bytes) {
  purse->used += (uint32_t)bytes;
  if (purse->total) *purse->total += bytes;
}

static inline void purse_give(Purse *purse, size_t bytes) {
  assert(purse->used >= bytes && "more than was taken"); // I8
  purse->used -= (uint32_t)bytes;
  if (purse->total) *purse->total -= bytes;
}

#endif
