// order.h -- the order of the instructions of a block, for a GPU.
#ifndef TILE_CODEGEN_LLVM_ORDER_H
#define TILE_CODEGEN_LLVM_ORDER_H

#include "codegen/emit.h"

// Moves instructions without effects to their first use, in each block of the
// functions `to_order`, after they were optimized.
void order_by_need(Emit *e);

#endif
