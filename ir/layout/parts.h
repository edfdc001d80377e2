// parts.h -- a layout under construction; for layout*.c only.
//
// The columns are kept per input dimension, so that bits can be added to any of
// them in any order; layout_from_parts() strings them together.
#ifndef TILE_IR_LAYOUT_PARTS_H
#define TILE_IR_LAYOUT_PARTS_H

#include "ir/layout.h"

typedef struct {
  bool shared;
  bool broken; // a size is no power of two, or too many bits
  int rank;
  int log2_shape[LAYOUT_MAX_RANK];
  int num[LAYOUT_NUM_DIMS];
  uint32_t column[LAYOUT_NUM_DIMS][LINEAR_MAX];
  int covered[LAYOUT_MAX_RANK]; // low bits of each axis that are reached
} LayoutParts;

// log2 of `n`, or -1 if that is not a whole number.
int log2_exact(int64_t n);

// Nothing but a shape yet.
LayoutParts parts_of_shape(int rank, const int64_t *shape);
LayoutParts parts_of_layout(const Layout *layout);
const Layout *layout_from_parts(LayoutTable *table, const LayoutParts *parts);

// The first bit of `axis` in an output word.
int parts_first_bit(const LayoutParts *parts, int axis);
// Bits of `axis` that no step has covered yet.
int parts_left(const LayoutParts *parts, int axis);
void parts_add(LayoutParts *parts, LayoutDim dim, uint32_t column);
// The next `count` bits of `axis` to `dim`.  Where the axis is used up,
// registers get nothing and the other dimensions hold copies.
void parts_cover(LayoutParts *parts, LayoutDim dim, int axis, int count);

bool order_is_valid(int rank, const int *order);

// Do the counts, the shape and the map of a layout agree?  Asked by assertions.
bool layout_is_consistent(const Layout *layout);

#endif
