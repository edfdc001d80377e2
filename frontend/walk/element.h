// element.h -- in map_elementwise(), where tiles stand for elements.
#ifndef TILE_FRONTEND_SPECIALIZE_ELEMENT_H
#define TILE_FRONTEND_SPECIALIZE_ELEMENT_H

#include "frontend/core/builtins.h"

// `x` with a tile in place of each scalar that is one in `model`, or of each,
// where that is NULL; elsewhere `x`.  NULL after a diagnostic.
const Object *spread_as(Walk *w, SrcLoc loc, const Object *x,
                        const Object *model);
// In map_elementwise(), an element in a shape of `rank` sizes; NULL after a
// diagnostic: it has no size.
const Object *shape_element(Walk *w, const BuiltinCall *c, const Object *x,
                            int rank);
// `result`, which `c` gave in map_elementwise(); NULL after a diagnostic: among
// the ops built since `before` is one that the mapped function may not do.
const Object *check_elements(Walk *w, const BuiltinCall *c, const Op *before,
                             const Object *result);
// Gives `mask` to each op of the block that reads memory or asserts, so that it
// acts only for elements for which the mask holds.  The mask is a tile, or a
// scalar for all of them.
void guard_block(Walk *w, Block *block, Value *mask);
// For which elements `mask` does not hold.
Value *build_inverted(Builder *b, Value *mask);
// `*any`: does the tile hold for an element?  The op that takes the tile.
Op *build_any(Builder *b, Value *mask, Value **any);
// Do elements leave a loop one by one, whose body ends so?
bool exits_diverge(const Exits *exits);

#endif
