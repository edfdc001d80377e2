// fuse.h -- products and sums that are rounded at once.
#ifndef TILE_CODEGEN_LLVM_FUSE_H
#define TILE_CODEGEN_LLVM_FUSE_H

#include "codegen/emit.h"

// For the host: rounds a sum together with a product wherever that is allowed,
// and nowhere else.
void fuse_sums(Emit *e);

#endif
