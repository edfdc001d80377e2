// barriers.h -- where the threads of a program must meet.
#ifndef TILE_PASSES_BARRIERS_H
#define TILE_PASSES_BARRIERS_H

#include "ir/op.h"
#include "ir/target.h"

// Ops in front of which a barrier is missing, in program order: they touch
// bytes of shared memory that another thread may have written, or still read,
// since the last barrier.  Shared memory is allocated.
typedef Vec(Op *) OpList;
void barriers_missing(const Function *f, const Target *target, Arena *arena,
                      OpList *out);

#endif
