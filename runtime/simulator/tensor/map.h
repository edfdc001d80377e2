// map.h -- tensor maps: 128 bytes that describe a tensor and a box of it.
//
// Maps are opaque to programs: the driver makes them, or tensormap.replace
// changes one field at a time, of a map from the driver or of zeros.  So both
// use the same encoding, and zeros are a map with no field set.
#ifndef TILE_SIMULATOR_TENSOR_MAP_H
#define TILE_SIMULATOR_TENSOR_MAP_H

#include "runtime/simulator/code/code.h"

enum { TENSOR_DIMS = 5, TENSOR_MAP_BYTES = 128, TENSOR_MAP_ALIGN = 64 };

// The box of an im2col map is given by corners.
enum { PIXEL_DIMS = 3 };

// Dimension 0 is the innermost.
typedef struct TensorMap {
  uint64_t address;
  uint64_t dims[TENSOR_DIMS];
  uint64_t strides[TENSOR_DIMS - 1]; // bytes, of the dimensions from 1 on
  uint16_t box[TENSOR_DIMS];
  uint16_t channels, pixels;                    // of im2col
  int16_t lower[PIXEL_DIMS], upper[PIXEL_DIMS]; // of im2col, W first
  uint8_t steps[TENSOR_DIMS];                   // from element to element
  uint8_t last_dim;                             // the rank minus 1
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

// NULL: there is no type of that number.
const TensorType *tensor_type(uint8_t number);
// The number of the driver's type; -1: none.
int tensor_type_of_host(int host);

// A value that is too large for its field is stored as `most`, which is
// invalid, too.
static inline uint16_t tensor_narrow(uint64_t value, uint16_t most) {
  return value < most ? (uint16_t)value : most;
}

static inline uint32_t tensor_element_bytes(const TensorMap *map) {
  return type_table[tensor_type(map->type)->type].bytes;
}

// Adjacent bytes in a box: a row of it, or, with interleaved channels, a slice.
static inline uint32_t tensor_row_bytes(const TensorMap *map) {
  if (map->interleave) return map->interleave == INTERLEAVE_32B ? 32 : 16;
  return tensor_element_bytes(map) *
         (map->is_im2col ? map->channels : map->box[0]);
}

// The span within which a swizzle moves 16-byte units; 0: no swizzle.
static inline uint32_t tensor_span(const TensorMap *map) {
  return map->swizzle ? 16u << map->swizzle : 0;
}

// Whether the driver would make such a map.  If not, the reason, with the names
// of its parameters, goes to `wrong`.
bool tensor_map_check(const TensorMap *map, char *wrong, size_t room);

#endif
