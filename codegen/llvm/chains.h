// chains.h -- sums of very many integers, for a GPU.
#ifndef TILE_CODEGEN_LLVM_CHAINS_H
#define TILE_CODEGEN_LLVM_CHAINS_H

#include "codegen/emit.h"

// Takes long chains of integer arithmetic apart, of the optimized module.
void cut_chains(Emit *e);

#endif
