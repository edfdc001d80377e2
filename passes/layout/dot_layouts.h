// dot_layouts.h -- the layouts of a dot by a matrix instruction.
#ifndef TILE_PASSES_DOT_LAYOUTS_H
#define TILE_PASSES_DOT_LAYOUTS_H

#include "ir/mma.h"
#include "ir/op.h"

// The share of the result that a warp has: what a lane has side by side, and
// whether a warp that cannot be square is wide rather than tall.  And the
// layouts of the operands.
typedef struct {
  int log2_beside, log2_pairs;
  bool wide;
  int log2_packed;    // times as many along k in a lane as the instruction has
  bool rows_first;    // of A, before the second half of four along k
  bool columns_first; // of B, before k beyond what one instruction has
  bool turned;        // the instruction multiplies the transposes: B is its A
  bool row_pairs;     // a lane's rows of the instruction's A are side by side
} DotShape;

enum { DOT_ROWS = 16 }; // of the instruction's A

typedef struct {
  const Layout *a, *b, *c;
} DotLayouts;

// NULL for an operand that has less along k than the instruction.
DotLayouts dot_layouts(const Op *dot, const Mma *mma, DotShape shape);

// Do the lanes that share a row of the result fill sectors of memory, if each
// accesses so many bytes of it?
bool dot_lanes_fill_sectors(int64_t bytes);

#endif
