// sort_key.h -- signed integers that are ordered as numbers are sorted.
//
// A NaN is above +infinity, -0.0 just below 0.0, and no bit is lost: the way
// back gives each number as it was.
#ifndef TILE_FRONTEND_SORT_KEY_H
#define TILE_FRONTEND_SORT_KEY_H

#include "frontend/core/walk.h"

// The keys of a tile of numbers, integers of 32 or 64 bits.
Value *sort_key(Walk *w, const Object *x);
// The numbers of that type that have such keys.
const Object *sort_key_number(Walk *w, Value *key, Dtype dtype);

#endif
