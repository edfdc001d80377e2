// halves.h -- words of which both halves are taken.
#ifndef TILE_CODEGEN_LLVM_HALVES_H
#define TILE_CODEGEN_LLVM_HALVES_H

#include "codegen/emit.h"

// Takes both halves of a word apart at once, as elements of a vector: one
// instruction of PTX instead of two.
void take_halves_apart(Emit *e);

#endif
