// output.h -- from LLVM IR to text, assembly or an object.
#ifndef TILE_CODEGEN_OUTPUT_H
#define TILE_CODEGEN_OUTPUT_H

#include "codegen/emit.h"

// Is what we emitted well formed?  A failure is our own bug, reported.
bool output_verify(Emit *e);
bool output_optimize(Emit *e);
// Fills data and size.
bool output_write(Emit *e, EmitKind kind, CompiledCode *out);

// -- Which line of the source an instruction comes from ----------------------

// Only what PTX calls .file and .loc: no types, no variables, no sections.

// The LLVM IR that a module with line information starts from; NULL when none
// is asked for.
const char *lines_seed(const Emit *e);

// From here on the builder is in `function`, which is made of `f`.
void lines_enter(Emit *e, LLVMValueRef function, const Function *f);
// Instructions that the builder makes next have the location `loc`.
void lines_at(Emit *e, SrcLoc loc);

#endif
