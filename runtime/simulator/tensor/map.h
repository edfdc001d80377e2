// map.h -- the 128 bytes that say what a tensor and a box of it are.
//
// To programs they are opaque: the driver makes them, or tensormap.replace
// changes a field of them at a time, beginning with what the driver made or
// with zeros.  So the fields mean the same to both, and zeros are a map that
// lacks everything.
#ifndef TILE_SIMULATOR_TENSOR_MAP_H
#define TILE_SIMULATOR_TENSOR_MAP_H

#include "runtime/simulator/code/code.h"

enum { TENSOR_DIMS = 5, TENSOR_MAP_BYTES = 128, TENSOR_MAP_ALIGN = 64 };

// The box of a map for pixels is given by corners.
enum { PIXEL_DIMS = 3 };

// The first dimension is the innermost.
typedef struct TensorMap {
  uint64_t address;
  uint64_t dims[TENSOR_DIMS];
  uint64_t strides[TENSOR_DIMS - 1]; // bytes, of the dimensions from 1 on
  uint16_t box[TENSOR_DIMS];
  uint16_t channels, pixels;                    // of im2col
  int16_t lower[PIXEL_DIMS], upper[PIXEL_DIMS]; // of im2col, W first
  uint8_t steps[TENSOR_DIMS];                   // from element to element
  uint8_t last_dim;                             // the rank is one more
  uint8_t type, interleave, swizzle, fill;      // by their device numbers
  uint8_t is_im2col;                            // 0 or 1
} TensorMap;

_Static_assert(sizeof(TensorMap) <= TENSOR_MAP_BYTES, "a map has its size");

enum { INTERLEAVE_NONE, INTERLEAVE_16B, INTERLEAVE_32B };
enum { SWIZZLE_NONE, SWIZZLE_32B, SWIZZLE_64B, SWIZZLE_128B };
enum { FILL_ZERO, FILL_NAN };

enum { KEEPS, FLUSHES = 1, ROUNDS = 2 };

typedef struct TensorType {
  const char *name;
  uint8_t host; // its number for the driver
  uint8_t type; // TypeId
  uint8_t does; // KEEPS or a set of the others
} TensorType;

// NULL where there is none of that number.
const TensorType *tensor_type(uint8_t number);
// The number of the driver's type; -1.
int tensor_type_of_host(int host);

// A value that its field, of at most `most`, cannot hold is as wrong as `most`.
static inline uint16_t tensor_narrow(uint64_t value, uint16_t most) {
  return value < most ? (uint16_t)value : most;
}

static inline uint32_t tensor_element_bytes(const TensorMap *map) {
  return type_table[tensor_type(map->type)->type].bytes;
}

// Bytes that lie together in a box: a row of it, or where channels are
// interleaved a slice of them.
static inline uint32_t tensor_row_bytes(const TensorMap *map) {
  if (map->interleave) return map->interleave == INTERLEAVE_32B ? 32 : 16;
  return tensor_element_bytes(map) *
         (map->is_im2col ? map->channels : map->box[0]);
}

// Bytes within which a swizzle moves its 16; 0: it moves none.
static inline uint32_t tensor_span(const TensorMap *map) {
  return map->swizzle ? 16u << map->swizzle : 0;
}

// Whether the driver would make such a map.  If not, what is wrong, in the
// words of its parameters, goes to `wrong`.
bool tensor_map_check(const TensorMap *map, char *wrong, size_t room);

#endif
