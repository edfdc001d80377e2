// exchange_rows.h -- rows of shared memory in which warps meet in a reduction.
//
// For each input there is a row for each element of the result, of one value a
// warp.  A thread's rows may take turns, in parts of its registers.
#ifndef TILE_IR_EXCHANGE_ROWS_H
#define TILE_IR_EXCHANGE_ROWS_H

#include "ir/exchange.h"

// The number of the row of a register, lane and warp of the result's layout.
LinearMap exchange_row_places(const Layout *slice);
// In 2^n turns; the upper bits of a row's number say in which.
int exchange_row_parts(const Op *op);
// Do the rows of input `a` lie in front of those of `b`?  Longer ones do, so
// that all are aligned without gaps.  All lie in front of an input that is
// none.
bool exchange_comes_first(const Op *op, int a, int b);
// The bytes of a turn in front of an input's rows, or of all inputs.  Rows are
// aligned to what they take, or to 16 bytes.
int64_t exchange_row_start(const Op *op, int input);

#endif
