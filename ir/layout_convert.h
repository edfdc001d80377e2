// layout_convert.h -- how a tile gets from one distributed layout to another.
#ifndef TILE_IR_LAYOUT_CONVERT_H
#define TILE_IR_LAYOUT_CONVERT_H

#include "ir/layout.h"

// From cheap to dear: where the elements that a thread wants can be found.
typedef enum {
  CONVERT_NOTHING,   // in the very same registers
  CONVERT_REGISTERS, // in other registers of the thread
  CONVERT_SHUFFLE,   // in other lanes of the warp
  CONVERT_SHARED,    // in other warps of the block: through shared memory
  CONVERT_CLUSTER,   // in other blocks
  CONVERT_IMPOSSIBLE // nowhere, or the tiles or threads differ
} ConvertKind;

// Up to CONVERT_SHUFFLE three steps do it.  With `t` the bits of lane, warp and
// block as a word, lane first, and 2^log2_rounds rounds:
//
//   x[i] = from[i ^ before(t)]               for each register i of `from`
//   y[j] = x[send(j)] of lane lane(j, t)     for each round j
//   to[r] = y[r ^ after(t)]                  for each register r of `to`
//
// A step whose map is 0, or whose lane is the thread's own, is not needed.
typedef struct {
  ConvertKind kind;
  LinearMap source; // word of `to` to a word of `from` with that element
  int log2_rounds;
  LinearMap before; // t to a register number
  LinearMap send;   // j to a register number
  LinearMap lane;   // j in the low log2_rounds bits, then t, to a lane
  LinearMap after;  // t to a round
} ConvertPlan;

ConvertPlan layout_convert(const Layout *from, const Layout *to);

// Every thread holds the same elements, maybe in other registers.
bool layout_same_threads(const Layout *a, const Layout *b);

#endif
