// tensor_model.h -- the effect of a copy of a tensor, element by element.
//
// Written from the PTX manual's text and its tables of swizzles, with none of
// the simulator's code.
#ifndef TILE_TESTS_TENSOR_MODEL_H
#define TILE_TESTS_TENSOR_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MAX_DIMS = 5 };

// Numbers are those of the driver's enums.
typedef struct {
  int type, interleave, swizzle, fill;
  unsigned rank, box[MAX_DIMS], steps[MAX_DIMS];
  uint64_t dims[MAX_DIMS], strides[MAX_DIMS - 1];
  int at[MAX_DIMS]; // coordinates
  // The fields of im2col; `channels` 0: tiles.
  unsigned channels, pixels;
  int lower[MAX_DIMS - 2], upper[MAX_DIMS - 2];
  unsigned offsets[MAX_DIMS - 2];
  unsigned start; // of the box in shared memory, a multiple of 128
} TensorCase;

size_t model_element_bytes(const TensorCase *c);
// Bytes from the tensor's first to behind its last.
size_t model_tensor_bytes(const TensorCase *c);
// Bytes that the mbarrier counts; from the box's first byte to behind its last.
size_t model_box_bytes(const TensorCase *c);
size_t model_box_room(const TensorCase *c);

// The place in the box of byte `byte` of element `index`, and whether the
// element is inside the tensor, at `*offset` of it.
typedef struct {
  size_t place, offset;
  bool is_inside;
} ModelPlace;

size_t model_num_elements(const TensorCase *c);
ModelPlace model_place(const TensorCase *c, size_t index);

// The box after a load; the tensor after a store.
void model_load(const TensorCase *c, const uint8_t *tensor, uint8_t *box);
void model_store(const TensorCase *c, uint8_t *tensor, const uint8_t *box);

#endif
