// build_id.h -- which build of this library, and of LLVM's, makes the code.
#ifndef TILE_RUNTIME_BUILD_ID_H
#define TILE_RUNTIME_BUILD_ID_H

#include <stdbool.h>
#include <stddef.h>

// The IDs that the linker gave to the objects with this library and with
// LLVM's; "" if one has none: then what it makes is not told from what another
// build makes.
void build_id_find(char *out, size_t size);

#endif
