// argument.h -- what a launch says of each parameter of its kernel.
#ifndef TILE_RUNTIME_ARGUMENT_H
#define TILE_RUNTIME_ARGUMENT_H

#include "runtime/program.h"

enum { MAX_TUPLE_DEPTH = 16 };

// Of one parameter, or of an item of a tuple.
typedef struct BoundArg BoundArg;
struct BoundArg {
  ArgSpec spec;   // what the variant is compiled for
  uint64_t value; // RUNTIME: an address, an integer, the bits of a float
  // TUPLE: spec.num_items of them.  DESCRIPTOR: the address, the sizes, and
  // the strides but the last.
  const BoundArg *items;
};

// Room for the items of all tuples and descriptors; their specs lie side by
// side, too.
typedef struct {
  BoundArg *bound;
  ArgSpec *specs;
  size_t used;
  int depth;
} BoundItems;

// The items of all tuples and descriptors of the launch, at most.
size_t bound_num_items(const TileLaunch *launch);

// Matches arguments and constants with the parameters and specializes them as
// Triton's JIT does.  `bound` has room for every parameter, `items` for
// bound_num_items().
TileStatus bind_arguments(const Report *report, const TileDevice *device,
                          const TileLaunch *launch, BoundItems *items,
                          BoundArg *bound);

// The format of what is wrong with the parts; NULL: hardware can read it.
const char *descriptor_problem(const TileTensorDescriptor *d);

// Appends what tells this specialization from others; returns the bytes that
// it takes, which may be more than `size`.
size_t bound_key(const BoundArg *bound, size_t count, unsigned char *key,
                 size_t size);

// Whose value a machine parameter gets: the low bytes, as many as it has.  Of a
// tuple's or a descriptor's run-time values, it is number `leaf`.
const BoundArg *bound_leaf(const BoundArg *bound, int leaf);

#endif
