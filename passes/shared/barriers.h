// barriers.h -- places where the threads of a program must synchronize.
#ifndef TILE_PASSES_BARRIERS_H
#define TILE_PASSES_BARRIERS_H

#include "ir/op.h"
#include "ir/target.h"

typedef Vec(Op *) MissingOps;

// Ops in program order.
typedef struct {
  // Ops in front of which a barrier is missing: they access bytes of shared
  // memory that another thread may have written, or may still read, since the
  // last one.
  MissingOps barriers;
  // Ops in front of which a fence is missing, also before the barrier: a bulk
  // copy accesses bytes that threads have written.
  MissingOps fences;
} Missing;

// Shared memory must be allocated.
void barriers_missing(const Function *f, const Target *target, Arena *arena,
                      Missing *out);

#endif
