// floats.c -- copies arrays of float to and from buffers of any float type.
//
// Converts block by block, so that it needs no memory and little stack.
#include "runtime/compile/compile.h"

#include <string.h>

enum { BLOCK = 512 }; // elements, of up to eight bytes

// Checks everything before anything is written.
static bool is_fine(const TileBuffer *buffer, size_t offset, TileDtype dtype,
                    const float *values, size_t count) {
  if (!buffer || !element_is_float(dtype) || (!values && count)) return false;
  const size_t size = tile_buffer_size(buffer);
  return offset <= size && count <= (size - offset) / tile_dtype_size(dtype);
}

// Elements are little-endian, as on every machine with a device.
static void encode(TileDtype dtype, const float *from, char *to, size_t count) {
  const size_t size = tile_dtype_size(dtype);
  for (size_t i = 0; i < count; i++) {
    const uint64_t bits = element_encode(dtype, (double)from[i]);
    memcpy(to + i * size, &bits, size);
  }
}

static void decode(TileDtype dtype, const char *from, float *to, size_t count) {
  const size_t size = tile_dtype_size(dtype);
  for (size_t i = 0; i < count; i++) {
    uint64_t bits = 0;
    memcpy(&bits, from + i * size, size);
    to[i] = (float)element_decode(dtype, bits);
  }
}

TileStatus tile_buffer_write_floats(TileBuffer *buffer, size_t offset,
                                    TileDtype dtype, const float *from,
                                    size_t count) {
  if (!is_fine(buffer, offset, dtype, from, count))
    return TILE_INVALID_ARGUMENT;
  const size_t size = tile_dtype_size(dtype);
  char block[BLOCK * sizeof(double)];
  TileStatus status = TILE_OK;
  for (size_t done = 0, n; !status && done < count; done += n) {
    n = count - done < BLOCK ? count - done : BLOCK;
    encode(dtype, from + done, block, n);
    status = tile_buffer_write(buffer, offset + done * size, block, n * size);
  }
  return status;
}

TileStatus tile_buffer_read_floats(const TileBuffer *buffer, size_t offset,
                                   TileDtype dtype, float *to, size_t count) {
  if (!is_fine(buffer, offset, dtype, to, count)) return TILE_INVALID_ARGUMENT;
  const size_t size = tile_dtype_size(dtype);
  char block[BLOCK * sizeof(double)];
  TileStatus status = TILE_OK;
  for (size_t done = 0, n; !status && done < count; done += n) {
    n = count - done < BLOCK ? count - done : BLOCK;
    status = tile_buffer_read(buffer, offset + done * size, block, n * size);
    if (!status) decode(dtype, block, to + done, n);
  }
  return status;
}
