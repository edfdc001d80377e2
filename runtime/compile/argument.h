// argument.h -- a launch's argument for each parameter of its kernel.
#ifndef TILE_RUNTIME_ARGUMENT_H
#define TILE_RUNTIME_ARGUMENT_H

#include "runtime/program.h"

enum { MAX_TUPLE_DEPTH = 16 };

// The argument of one parameter, or an item of a tuple.
typedef struct BoundArg BoundArg;
struct BoundArg {
  ArgSpec spec;   // argument of the specialization
  uint64_t value; // RUNTIME: an address, an integer, the bits of a float
  // TUPLE: spec.num_items of them.  DESCRIPTOR: the address, the sizes, and
  // the strides but the last.
  const BoundArg *items;
};

// Room for the items of all tuples and descriptors; the specs of one tuple are
// adjacent, too.
typedef struct {
  BoundArg *bound;
  ArgSpec *specs;
  size_t used;
  int depth;
} BoundItems;

// An upper bound for the items of all tuples and descriptors of the launch.
size_t bound_num_items(const TileLaunch *launch);

// Matches arguments and constants with the parameters and specializes them as
// Triton's JIT does.  `bound` has room for every parameter, `items` for
// bound_num_items().
TileStatus bind_arguments(const Report *report, const TileDevice *device,
                          const TileLaunch *launch, BoundItems *items,
                          BoundArg *bound);

// The format of the error if the hardware cannot read such a tensor; NULL: it
// can.
const char *descriptor_problem(const TileTensorDescriptor *d);

// Appends the bytes that identify this specialization; returns their number,
// which may be more than `size`.
size_t bound_key(const BoundArg *bound, size_t count, unsigned char *key,
                 size_t size);

// The argument whose value a machine parameter gets, from the low bytes.
// `leaf` counts the run-time values of a tuple or a descriptor.
const BoundArg *bound_leaf(const BoundArg *bound, int leaf);

// -- Hooks of configurations -------------------------------------------------

enum { MAX_LAUNCH_FILLS = 64 };

// Evaluates the hook of the configuration for a launch with `args`; descriptors
// among them get the blocks that the hook gives them.  `out` gets the hook's
// fills; both are in `arena`.  `looked_at`: see call_key_make().
TileStatus hook_apply(const Report *report, const TileLaunch *launch,
                      const Specialization *specialization, Arena *arena,
                      ArgSpec *args, uint64_t *looked_at, LaunchFills *out);

// The fills of that launch; an error if the size of a tensor is not known.
TileStatus hook_fills(const Report *report, const TileLaunch *launch,
                      const LaunchFills *fills, DeviceFill *out);

// -- Keys of variants --------------------------------------------------------

// A quick key of a launch: launches that differ only in the values of run-time
// arguments have the same words.  bind_arguments() finds the meaning of the
// arguments, call_key_make() only encodes them.

enum {
  MAX_KEY_PARAMS = 64,
  MAX_KEY_WORDS = 192,
  MAX_KEY_VALUES = 96,
};

// Not initialized: only as many entries as the counts say are set.
typedef struct {
  uint64_t hash;
  uint32_t num_words, num_values;
  uint64_t words[MAX_KEY_WORDS];
  // Values that machine parameters may get, in the order of the arguments: one
  // for an address or a number that is no constant, one for each leaf of a
  // tuple or a descriptor.
  uint64_t values[MAX_KEY_VALUES];
  uint8_t first_value[MAX_KEY_PARAMS]; // of each parameter
} CallKey;

// The words contain the values of the parameters in the set `looked_at`, too.
// False if the launch is wrong, which bind_arguments() reports, or too large
// for a key.
bool call_key_make(const TileDevice *device, const TileLaunch *launch,
                   uint64_t looked_at, CallKey *key);
// Changes the key to that of the same launch without tensor maps.
void call_key_without_maps(CallKey *key);

#endif
