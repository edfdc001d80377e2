// combination.h -- the combining region of a reduction or scan.
#ifndef TILE_FRONTEND_COMBINATION_H
#define TILE_FRONTEND_COMBINATION_H

#include "frontend/core/walk.h"

// Finishes the region of `op`, the last op so far: only computations of the
// yielded values remain.  Returns the op in its place: if the region asserts,
// one with a further result.
Op *combination_finish(Walk *w, Op *op);

#endif
