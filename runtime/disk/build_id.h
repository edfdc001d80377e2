// build_id.h -- the builds of this library and of LLVM, which determine the
// code.
#ifndef TILE_RUNTIME_BUILD_ID_H
#define TILE_RUNTIME_BUILD_ID_H

#include <stdbool.h>
#include <stddef.h>

// The IDs that the linker gave to this library and to LLVM's; "" if one has
// none: then code of this build cannot be told from code of another build.
void build_id_find(char *out, size_t size);

#endif
