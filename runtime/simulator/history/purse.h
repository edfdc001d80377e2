// purse.h -- limits of the memory for a page's accesses.
#ifndef TILE_SIMULATOR_PURSE_H
#define TILE_SIMULATOR_PURSE_H

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/simulator/state/exec.h"

// Bytes for a page of global memory, without loans; see race_page.c.
enum { FAR_ROOM = 1440 };

// The least overhead of malloc() for a block, in bytes.
enum { MALLOC_ADDS = 16 };

typedef struct Purse {
  uint32_t used, most; // bytes
  FarUse *total;       // of all purses of a launch; or NULL
} Purse;

// Whether, with `bytes` more, the pages of a launch use little memory, or
// no more than their limits together.
static inline bool purses_have_few(const FarUse *total, size_t bytes) {
  enum { FEW_BYTES = 256 << 10 };
  return total->bytes + bytes <= FEW_BYTES;
}
static inline bool purses_have(const FarUse *total, size_t bytes) {
  return purses_have_few(total, bytes) ||
         total->bytes + bytes <= total->pages * FAR_ROOM;
}

// Takes `bytes`; false: there are not enough left.
static inline bool purse_take(Purse *purse, size_t bytes) {
  if (purse->used + bytes > purse->most) return false;
  purse->used += (uint32_t)bytes;
  if (purse->total) purse->total->bytes += bytes;
  return true;
}

// The same for memory that is needed in any case.
static inline void purse_spend(Purse *purse, size_t bytes) {
  purse->used += (uint32_t)bytes;
  if (purse->total) purse->total->bytes += bytes;
}

// Takes bytes for the clocks of strong accesses at words: of the page's own,
// or, in global memory, of the launch's.
static inline bool purse_take_words(Purse *purse, size_t bytes) {
  enum { FEW_BYTES = 128 << 10, OF_PAGE = 64 };
  const FarUse *total = purse->total;
  if (purse->used + bytes > purse->most &&
      (!total || total->words + bytes > FEW_BYTES + total->pages * OF_PAGE))
    return false;
  purse_spend(purse, bytes);
  if (total) purse->total->words += bytes;
  return true;
}

static inline void purse_give(Purse *purse, size_t bytes) {
  assert(purse->used >= bytes && "more than was taken"); // I8
  purse->used -= (uint32_t)bytes;
  if (purse->total) purse->total->bytes -= bytes;
}

static inline void purse_give_words(Purse *purse, size_t bytes) {
  purse_give(purse, bytes);
  if (purse->total) purse->total->words -= bytes;
}

#endif
