// dot_layouts.h -- the layouts of a dot by a matrix instruction.
#ifndef TILE_PASSES_DOT_LAYOUTS_H
#define TILE_PASSES_DOT_LAYOUTS_H

#include "ir/mma.h"
#include "ir/op.h"

// The part of the result in a warp: the elements that a lane holds side by
// side, and whether a warp that cannot be square is wide rather than tall.  The
// layouts of the operands follow.
typedef struct {
  int log2_beside, log2_pairs;
  bool wide;
  int log2_packed;    // factor of k in a lane, beyond the instruction's
  bool rows_first;    // in A, before the second half of four along k
  bool columns_first; // in B, before k beyond one instruction
  bool turned;        // the instruction computes the transpose: B is its A
  bool row_pairs;     // a lane's rows of the instruction's A are adjacent
} DotShape;

enum { DOT_ROWS = 16 }; // of the instruction's A

typedef struct {
  const Layout *a, *b, *c;
} DotLayouts;

// NULL for an operand with less k than the instruction.
DotLayouts dot_layouts(const Op *dot, const Mma *mma, DotShape shape);

// Do the lanes that share a row of the result fill whole sectors of memory, if
// each accesses `bytes` of it?
bool dot_lanes_fill_sectors(int64_t bytes);

#endif
