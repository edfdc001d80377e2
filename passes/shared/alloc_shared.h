// alloc_shared.h -- how much shared memory a kernel takes.
#ifndef TILE_PASSES_ALLOC_SHARED_H
#define TILE_PASSES_ALLOC_SHARED_H

#include "ir/op.h"
#include "ir/target.h"

// Bytes; the kernel's tiles go in the parts that alloc_shared gives them.
int64_t shared_needed(Function *f, const Target *target);

#endif
