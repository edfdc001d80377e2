// pick.h -- the better of two values, with its index.
//
// argmax, argmin and return_indices are reductions with it.  A number is better
// than a NaN, as in max and min.
#ifndef TILE_FRONTEND_PICK_H
#define TILE_FRONTEND_PICK_H

#include "frontend/core/builtins.h"

typedef struct {
  Extreme which;
  bool leftmost; // of equal values, the one with the lower index
  // only the index is wanted: any of the equal values may be the result
  bool is_index;
} Pick;

// May `a` and `b` be exchanged?  Not if the value is wanted and both may be
// NaN; pick_index() takes the index of neither NaN.
bool pick_is_symmetric(const Pick *pick, Dtype dtype);
// Combines `a` and `b`, each a value with its index, for the builtin `name`.
// False after a diagnostic.
bool pick_better(Walk *w, SrcLoc loc, const char *name, const Pick *pick,
                 const Object *const *a, const Object *const *b,
                 const Object **out);
// The index for the resulting value: 0 if that is a NaN.
const Object *pick_index(Walk *w, SrcLoc loc, const Object *value,
                         const Object *index);

#endif
