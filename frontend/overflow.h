// overflow.h -- checks of integers that `debug` compiles in.
#ifndef TILE_FRONTEND_OVERFLOW_H
#define TILE_FRONTEND_OVERFLOW_H

#include "frontend/specialize.h"

// Stops the launch where `condition`, of int1, does not hold.
void build_assert(Walk *w, const Object *condition, const Object *mask,
                  const char *message);
// The same where what `op` gives of two tensors of one integer type does not
// fit the type, if that is asked for.  False after a diagnostic.
bool check_overflow(Walk *w, SrcLoc loc, Operator op, const Object *x,
                    const Object *y);

#endif
