// argument.h -- what a launch says of each parameter of its kernel.
#ifndef TILE_RUNTIME_ARGUMENT_H
#define TILE_RUNTIME_ARGUMENT_H

#include "runtime/program.h"

// Of one parameter.
typedef struct {
  ArgSpec spec;   // what the variant is compiled for
  uint64_t value; // RUNTIME: an address or an integer
  double number;  // RUNTIME: a float
} BoundArg;

// Matches arguments and constants with the parameters and specializes them as
// Triton's JIT does.  `bound` has room for every parameter.
TileStatus bind_arguments(const Report *report, const TileDevice *device,
                          const TileLaunch *launch, BoundArg *bound);

// Appends what tells this specialization from others; returns the bytes that
// it takes, which may be more than `size`.
size_t bound_key(const BoundArg *bound, size_t count, unsigned char *key,
                 size_t size);

// What the machine parameter gets: the low `param->size` bytes count.
uint64_t bound_slot(const BoundArg *bound, const KernelParam *param);

#endif
