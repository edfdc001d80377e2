// named_tokens.h -- which tokens of a file may be names that its module has.
#ifndef TILE_FRONTEND_NAMED_TOKENS_H
#define TILE_FRONTEND_NAMED_TOKENS_H

#include "frontend/module/program.h"

// A truth for each token, for the names that are known so far.  Of a name in a
// class its last part counts; a file with star imports may have any name.
const bool *named_tokens(Program *program, AstFile *file);

#endif
