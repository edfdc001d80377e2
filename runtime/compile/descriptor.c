// descriptor.c -- checks the tensors of a caller's descriptors.
//
// libtilert has this file, too.
#include "runtime/compile/argument.h"

#include "runtime/errors.h"

// 0: no such type.
static size_t size_of(TileDtype dtype) {
  static const unsigned char sizes[] = {
      [TILE_DTYPE_NONE] = 0,
#define DTYPE(dtype, name, size, elem) [TILE_##dtype] = size,
#define DTYPE_ALIAS(name, dtype)
#include "runtime/compile/elements.def"
  };
  return (size_t)dtype < sizeof sizes ? sizes[dtype] : 0;
}

const char *descriptor_problem(const TileTensorDescriptor *d) {
  enum { UNIT = 16 }; // strides are multiples of it, in bytes
  if (d->rank < 1 || d->rank > TILE_MAX_DESCRIPTOR_RANK)
    return ERROR_descriptor_rank;
  const size_t size = size_of(d->dtype);
  if (!size) return ERROR_argument_dtype;
  if (d->strides[d->rank - 1] != 1) return ERROR_descriptor_last_stride;
  for (int i = 0; i < d->rank; i++) {
    if (d->shape[i] < 0 || d->shape[i] > INT32_MAX)
      return ERROR_descriptor_size;
    if (d->block[i] < 1) return ERROR_descriptor_block;
    if (i < d->rank - 1 && (uint64_t)d->strides[i] * size % UNIT)
      return ERROR_descriptor_row;
  }
  return NULL;
}
