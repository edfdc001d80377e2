// autotune.h -- what the @autotune and @heuristics decorators say.
#ifndef TILE_FRONTEND_AUTOTUNE_H
#define TILE_FRONTEND_AUTOTUNE_H

#include "frontend/ast.h"

// What it gives a parameter; NULL: nothing, or nothing literal.
const Expr *autotune_value(const AstFunction *function, const char *name);
// The lambda that @heuristics gives it, or NULL.
const Expr *heuristic_of(const AstFunction *function, const char *name);
// num_warps or num_stages, if an integer is written there.
int autotune_option(const AstFunction *function, const char *name,
                    int otherwise);

#endif
