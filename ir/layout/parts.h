// parts.h -- a layout under construction; private to this room.
//
// The columns are kept separately for each input dimension, so that bits can be
// added in any order; layout_from_parts() concatenates them.
#ifndef TILE_IR_LAYOUT_PARTS_H
#define TILE_IR_LAYOUT_PARTS_H

#include "ir/layout.h"

typedef struct {
  bool shared;
  bool broken; // a size is no power of two, or there are too many bits
  int rank;
  int log2_shape[LAYOUT_MAX_RANK];
  int num[LAYOUT_NUM_DIMS];
  uint32_t column[LAYOUT_NUM_DIMS][LINEAR_MAX];
  int covered[LAYOUT_MAX_RANK]; // for each axis: number of low bits that are
                                // covered
} LayoutParts;

// log2 of `n`; -1 if `n` is no power of two.
int log2_exact(int64_t n);

// A layout with a shape and no columns yet.
LayoutParts parts_of_shape(int rank, const int64_t *shape);
LayoutParts parts_of_layout(const Layout *layout);
const Layout *layout_from_parts(LayoutTable *table, const LayoutParts *parts);

// The first bit of `axis` in an output word.
int parts_first_bit(const LayoutParts *parts, int axis);
// The number of bits of `axis` that no step has covered yet.
int parts_left(const LayoutParts *parts, int axis);
void parts_add(LayoutParts *parts, LayoutDim dim, uint32_t column);
// Gives the next `count` bits of `axis` to `dim`.  When the axis is used up,
// registers get nothing, and bits of other dimensions select copies.
void parts_cover(LayoutParts *parts, LayoutDim dim, int axis, int count);

bool order_is_valid(int rank, const int *order);

// Do the counts, the shape and the map of a layout agree?  For assertions.
bool layout_is_consistent(const Layout *layout);

#endif
