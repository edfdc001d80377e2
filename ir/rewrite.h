// rewrite.h -- apply local rewrites until nothing changes.
#ifndef TILE_IR_REWRITE_H
#define TILE_IR_REWRITE_H

#include "ir/builder.h"

// Tries to replace `op`; builds new ops through `b`, in front of it.  Returns
// the value that replaces op's only result (op is then erased), or that result
// itself after changing op in place, or NULL for no change.  A rewrite erases
// nothing itself.
typedef Value *(*RewriteFn)(Builder *b, Op *op);

typedef struct {
  OpKind kind; // OP_COUNT: any
  RewriteFn apply;
} Rewrite;

// Folds, applies `rewrites` and drops dead pure ops with a worklist, first in
// program order.  Terminates: on average, at most `limit` replacements for each
// op (0: 64).  True if anything changed.
bool function_rewrite(Function *f, const Rewrite *rewrites, int count,
                      int limit);

// -- Folding -----------------------------------------------------------------

// The constant that `op` (one result, pure, no regions) computes, or a splat of
// it, inserted by `b`; or an operand that it equals (x + 0, select true, a cast
// undone, ...); or NULL.  Floats are folded only if every device gives the same
// bits.
Value *op_fold(Builder *b, const Op *op);

#endif
