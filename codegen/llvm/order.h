// order.h -- the order of the instructions of a block, for a GPU.
#ifndef TILE_CODEGEN_LLVM_ORDER_H
#define TILE_CODEGEN_LLVM_ORDER_H

#include "codegen/emit.h"

// Moves what computes only to where it is first needed, in each block of the
// functions `to_order`, once they are optimized.
void order_by_need(Emit *e);

#endif
