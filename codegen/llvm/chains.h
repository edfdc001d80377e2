// chains.h -- sums of very many integers.
#ifndef TILE_CODEGEN_LLVM_CHAINS_H
#define TILE_CODEGEN_LLVM_CHAINS_H

#include "codegen/emit.h"

// Splits long chains of integer arithmetic in the optimized module, for a GPU.
void cut_chains(Emit *e);
// Freezes values of other blocks and counters of loops from which addresses are
// computed, in the optimized module, for the host.
void cut_addresses(Emit *e);

#endif
