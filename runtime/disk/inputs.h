// inputs.h -- all inputs of a compilation, as one key.
#ifndef TILE_RUNTIME_INPUTS_H
#define TILE_RUNTIME_INPUTS_H

#include "runtime/disk/bytes.h"

#define NUMBER int64_t
#define BLOCK  Bytes
typedef struct {
#define INPUT(name, kind, what) kind name;
#include "runtime/disk/inputs.def"
} DiskInputs;
#undef NUMBER
#undef BLOCK

// The key of the inputs: equal for equal inputs alone.
Bytes inputs_key(const DiskInputs *inputs, Arena *arena);
// Reads the inputs from a key; false if it is no key.  Blocks point into the
// key.
bool inputs_read(Bytes key, DiskInputs *out);

#endif
