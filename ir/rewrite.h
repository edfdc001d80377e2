// rewrite.h -- apply local rewrites until nothing changes.
#ifndef TILE_IR_REWRITE_H
#define TILE_IR_REWRITE_H

#include "ir/builder.h"

// Tries to replace `op`; builds new ops through `b`, which stands before it.
// Returns the value that replaces op's only result (op is then erased), or that
// result itself after changing op in place, or NULL to leave it alone.  It
// erases nothing itself.
typedef Value *(*RewriteFn)(Builder *b, Op *op);

typedef struct {
  OpKind kind; // OP_COUNT: any
  RewriteFn apply;
} Rewrite;

// Folds, applies `rewrites` and drops dead pure ops with a worklist, in program
// order first.  Terminates: at most `limit` replacements an op on average (0:
// 64).  True if anything changed.
bool function_rewrite(Function *f, const Rewrite *rewrites, int count,
                      int limit);

// -- The value of an operation whose operands are constants ------------------

// The constant that `op` (one result, pure, no regions) computes, or the splat
// that it comes to, inserted by `b`; or an operand it equals (x + 0, select
// true, a cast undone, ...); or NULL.  Floats fold only where every device
// gives the same bits.
Value *op_fold(Builder *b, const Op *op);

#endif
