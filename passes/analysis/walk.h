// walk.h -- queries and changes of the structure, for several passes.
//
// A *slot* is the index of a value that a structured op passes on: for a `for`,
// of carried value i (initial value, region argument, yielded value, result);
// for an `if`, of result i; for a reduction or scan, of the i-th combined value
// (input, both region arguments, yielded value, result); for a `while`, of a
// value entering region 0 (`entry`), or of one that `condition` passes to the
// body and the result (`exit`).
#ifndef TILE_PASSES_WALK_H
#define TILE_PASSES_WALK_H

#include "ir/builder.h"

// Calls visit(op, ctx) for each op of the block, first for an op, then for
// those in its regions.  The visitor may erase its op.
void block_walk(Block *block, void (*visit)(Op *op, void *ctx), void *ctx);

// Has the op an effect, or does it end a block?  The op is kept then, even if
// its results are unused. Regions are not considered.
bool op_is_root(const Op *op);
bool op_is_unused(const Op *op); // no result has a use
bool op_is_atomic(const Op *op); // reads and writes memory at once
// Does the reduction sum one tile of floats, and nothing else?
bool reduce_only_adds(const Op *reduce);

// A copy of the list of operands, with room for one more.
Value **op_copy_operands(const Op *op);

// The op of the block that is `op` or contains it; NULL: the op is elsewhere.
Op *op_ancestor_in(const Op *op, const Block *block);
// Both ops are of one block; an op does not come before itself.
bool op_comes_before(const Op *a, const Op *b);

// -- Loops -------------------------------------------------------------------

// Trips of a `for` with constant bounds, counted up to 2; false if unknown.
bool for_few_trips(const Op *op, int *trips);

// -- Slots -------------------------------------------------------------------

// To remove the slots without `keep`, call first this function, for the values
// that the block yields.  Values of the slots may still have uses only in ops
// that the caller erases.
void terminator_keep(Block *block, const bool *keep);
// Then, when the arguments and results of these slots are unused, call the
// function for the op, which replaces the op and returns the new one.
Op *for_keep(Op *op, const bool *keep);
Op *if_keep(Op *op, const bool *keep);
Op *combine_keep(Op *op, const bool *keep);
Op *while_keep(Op *op, const bool *entry, const bool *exit);

// The `for` with `count` more slots, whose initial values are `init`, and whose
// arguments are the last ones.  The new arguments are yielded unchanged until
// the caller changes block_end().
Op *for_add(Op *op, int count, Value *const *init);
// The same of an `if`, whose regions both yield `values` as they are, and of a
// `while`, which passes on the values that it gets: region 1 has the new
// arguments.
Op *if_add(Op *op, int count, Value *const *values);
Op *while_add(Op *op, int count, Value *const *init);

// A copy of `op` in front of it with other operands and results.  The regions
// are moved to the copy.  Only the last operand group may have another size.
Op *op_replace(Op *op, int num_operands, Value *const *operands,
               int num_results, const Type *const *types);

// Moves the ops of `from`, except the terminator, before `at`.
void block_inline_before(Block *from, Op *at);
// Moves the ops from `first` up to the one in front of `end`, of one block,
// before `at`.
void ops_move_before(Op *at, Op *first, const Op *end);
// The same to the end of `into`, except the ops that are keys of `kept`.
void ops_move_except(Block *into, Op *first, const Op *end, const Map *kept);

// -- Loops without a second trip ---------------------------------------------

// Does the `for` surely end after its first trip, if it has one?
bool loop_runs_once(const Op *loop);

// Replaces such a loop by an `if`, and erases it.
void loop_to_if(Module *m, Op *loop);

#endif
