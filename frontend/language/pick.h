// pick.h -- the better of two values with its index.
//
// argmax, argmin and return_indices are reductions by it.  A NaN loses, as in
// max and min.
#ifndef TILE_FRONTEND_PICK_H
#define TILE_FRONTEND_PICK_H

#include "frontend/core/builtins.h"

typedef struct {
  Extreme which;
  bool leftmost; // of equal values, that of the lower index
  bool is_index; // the value may be any that is equal to the better one
} Pick;

// Does it not matter which is `a` and which is `b`?  Of two NaNs it does where
// the value is wanted; pick_index() takes the index of neither.
bool pick_is_symmetric(const Pick *pick, Dtype dtype);
// Combines `a` and `b`, each a value and its index; `name` is the builtin's.
// False after a diagnostic.
bool pick_better(Walk *w, SrcLoc loc, const char *name, const Pick *pick,
                 const Object *const *a, const Object *const *b,
                 const Object **out);
// The index that goes with the value that is left: 0 where that is a NaN.
const Object *pick_index(Walk *w, SrcLoc loc, const Object *value,
                         const Object *index);

#endif
