// alloc_shared.h -- the shared memory that a kernel needs.
#ifndef TILE_PASSES_ALLOC_SHARED_H
#define TILE_PASSES_ALLOC_SHARED_H

#include "ir/op.h"
#include "ir/target.h"

// Returns bytes; tiles are exchanged in the parts that alloc_shared chooses.
int64_t shared_needed(Function *f, const Target *target);

#endif
