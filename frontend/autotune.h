// autotune.h -- the first configuration of an @autotune decorator.
#ifndef TILE_FRONTEND_AUTOTUNE_H
#define TILE_FRONTEND_AUTOTUNE_H

#include "frontend/ast.h"

// What it gives a parameter; NULL: nothing, or nothing literal.
const Expr *autotune_value(const AstFunction *function, const char *name);
// num_warps or num_stages, if an integer is written there.
int autotune_option(const AstFunction *function, const char *name,
                    int otherwise);

#endif
