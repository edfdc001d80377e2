// sized.h -- a caller's struct as the library itself has it.
//
// The caller may have been compiled with an older tile.h, or a newer one: its
// struct has `size` bytes, those of version 0.1 where that is 0.
#ifndef TILE_RUNTIME_SIZED_H
#define TILE_RUNTIME_SIZED_H

#include "runtime/base/diagnostics.h"
#include "tile/tile.h"

typedef struct {
  const char *name, *type;
  size_t least, size; // in version 0.1, in this one
} SizedStruct;

#define SIZED(name, type, last) extern const SizedStruct sized_##name;
#include "runtime/base/sized.def"

// The size of a caller's struct.
size_t sized_size(const SizedStruct *sized, const void *from);

typedef enum { SIZED_FINE, SIZED_TOO_SMALL, SIZED_TOO_NEW } SizedState;

// Copies as sized_read() does, but reports nothing: the caller says what is
// wrong.  `to` is set where it is FINE.
SizedState sized_copy(const SizedStruct *sized, const void *from, void *to);

// Copies `from`, whose first field is its size, to a struct of this library's;
// fields that the caller lacks become 0.  TILE_INVALID_ARGUMENT, which it
// reports, where the size is too small, or a field is set that is not known.
TileStatus sized_read(const Report *report, const SizedStruct *sized,
                      const void *from, void *to);

// The same for one that the library fills: what is past its own end is not
// read.
TileStatus sized_check(const Report *report, const SizedStruct *sized,
                       const void *out);
// Copies the library's struct to the caller's, but for the size; fields that
// the library lacks become 0.
void sized_write(const SizedStruct *sized, const void *from, void *out);

#endif
