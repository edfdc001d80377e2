// combination.h -- the region that combines, of a reduction or scan.
#ifndef TILE_FRONTEND_COMBINATION_H
#define TILE_FRONTEND_COMBINATION_H

#include "frontend/core/walk.h"

// Leaves in the region of `op`, the last op so far, what is computed for the
// values that it yields.  The op that is in its place afterwards: where the
// region asserts something, one with a further result.
Op *combination_finish(Walk *w, Op *op);

#endif
