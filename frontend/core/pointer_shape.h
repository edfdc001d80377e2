// pointer_shape.h -- what kernels ask of a pointer that only the host can tell.
#ifndef TILE_FRONTEND_POINTER_SHAPE_H
#define TILE_FRONTEND_POINTER_SHAPE_H

#include "frontend/core/walk.h"

// Is `name` what a tensor of the host would have, and `x` but its pointer?
bool asks_for_shape(const Object *x, const char *name);
// `p.shape`, `p.numel` and the like, where `p` names such a pointer.
bool reads_shape(const Walk *w, const Expr *expr);
// An error; returns NULL.
const Object *pointer_has_no_shape(Walk *w, const Expr *attribute);

#endif
