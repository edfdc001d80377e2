// narrow.h -- choices between halves of a word stay choices of 16 bits.
//
// LLVM widens them where one of the halves was loaded with others as a word.
// ptxas (12.9 and 13.0) then makes of `selp.b32` and the conversion before it
// one instruction under a predicate, which writes the register that it has
// read, and takes the values before and after for one where it puts two
// products of halves together: docs/decisions/0021-choices-of-halves.md.
#ifndef TILE_CODEGEN_NARROW_H
#define TILE_CODEGEN_NARROW_H

#include "codegen/emit.h"

// Rewrites an optimized module.
void narrow_choices(Emit *e);

#endif
