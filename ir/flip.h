// flip.h -- gathers of the element whose place is the own one, XORed.
//
// What sorting networks and flips are made of.  The index says it: positions
// along the axis, spread over the tile, XOR a constant.
#ifndef TILE_IR_FLIP_H
#define TILE_IR_FLIP_H

#include "ir/op.h"

// Of a gather.  `*distance` is XORed to the place along the axis.
bool gather_flips(const Op *op, int64_t *distance);

// Of any op whose layouts are assigned: is it such a gather, and do the threads
// of a warp have all that they want among them?  Each register then is register
// r ^ *reg of the lane that differs in the bits *lane.
bool gather_in_warp(const Op *op, uint32_t *reg, uint32_t *lane);

#endif
