// argument.h -- a launch's argument for each parameter of its kernel.
#ifndef TILE_RUNTIME_ARGUMENT_H
#define TILE_RUNTIME_ARGUMENT_H

#include "runtime/program.h"

enum { MAX_TUPLE_DEPTH = 16 };

// The argument of one parameter, or an item of a tuple.
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

// The argument whose value a machine parameter gets: the low bytes, as many as
// it has.  `leaf` counts the run-time values of a tuple or a descriptor.
const BoundArg *bound_leaf(const BoundArg *bound, int leaf);

// -- Hooks of configurations -------------------------------------------------

enum { MAX_LAUNCH_FILLS = 64 };

// Evaluates the hook of the configuration for a launch of `args`, which get the
// blocks that it gives to descriptors.  `out` gets its fills; both are in
// `arena`.  `looked_at`: see call_key_make().
TileStatus hook_apply(const Report *report, const TileLaunch *launch,
                      const Specialization *specialization, Arena *arena,
                      ArgSpec *args, uint64_t *looked_at, LaunchFills *out);

// The fills of that launch; an error where the size of a tensor is not known.
TileStatus hook_fills(const Report *report, const TileLaunch *launch,
                      const LaunchFills *fills, DeviceFill *out);

// -- Keys of variants --------------------------------------------------------

// The same launch, but for the values of its run-time arguments, has the same
// words; bind_arguments() says what they amount to, call_key_make() only what
// they are, so it is quick.

enum {
  MAX_KEY_PARAMS = 64,
  MAX_KEY_WORDS = 192,
  MAX_KEY_VALUES = 96,
};

// Not initialized: only as many as the counts say are set.
typedef struct {
  uint64_t hash;
  uint32_t num_words, num_values;
  uint64_t words[MAX_KEY_WORDS];
  // Values that machine parameters may get, in the order of the arguments: one
  // of an address or a number that is no constant, those of its leaves of a
  // tuple or a descriptor.
  uint64_t values[MAX_KEY_VALUES];
  uint8_t first_value[MAX_KEY_PARAMS]; // of each parameter
} CallKey;

// The words have the values of those parameters, too, that are bits of
// `looked_at`.  False if the launch is wrong, as bind_arguments() tells, or so
// large that it is not worth the room.
bool call_key_make(const TileDevice *device, const TileLaunch *launch,
                   uint64_t looked_at, CallKey *key);
// Changes it to that of the same launch where no tensor map can be made.
void call_key_without_maps(CallKey *key);

#endif
