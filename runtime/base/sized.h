// sized.h -- converts a caller's struct to the library's version of it, and
// back.
//
// The caller may have been compiled with an older tile.h, or a newer one: its
// struct has `size` bytes; 0 stands for the size of version 0.1.
#ifndef TILE_RUNTIME_SIZED_H
#define TILE_RUNTIME_SIZED_H

#include "runtime/base/diagnostics.h"
#include "tile/tile.h"

typedef struct {
  const char *name, *type;
  size_t least, size; // in version 0.1, in this version
} SizedStruct;

#define SIZED(name, type, last) extern const SizedStruct sized_##name;
#include "runtime/base/sized.def"

// The size of a caller's struct.
size_t sized_size(const SizedStruct *sized, const void *from);

typedef enum { SIZED_FINE, SIZED_TOO_SMALL, SIZED_TOO_NEW } SizedState;

// Copies like sized_read(), but reports nothing: the caller does.  `to` is set
// if the result is FINE.
SizedState sized_copy(const SizedStruct *sized, const void *from, void *to);

// Copies `from`, whose first field is its size, to a struct of this library's;
// fields that the caller lacks become 0.  Reports TILE_INVALID_ARGUMENT if the
// size is too small, or an unknown field is set.
TileStatus sized_read(const Report *report, const SizedStruct *sized,
                      const void *from, void *to);

// The same for a struct that the library fills: bytes past the library's own
// struct are not read.
TileStatus sized_check(const Report *report, const SizedStruct *sized,
                       const void *out);
// Copies the library's struct to the caller's, except `size`; fields that the
// library lacks become 0.
void sized_write(const SizedStruct *sized, const void *from, void *out);

#endif
