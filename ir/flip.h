// flip.h -- gathers and exchanges between elements whose indices differ by an
// XOR.
//
// Sorting networks and flips consist of them.  The index of such a gather is a
// tile of positions along the axis, XOR a constant.
#ifndef TILE_IR_FLIP_H
#define TILE_IR_FLIP_H

#include "ir/op.h"

// Does the gather read from position `i ^ *distance` along its axis?
bool gather_flips(const Op *op, int64_t *distance);

// Does the op, with layouts assigned, flip within each warp?  Then register r
// of a result is register r ^ *reg of the lane that differs in the bits *lane.
bool gather_in_warp(const Op *op, uint32_t *reg, uint32_t *lane);

// The bits of the layout's input by which an element and its partner, at the
// index XOR `distance`, differ; bits of other warps only if needed.
uint32_t minmax_flip(const Op *op);
// The bits of which an odd number is set for elements that get the max, before
// `reverse`.
uint32_t minmax_upper(const Op *op);

#endif
