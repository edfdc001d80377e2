// output.h -- from LLVM IR to text, assembly or an object.
#ifndef TILE_CODEGEN_OUTPUT_H
#define TILE_CODEGEN_OUTPUT_H

#include "codegen/emit.h"

// Is the emitted IR well formed?  If not, that is a bug of ours, and is
// reported.
bool output_verify(Emit *e);
bool output_optimize(Emit *e);
// Fills data and size.
bool output_write(Emit *e, EmitKind kind, CompiledCode *out);

// -- Source lines of instructions --------------------------------------------

// Only PTX's .file and .loc: no types, no variables, no sections.

// The LLVM IR from which a module with line information starts; NULL without
// line information.
const char *lines_seed(const Emit *e);

// From here on the builder is in `function`, which is made from `f`.
void lines_enter(Emit *e, LLVMValueRef function, const Function *f);
// The next instructions of the builder have the location `loc`.
void lines_at(Emit *e, SrcLoc loc);

#endif
