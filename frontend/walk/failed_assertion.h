// failed_assertion.h -- the values of both sides of an assertion that fails.
#ifndef TILE_FRONTEND_FAILED_ASSERTION_H
#define TILE_FRONTEND_FAILED_ASSERTION_H

#include "frontend/core/walk.h"

// Adds a note below the last error: `'BLOCK' is 100, 'K' is 64`.
void note_sides(Walk *w, const Expr *condition);

#endif
