// chains.h -- sums of very many integers.
#ifndef TILE_CODEGEN_LLVM_CHAINS_H
#define TILE_CODEGEN_LLVM_CHAINS_H

#include "codegen/emit.h"

// Takes long chains of integer arithmetic apart, of the optimized module, for a
// GPU.
void cut_chains(Emit *e);
// Keeps what addresses are computed from in other blocks from LLVM, of the
// optimized module, for the host.
void cut_addresses(Emit *e);

#endif
