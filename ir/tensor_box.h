// tensor_box.h -- the boxes that the copies of a tensor map transfer.
#ifndef TILE_IR_TENSOR_BOX_H
#define TILE_IR_TENSOR_BOX_H

#include "ir/op.h"

// The size of a dimension whose end the kernel does not check, and the largest
// of a map.
#define TENSOR_NO_END (INT64_C(1) << 32)

enum { TENSOR_BOX_RANK = 5, TENSOR_BOX_MOST = 256 /* elements a dimension */ };
enum { TENSOR_UNIT = 16 }; // bytes; divides the base and strides of a tensor
enum {
  BULK_UNIT = 16
}; // bytes; divides the addresses and sizes of bulk copies

typedef struct {
  int rank;
  uint32_t box[TENSOR_BOX_RANK]; // elements; dimensions in the order of the
                                 // source
  int swizzle;                   // line length in bytes: 32, 64, 128; 0: none
  int copies;                    // adjacent boxes along the last dimension
  int lines; // adjacent lines in a box, as a dimension; or 1
  int parts; // blocks of a cluster that copy a part each, to all; or 1
  int along; // the dimension that is divided into parts
} TensorBox;

// The boxes in which a block is stored in a buffer, one behind the other.
// False if copies of boxes do not leave that layout.
bool tensor_box_of(LayoutTable *table, const Type *buffer, TensorBox *out);

// The boxes of a descriptor, if all of its copies have buffers of the same
// layout.  Adjacent boxes become one box if the tensor is known to consist of
// whole lines of `box[rank - 1]` elements and each copy starts at a line: the
// box then has one more dimension in front, of `lines`, and `copies` is 1.
// False if the descriptor has no copies, or copies of different boxes.
bool tensor_box(const Op *make_desc, TensorBox *out);

// The boxes of a part, if `parts` blocks copy one each: some of the adjacent
// boxes, or some rows of each.  False if that is not possible.
bool tensor_box_share(const Type *buffer, int parts, TensorBox *box);

// The layout of a buffer for blocks of a type (tile, descriptor); NULL if boxes
// cannot fill one.
const Layout *tensor_box_layout(LayoutTable *table, const Type *block);

#endif
