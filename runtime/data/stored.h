// stored.h -- arrays in files that hold many: safetensors, GGUF, NumPy's .npz.
//
// The end of a file's name says what it is.  Numbers in it are little-endian.
// Each reader checks all bounds before it keeps a pointer: a list has only
// arrays that lie within the bytes.
#ifndef TILE_DATA_STORED_H
#define TILE_DATA_STORED_H

#include "ir/base/base.h"
#include "runtime/data/npy.h"

typedef struct {
  const char *name;
  const char *type; // in the words of the format; NULL: a .npy file
  TileDtype dtype;  // TILE_DTYPE_NONE: elements of no type of ours
  int rank;
  uint64_t shape[NPY_MAX_RANK];
  const char *data;
  uint64_t size; // bytes of data
  // The rest is set of a .npy file in an archive only.
  bool is_deflated;
  uint64_t full_size; // bytes, inflated
  uint32_t crc;       // of these
} Stored;

typedef Vec(Stored) StoredList;

// A buffer of `size` bytes for the reason why a file or an array cannot be
// read.
typedef struct {
  char *text;
  size_t size;
} Why;

// Writes the reason; always false.
__attribute__((format(printf, 2, 3))) bool why_not(Why why, const char *format,
                                                   ...);

// Adds the arrays of a file to `out`; they point into its bytes, names are in
// the arena.
typedef bool StoredReader(Arena *arena, const char *bytes, size_t size,
                          StoredList *out, Why why);
StoredReader safetensors_list, gguf_list, npz_list;

// The same as stored_read(), for a .npy file in an archive.
bool npz_read(Arena *arena, const Stored *stored, NpyWant want, NpyArray *out,
              Why why);

// The reader of a file by the end of its name; NULL: it holds one array.
StoredReader *stored_reader(const char *path);

// The array of that name; NULL with a sentence in `why`, which names others.
const Stored *stored_find(Arena *arena, const StoredList *list,
                          const char *name, Why why);

// Its elements, of the wanted type; in the arena if they were compressed.
bool stored_read(Arena *arena, const Stored *stored, NpyWant want,
                 NpyArray *out, Why why);

// -- For readers -------------------------------------------------------------

// A place in the bytes of a file.
typedef struct {
  const char *at, *end;
} ByteView;

// The next bytes as an integer; false: there are not as many.
bool view_take_u16(ByteView *bytes, uint16_t *out);
bool view_take_u32(ByteView *bytes, uint32_t *out);
bool view_take_u64(ByteView *bytes, uint64_t *out);
bool view_skip(ByteView *bytes, uint64_t count);

// The bytes of `count` blocks, `block_bytes` for `block` elements each, of
// which the last dimension is a multiple; false: it is not, or too many.
bool stored_count(Stored *stored, uint64_t block, uint64_t block_bytes);

#endif
