// npy.h -- NumPy's .npy files, read and written.
//
// bf16 and fp8 have no code in NumPy.  Elements of these types are written as
// by ml_dtypes: bf16 as "<V2", fp8e5 as "<f1", the others as "|V1"; and read
// from these codes, or from unsigned integers of their size if the caller wants
// that type.
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

// The size of its elements in bytes.
size_t npy_size(const NpyArray *array);

// The wanted type of the elements; TILE_DTYPE_NONE: the file's.
typedef struct {
  TileDtype dtype; // the only accepted type
  TileDtype bytes; // type of untyped elements, "|V1"
} NpyWant;

// The type of elements that are `found` in a file; false: not the wanted one.
// Unsigned integers may be floats of their size.
bool npy_choose_dtype(TileDtype found, NpyWant want, TileDtype *out);

// Reads an array from the bytes of a file; `out` points into them.  False with
// a sentence in `why`.
bool npy_parse(const char *bytes, size_t size, NpyWant want, NpyArray *out,
               char *why, size_t why_size);

// The bytes of a file with that array, in the arena.
const char *npy_format(Arena *arena, const NpyArray *array, size_t *size);

#endif
