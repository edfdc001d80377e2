// stored.h -- files with several arrays: safetensors, GGUF, NumPy's .npz.
//
// The extension of a file's name is its format.  Numbers are little-endian.
// Each reader checks all bounds before it keeps a pointer: a list has only
// arrays that lie within the bytes.
#ifndef TILE_DATA_STORED_H
#define TILE_DATA_STORED_H

#include "ir/base/base.h"
#include "runtime/data/npy.h"

typedef struct {
  const char *name;
  const char *type; // the format's name; NULL: a .npy file
  TileDtype dtype;  // TILE_DTYPE_NONE: no type of ours
  int rank;
  uint64_t shape[NPY_MAX_RANK];
  const char *data;
  uint64_t size; // bytes of data
  // For a .npy file in an archive only:
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

// The reader for a file name's extension; NULL: the file has one array.
StoredReader *stored_reader(const char *path);

// The array of that name; NULL with a sentence in `why`, which lists others.
const Stored *stored_find(Arena *arena, const StoredList *list,
                          const char *name, Why why);

// The elements of `stored`, with the wanted type; in the arena if they were
// compressed.
bool stored_read(Arena *arena, const Stored *stored, NpyWant want,
                 NpyArray *out, Why why);

// -- For readers -------------------------------------------------------------

// The unread part of a file's bytes.
typedef struct {
  const char *at, *end;
} ByteView;

// The next bytes as an integer; false: there are too few.
bool view_take_u16(ByteView *bytes, uint16_t *out);
bool view_take_u32(ByteView *bytes, uint32_t *out);
bool view_take_u64(ByteView *bytes, uint64_t *out);
bool view_skip(ByteView *bytes, uint64_t count);

// Sets the size in bytes: `block_bytes` for each `block` elements; false: the
// last dimension is no multiple of `block`, or the size is too large.
bool stored_count(Stored *stored, uint64_t block, uint64_t block_bytes);

#endif
