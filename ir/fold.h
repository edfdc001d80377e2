// fold.h -- the value of an operation whose operands are constants.
#ifndef TILE_IR_FOLD_H
#define TILE_IR_FOLD_H

#include "ir/builder.h"

// The constant that `op` (one result, pure, no regions) computes, or the splat
// that it comes to, inserted by `b`; or an operand it equals (x + 0, select
// true, a cast undone, ...); or NULL.  Floats fold only where every device
// gives the same bits.
Value *op_fold(Builder *b, const Op *op);

#endif
