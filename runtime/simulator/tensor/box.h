// box.h -- the elements that a copy of a tensor accesses, row by row.
//
// A row is a range of bytes that are adjacent in the tensor and in the box: of
// the innermost dimension, of a slice of interleaved channels, or of the
// channels of a pixel.  Its bytes outside the tensor are not accessed.
#ifndef TILE_SIMULATOR_TENSOR_BOX_H
#define TILE_SIMULATOR_TENSOR_BOX_H

#include "runtime/simulator/tensor/map.h"

typedef struct CopiedBox {
  TensorMap map;
  int64_t start[TENSOR_DIMS];  // coordinates
  int64_t offset[TENSOR_DIMS]; // added to each element's, in im2col
  uint64_t num_rows;
  uint32_t row_bytes, pitch; // of a row in the box
  uint32_t span;             // of the swizzle
} CopiedBox;

// The map must be valid by tensor_map_check(); `offsets` may be NULL.
void tensor_box_open(CopiedBox *box, const TensorMap *map,
                     const int32_t *coordinates, const uint16_t *offsets);

// tensor_box_bytes(): the bytes that the copy writes or reads in shared memory,
// which an mbarrier counts; tensor_box_room(): the bytes from the first of them
// to the end of the last.
static inline uint64_t tensor_box_bytes(const CopiedBox *box) {
  return box->num_rows * box->row_bytes;
}

static inline uint64_t tensor_box_room(const CopiedBox *box) {
  return box->num_rows * box->pitch;
}

// The place in the box of byte `at`, counted row by row, if the box begins at
// `start` of shared memory, a multiple of 128.
static inline uint32_t tensor_box_place(const CopiedBox *box, uint32_t start,
                                        uint32_t at) {
  if (!box->span) return at;
  const uint32_t line = (start + at) / 128, chunks = box->span / 16;
  return at ^ (line % chunks * 16);
}

// The fill byte of an element outside; `at` counts from its first byte.
uint8_t tensor_box_filler(const CopiedBox *box, uint32_t at);

typedef struct TensorRow {
  uint64_t address;     // of its first byte inside
  uint32_t skip, bytes; // bytes before that one; bytes inside
} TensorRow;

typedef struct TensorWalk {
  int64_t at[TENSOR_DIMS];
  uint32_t count[TENSOR_DIMS];
  uint64_t row; // number of the row; num_rows: the end
} TensorWalk;

void tensor_walk_start(const CopiedBox *box, TensorWalk *walk);
void tensor_walk_next(const CopiedBox *box, TensorWalk *walk);
TensorRow tensor_walk_row(const CopiedBox *box, const TensorWalk *walk);

// "coordinates 0,64 of a map of f16 at 0x7f..., dimensions 128,256, strides
// 256, box 64,64".
void tensor_box_describe(const CopiedBox *box, char *out, size_t room);

#endif
