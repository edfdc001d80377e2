// npy.h -- NumPy's .npy files, read and written.
//
// bf16 and fp8 have no name there.  They are written as ml_dtypes does: bf16 as
// "<V2", fp8e5 as "<f1", the others as "|V1"; and read from these, and from
// unsigned integers of their size where the caller says what is meant.
#ifndef TILE_DATA_NPY_H
#define TILE_DATA_NPY_H

#include "ir/base/base.h"
#include "tile/tile.h"

enum { NPY_MAX_RANK = 32 };

typedef struct {
  TileDtype dtype;
  int rank;
  uint64_t shape[NPY_MAX_RANK];
  uint64_t count; // product of the shape
  const void *data;
} NpyArray;

// Bytes of its elements.
size_t npy_size(const NpyArray *array);

// The wanted type of the elements; TILE_DTYPE_NONE: as the file says.
typedef struct {
  TileDtype dtype; // the only type that will do
  TileDtype bytes; // the type of elements that the file does not name, "|V1"
} NpyWant;

// The type that elements which a file says are `found` get; false: not the
// wanted one.  Unsigned integers may be floats of their size.
bool npy_choose_dtype(TileDtype found, NpyWant want, TileDtype *out);

// Reads an array out of the bytes of a file, which `out` keeps pointing at.
// False with a sentence in `why`.
bool npy_parse(const char *bytes, size_t size, NpyWant want, NpyArray *out,
               char *why, size_t why_size);

// The bytes of a file of that array, in the arena.
const char *npy_format(Arena *arena, const NpyArray *array, size_t *size);

#endif
