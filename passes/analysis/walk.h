// walk.h -- questions of several passes to the structure, and changes of it.
//
// A *slot* is a value that a structured op hands on: of a `for` the carried
// value i (initial value, region argument, yielded value, result), of an `if`
// the result i, of a reduction or scan the i-th of what it combines (input,
// both region arguments, yielded value, result), of a `while` either what
// region 0 is entered with (`entry`) or what `condition` hands to the body and
// the result (`exit`).
#ifndef TILE_PASSES_WALK_H
#define TILE_PASSES_WALK_H

#include "ir/builder.h"

// Calls visit(op, ctx) for each op of the block, an op before what its regions
// hold.  The visitor may erase the op that it is given.
void block_walk(Block *block, void (*visit)(Op *op, void *ctx), void *ctx);

// Something of the outside world happens in it, or it ends a block: it stays
// though nobody uses its results.  Looks at the op, not into its regions.
bool op_is_root(const Op *op);
bool op_is_unused(const Op *op); // no result has a use
bool op_is_atomic(const Op *op); // reads and writes memory at once
// Does the reduction sum one tile of floats, and do nothing else?
bool reduce_only_adds(const Op *reduce);

// A copy of the list of its operands, with room for one more.
Value **op_copy_operands(const Op *op);

// The op of the block that is `op` or contains it.
Op *op_ancestor_in(Op *op, const Block *block);
// Both are of one block; an op does not come before itself.
bool op_comes_before(const Op *a, const Op *b);

// -- Loops -------------------------------------------------------------------

// Trips of a `for` with constant bounds, counted up to 2; false if unknown.
bool for_few_trips(const Op *op, int *trips);

// -- Slots -------------------------------------------------------------------

// Leave out the slots without `keep`.  Values of theirs may still be used only
// where the caller is going to erase, so that: first the terminators,
void terminator_keep(Block *block, const bool *keep);
// then, once the arguments and results left out are unused, the op, which is
// replaced and returned.
Op *for_keep(Op *op, const bool *keep);
Op *if_keep(Op *op, const bool *keep);
Op *combine_keep(Op *op, const bool *keep);
Op *while_keep(Op *op, const bool *entry, const bool *exit);

// The `for` with `count` more slots, which start as `init` and, in the body,
// are the last arguments.  They are handed on unchanged until the caller has
// block_end() yield something else.
Op *for_add(Op *op, int count, Value *const *init);

// A copy of `op` before it with other operands and results; the regions move
// over, and the old op is left without any.  Groups: the last one varies.
Op *op_replace(Op *op, int num_operands, Value *const *operands,
               int num_results, const Type *const *types);

// Moves the ops of `from` before `at`, all but the terminator.
void block_inline_before(Block *from, Op *at);
// Moves the ops from `first` up to the one in front of `end`, all of one block,
// before `at`.
void ops_move_before(Op *at, Op *first, const Op *end);

// -- Loops that have no second trip ------------------------------------------

// Does the `for` surely end after its first trip, if it has one?
bool loop_runs_once(const Op *loop);

// Replaces such a loop by an `if`, and erases it.
void loop_to_if(Module *m, Op *loop);

#endif
