// halves.h -- words of which both halves are used.
#ifndef TILE_CODEGEN_LLVM_HALVES_H
#define TILE_CODEGEN_LLVM_HALVES_H

#include "codegen/emit.h"

// Extracts both halves of a word at once, as elements of a vector: one
// instruction of PTX instead of two.
void take_halves_apart(Emit *e);

#endif
