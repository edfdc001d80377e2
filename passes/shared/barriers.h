// barriers.h -- places at which the threads of a program must meet.
#ifndef TILE_PASSES_BARRIERS_H
#define TILE_PASSES_BARRIERS_H

#include "ir/op.h"
#include "ir/target.h"

typedef Vec(Op *) MissingOps;

// Ops in program order.
typedef struct {
  // In front of these a barrier is missing: they touch bytes of shared memory
  // that another thread may have written, or still read, since the last one.
  MissingOps barriers;
  // In front of these, and of the barrier, a fence: a bulk copy touches bytes
  // that threads have written.
  MissingOps fences;
} Missing;

// Shared memory is allocated.
void barriers_missing(const Function *f, const Target *target, Arena *arena,
                      Missing *out);

#endif
