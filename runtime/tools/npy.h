// npy.h -- NumPy's .npy files, read and written.
//
// bf16 and fp8 have no name there: they are written as unsigned integers of
// their size, and read from those ("<u2", "|u1") or raw bytes ("|V2", "|V1")
// when the caller says what is meant.
#ifndef TILE_TOOLS_NPY_H
#define TILE_TOOLS_NPY_H

#include "ir/base/arena.h"
#include "tile/tile.h"

enum { NPY_MAX_RANK = 32 };

typedef struct {
  TileDtype dtype;
  int rank;
  uint64_t shape[NPY_MAX_RANK];
  uint64_t count; // product of the shape
  const void *data;
} NpyArray;

// Reads an array out of the bytes of a file, which `out` keeps pointing at.
// `expected` is what the elements must be, or TILE_DTYPE_NONE.  False with a
// sentence in `why`.
bool npy_parse(const char *bytes, size_t size, TileDtype expected,
               NpyArray *out, char *why, size_t why_size);

// The bytes of a file of that array, in the arena.
const char *npy_format(Arena *arena, const NpyArray *array, size_t *size);

#endif
