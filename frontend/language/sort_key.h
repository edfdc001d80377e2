// sort_key.h -- signed integer keys in the sorting order of numbers.
//
// A NaN is above +infinity, -0.0 just below 0.0.  No bit is lost: converting
// back gives each number unchanged.
#ifndef TILE_FRONTEND_SORT_KEY_H
#define TILE_FRONTEND_SORT_KEY_H

#include "frontend/core/walk.h"

// The keys of a tile of numbers: integers of 32 or 64 bits.
Value *sort_key(Walk *w, const Object *x);
// The numbers of type `dtype` with these keys.
const Object *sort_key_number(Walk *w, Value *key, Dtype dtype);

#endif
