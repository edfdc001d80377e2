// narrow.h -- selects between halves of a word stay selects of 16 bits.
//
// LLVM widens them if one of the halves was loaded with others as a word.
// ptxas (12.9 and 13.0) then combines `selp.b32` and the conversion before it
// to one instruction under a predicate, which overwrites its source register,
// and confuses the values before and after if it combines two products of
// halves: docs/decisions/0021-choices-of-halves.md.
#ifndef TILE_CODEGEN_NARROW_H
#define TILE_CODEGEN_NARROW_H

#include "codegen/emit.h"

// Rewrites an optimized module.
void narrow_choices(Emit *e);

#endif
