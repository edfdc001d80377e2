// poison.h -- the pattern that `empty:` puts into a buffer, and the rest of it
// that is never written.
#ifndef TILE_TOOLS_POISON_H
#define TILE_TOOLS_POISON_H

#include "runtime/tools/array.h"

typedef enum { POISON, OTHER_POISON } PoisonKind;

uint64_t poison_bits(TileDtype dtype, PoisonKind kind);

// Is poison of this type never the result of an operation?  If it may be one,
// an element was never written when it keeps both poisons, each in its launch.
bool poison_is_certain(TileDtype dtype);

bool poison_is_at(const NpyArray *array, uint64_t index);

typedef struct {
  uint64_t count, first;
} Poisoned;

// The elements that are poison and, if `again` is an array and not NULL, are
// the other poison there.
Poisoned poison_find(const NpyArray *array, const NpyArray *again);

#endif
