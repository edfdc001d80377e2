// flip.h -- elements whose place is the own one, XORed.
//
// Sorting networks and flips are made of them.  The index of such a gather is
// positions along the axis, spread over the tile, XOR a constant.
#ifndef TILE_IR_FLIP_H
#define TILE_IR_FLIP_H

#include "ir/op.h"

// Does the gather read from position `i ^ *distance` along its axis?
bool gather_flips(const Op *op, int64_t *distance);

// Is the op, whose layouts are assigned, such a gather, and does each warp have
// all elements that it needs?  Then register r of a result is register r ^ *reg
// of the lane that differs in the bits *lane.
bool gather_in_warp(const Op *op, uint32_t *reg, uint32_t *lane);

// The bits of a layout's input that lead from an element to the one whose place
// along the axis is its own XOR `distance`; those of other warps only where it
// takes them.
uint32_t minmax_flip(const Op *op);
// The bits of which an odd number is set where the op takes the max, but for
// what it reverses.
uint32_t minmax_upper(const Op *op);

#endif
