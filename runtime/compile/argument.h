// argument.h -- a kernel's parameters, and a launch's argument for each.
#ifndef TILE_RUNTIME_ARGUMENT_H
#define TILE_RUNTIME_ARGUMENT_H

#include "runtime/compile/compile.h"
#include "runtime/compile/tensor_map.h"

#include "tile/tile.h"

typedef struct {
  const char *name;
  bool is_constexpr, has_default;
  bool folds_one;  // an int 1 becomes a constant
  bool takes_hint; // a value that 16 divides gets a variant
  Annotation annotation;
} KernelParamPlan;

// Memory is in the arena of its unit.
struct TileKernel {
  TileKernel *next; // in the list of the program
  TileProgram *program;
  SourceUnit *unit; // of the program
  DiskCache *disk;  // of the context; NULL: none
  const AstFunction *function;
  const char *name;
  const char *asked; // name by which it was found; "": the only one
  KernelParamPlan *params;
  size_t num_params;
  Map by_name; // index in `params` of each parameter
  bool has_heuristics;
  bool is_tuned; // has @autotune
  // A target on which no configuration has a hook; or NULL.
  _Atomic(const Target *) hookless;
  VariantCache variants;
};

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

// Not initialized: the counts tell how many entries are set.
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
// Changes the key of a launch to the key of its variant for tensors of that
// fit.
void call_key_add_fit(CallKey *key, TensorFit fit);

#endif
