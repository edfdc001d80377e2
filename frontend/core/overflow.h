// overflow.h -- checks that `debug` compiles in.
#ifndef TILE_FRONTEND_OVERFLOW_H
#define TILE_FRONTEND_OVERFLOW_H

#include "frontend/core/walk.h"

// Builds a check at run time: the launch stops with `message` where
// `condition`, of int1, is false.  `mask`, of int1, limits it to the lanes for
// which it holds; NULL: all of them.
void build_assert(Walk *w, const Object *condition, const Object *mask,
                  const char *message);
// The same where `x op y`, of one integer type, does not fit that type, if the
// walk checks overflow.  False after a diagnostic.
bool check_overflow(Walk *w, SrcLoc loc, Operator op, const Object *x,
                    const Object *y);

#endif
