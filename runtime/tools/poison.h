// poison.h -- poison: the pattern of an `empty:` buffer, and finding elements
// that still have it.
#ifndef TILE_TOOLS_POISON_H
#define TILE_TOOLS_POISON_H

#include "runtime/tools/array.h"

typedef enum { POISON, OTHER_POISON } PoisonKind;

uint64_t poison_bits(TileDtype dtype, PoisonKind kind);

// Whether poison of this type is never the result of an operation.  If two
// launches are allowed, an element is unwritten if it keeps both kinds of
// poison, each in a launch of its own.
bool poison_is_certain(TileDtype dtype);

bool poison_is_at(const NpyArray *array, uint64_t index);

typedef struct {
  uint64_t count, first;
} Poisoned;

// Finds the elements that are poison, and, if `again` is not NULL, are the
// other kind of poison there.
Poisoned poison_find(const NpyArray *array, const NpyArray *again);

#endif
