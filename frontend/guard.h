// guard.h -- conditions at module level that the language decides.
#ifndef TILE_FRONTEND_GUARD_H
#define TILE_FRONTEND_GUARD_H

#include "frontend/program.h"

// Do the tokens from `begin` say `hasattr(tl, "NAME"):`, of a function that the
// language has, or `triton is not None:`, of an import of Triton?  A name that
// is no function may be a type or a module: false means that nothing is known.
bool guard_holds(Program *program, const AstFile *file, uint32_t begin);

#endif
