// bare_extreme.h -- `max(v, 0)` of a tile: along axis 0, or of each and 0?
#ifndef TILE_FRONTEND_BARE_EXTREME_H
#define TILE_FRONTEND_BARE_EXTREME_H

#include "frontend/core/walk.h"

// Is it clear what this call of `callee` means?  False after an error; what a
// Python file means is Python's, and a warning says so.
bool extreme_is_clear(Walk *w, const Expr *call, const Object *callee,
                      const Arguments *args);

#endif
