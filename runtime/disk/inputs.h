// inputs.h -- the inputs that an entry was made of, as one key.
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

// The whole of them: equal for equal inputs alone.
Bytes inputs_key(const DiskInputs *inputs, Arena *arena);
// Back again; false if it is no key.  Blocks lie in the key.
bool inputs_read(Bytes key, DiskInputs *out);

#endif
