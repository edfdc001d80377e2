// output.h -- from LLVM IR to text, assembly or an object.
#ifndef TILE_CODEGEN_OUTPUT_H
#define TILE_CODEGEN_OUTPUT_H

#include "codegen/emit.h"

// Is what we emitted well formed?  A failure is our own bug, reported.
bool output_verify(Emit *e);
bool output_optimize(Emit *e);
// Fills data and size.
bool output_write(Emit *e, EmitKind kind, CompiledCode *out);

#endif
