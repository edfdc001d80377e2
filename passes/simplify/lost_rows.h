// lost_rows.h -- does a program show that maxima of a loop ignore a NaN?
//
// Two versions of a program may find other maxima of the scores of a row in
// which a score is NaN.  The row is *lost* from that trip on.  The versions
// show no difference if each value that may differ ends in sums that are NaN
// for lost rows in both.
#ifndef TILE_PASSES_SIMPLIFY_LOST_ROWS_H
#define TILE_PASSES_SIMPLIFY_LOST_ROWS_H

#include "ir/op.h"

// `maximum` is the reduction of the scores, a tile of floats, over their
// columns, in the body of the loop.  Overwrites Value.id.
bool rows_hide_maximum(Op *loop, Op *maximum);

#endif
