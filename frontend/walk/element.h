// element.h -- map_elementwise(), where tiles stand for elements.
#ifndef TILE_FRONTEND_WALK_ELEMENT_H
#define TILE_FRONTEND_WALK_ELEMENT_H

#include "frontend/core/builtins.h"

// `x` with scalars splat to tiles: those that are tiles in `model`, or all, if
// `model` is NULL.  Outside map_elementwise() `x` itself.  NULL after a
// diagnostic.
const Object *spread_as(Walk *w, SrcLoc loc, const Object *x,
                        const Object *model);
// The integer value of an element in a shape of `rank` sizes, in
// map_elementwise(); NULL after a diagnostic: an element has no constant value.
const Object *shape_element(Walk *w, const BuiltinCall *c, const Object *x,
                            int rank);
// `result`, which the call `c` returned in map_elementwise().  NULL after a
// diagnostic, if an op since `before` is not allowed in the mapped function.
const Object *check_elements(Walk *w, const BuiltinCall *c, const Op *before,
                             const Object *result);
// Adds `mask` to each op of the block that reads memory or asserts, so that it
// acts only for elements in the mask: a tile, or a scalar for all elements.
void guard_block(Walk *w, Block *block, Value *mask);
// The elements outside `mask`.
Value *build_inverted(Builder *b, Value *mask);
// `*any`: is `mask` true for an element?  Returns the op that reads the mask.
Op *build_any(Builder *b, Value *mask, Value **any);
// Do elements leave the loop, whose body ends with `exits`, one by one?
bool exits_diverge(const Exits *exits);

#endif
