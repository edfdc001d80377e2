// lines.h -- which line of the source an instruction comes from.
//
// Only what PTX calls .file and .loc: no types, no variables, no sections.
#ifndef TILE_CODEGEN_LINES_H
#define TILE_CODEGEN_LINES_H

#include "codegen/emit.h"

// The LLVM IR that a module with line information starts from; NULL when none
// is asked for.
const char *lines_seed(const Emit *e);

// From here on the builder is in `function`, which is made of `f`.
void lines_enter(Emit *e, LLVMValueRef function, const Function *f);
// Instructions that the builder makes next have the location `loc`.
void lines_at(Emit *e, SrcLoc loc);

#endif
