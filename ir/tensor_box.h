// tensor_box.h -- the boxes in which the copies of a tensor map come.
#ifndef TILE_IR_TENSOR_BOX_H
#define TILE_IR_TENSOR_BOX_H

#include "ir/op.h"

enum { TENSOR_BOX_RANK = 5, TENSOR_BOX_MOST = 256 /* elements a dimension */ };

typedef struct {
  int rank;
  uint32_t box[TENSOR_BOX_RANK]; // elements, the dimensions as in the source
  int swizzle;                   // bytes of a line: 32, 64, 128; 0: none
  int copies; // boxes that lie side by side along the last dimension
  int lines;  // side by side in a box, a dimension of their own; or 1
  int parts;  // copied by as many blocks of a cluster, each to all; or 1
  int along;  // the dimension of which those are parts
} TensorBox;

// The boxes as which a block lies in a buffer, one behind the other.  False if
// a copy of boxes does not leave it so.
bool tensor_box_of(LayoutTable *table, const Type *buffer, TensorBox *out);

// The boxes of a descriptor, whose copies all have buffers that lie alike.
// Boxes side by side are one box where the tensor is known to be whole lines of
// `box[rank - 1]` elements and each copy to start at a line: it has one more
// dimension before all others, of `lines`, and `copies` is 1.  False if the
// descriptor has no copies, or copies of different boxes.
bool tensor_box(const Op *make_desc, TensorBox *out);

// The boxes of a part, where so many blocks are to copy one each: some of those
// side by side, or some rows of each.  False if there are none.
bool tensor_box_share(const Type *buffer, int parts, TensorBox *box);

// The layout of a buffer for blocks of a type (tile, descriptor); NULL if
// there is none that boxes fill.
const Layout *tensor_box_layout(LayoutTable *table, const Type *block);

#endif
