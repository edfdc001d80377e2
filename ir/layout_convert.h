// layout_convert.h -- conversions of a tile from one distributed layout to
// another.
#ifndef TILE_IR_LAYOUT_CONVERT_H
#define TILE_IR_LAYOUT_CONVERT_H

#include "ir/layout.h"

// The places of the elements that a thread needs, from cheap to expensive.
typedef enum {
  CONVERT_NOTHING,   // in the very same registers
  CONVERT_REGISTERS, // in other registers of the thread
  CONVERT_SHUFFLE,   // in other lanes of the warp
  CONVERT_SHARED,    // in other warps of the block: through shared memory
  CONVERT_CLUSTER,   // in other blocks
  CONVERT_IMPOSSIBLE // nowhere; or shapes or numbers of threads differ
} ConvertKind;

// Up to CONVERT_SHUFFLE, a conversion takes three steps.  With `t` the bits of
// lane, warp and block as a word, lane first, and 2^log2_rounds rounds:
//
//   x[i] = from[i ^ before(t)]               for each register i of `from`
//   y[j] = x[send(j)] of lane lane(j, t)     for each round j
//   to[r] = y[r ^ after(t)]                  for each register r of `to`
//
// A step is omitted if its map is 0, or its lane is the thread's own.
typedef struct {
  ConvertKind kind;
  LinearMap source; // word of `to` to a word of `from` with the same element
  int log2_rounds;
  LinearMap before; // t to a register number
  LinearMap send;   // j to a register number
  LinearMap lane;   // j in the low log2_rounds bits, then t, to a lane
  LinearMap after;  // t to a round
} ConvertPlan;

ConvertPlan layout_convert(const Layout *from, const Layout *to);

// Does every thread hold the same elements in both, perhaps in other registers?
bool layout_same_threads(const Layout *a, const Layout *b);

#endif
