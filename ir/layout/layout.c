// layout.c -- queries about a layout: sizes, words, coordinates.
#include "ir/layout/parts.h"

#include <assert.h>

int64_t layout_size(const Layout *layout, int axis) {
  return INT64_C(1) << layout->log2_shape[axis];
}

int64_t layout_num_elements(const Layout *layout) {
  return INT64_C(1) << layout->map.num_out;
}

bool layout_has_shape(const Layout *layout, int rank, const int64_t *shape) {
  if (layout->rank != rank) return false;
  for (int i = 0; i < rank; i++) {
    if (layout_size(layout, i) != shape[i]) return false;
  }
  return true;
}

static uint32_t low_bits(int count) {
  return (UINT32_C(1) << count) - 1;
}

int layout_first_bit(const Layout *layout, LayoutDim dim) {
  int first = 0;
  for (int i = 0; i < (int)dim; i++) first += layout->num_bits[i];
  return first;
}

uint32_t layout_dim_mask(const Layout *layout, LayoutDim dim) {
  return low_bits(layout->num_bits[dim]) << layout_first_bit(layout, dim);
}

uint32_t layout_pack(const Layout *layout, LayoutDim dim, uint32_t index) {
  assert(!(index >> layout->num_bits[dim]) && "no such index"); // I2
  return index << layout_first_bit(layout, dim);
}

uint32_t layout_unpack(const Layout *layout, LayoutDim dim, uint32_t word) {
  return (word >> layout_first_bit(layout, dim)) &
         low_bits(layout->num_bits[dim]);
}

void layout_coords(const Layout *layout, uint32_t element, int64_t *coords) {
  assert(element < layout_num_elements(layout) && "no such element"); // I2
  for (int i = layout->rank; i--;) {
    coords[i] = element & low_bits(layout->log2_shape[i]);
    element >>= layout->log2_shape[i];
  }
}

uint32_t layout_element(const Layout *layout, const int64_t *coords) {
  uint32_t element = 0;
  for (int i = 0; i < layout->rank; i++) {
    assert(coords[i] >= 0 && coords[i] < layout_size(layout, i)); // I2
    element = element << layout->log2_shape[i] | (uint32_t)coords[i];
  }
  return element;
}

uint32_t layout_free_bits(const Layout *layout) {
  return linear_free_bits(&layout->map);
}

bool layout_is_surjective(const Layout *layout) {
  return linear_is_surjective(&layout->map);
}

bool layout_is_injective(const Layout *layout) {
  return linear_is_injective(&layout->map);
}
