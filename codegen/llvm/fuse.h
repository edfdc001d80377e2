// fuse.h -- products and sums that are rounded at once.
#ifndef TILE_CODEGEN_LLVM_FUSE_H
#define TILE_CODEGEN_LLVM_FUSE_H

#include "codegen/emit.h"

// For the host: sums that may be rounded together with
// a product are, and no others.
void fuse_sums(Emit *e);

#endif
