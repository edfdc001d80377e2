// exchange.h -- data that passes between the threads of a program inside one
// op.
//
// An op whose operands and results are spread differently moves elements, in
// the warp by shuffles, else through shared memory: its *scratch*.  These
// functions say what code generation does, so that a pass can give the scratch
// a place.  Every op but the structured ones may be asked; layouts are
// assigned.
#ifndef TILE_IR_EXCHANGE_H
#define TILE_IR_EXCHANGE_H

#include "ir/layout_cut.h"
#include "ir/op.h"

// Bytes of one element in memory.
int64_t element_bytes(const Type *element);

// For expand_dims, broadcast, reshape and trans: the layout of the operand in
// which each thread already has the elements that it needs of the result.
const Layout *exchange_pulled(const Op *op);
// For join, split and cat: the layout of both tiles as one, in the registers of
// the two; NULL if there is none.
const Layout *exchange_joined(const Op *op);
// The layout in which reduce combines: no thread bit moves along the axis and
// another one at once.
const Layout *exchange_reduced(const Op *op);
// The layout in which scan runs along the axis: the operand's where that is
// regular (ir/layout_scan.h).
const Layout *exchange_scanned(const Op *op);
// For a reduce: the offset of `input` among the warps' partial results in
// scratch memory; for the number of inputs, the size of them all.
int64_t exchange_total_start(const Op *op, int input);

// Is it a histogram?  The threads count together in memory, one part of the
// bins after the other, and go through all elements for each.
static inline bool exchange_counts(const Op *op) {
  return op->kind == OP_histogram;
}
// The bins of a part as the result holds them; `*part`: the register bits of
// the result that say which part.  NULL: not in so many parts.
const Layout *exchange_counted(const Op *op, uint32_t *part);

// Bits of a dimension that move along the axis; those of copies are not among
// them.
uint32_t exchange_axis_bits(const Layout *layout, int axis, LayoutDim dim);

// Elements that an op moves all at once may go in 2^n parts, one after the
// other, each through 1/2^n of the bytes (ir/layout_cut.h).
int exchange_log2_parts(const Op *op);
// Twice as many parts; false if there are no more, or if they would cost bank
// conflicts.  `matrix`: ldmatrix may be used.
bool exchange_halve(Op *op, bool matrix);
// The cut by which each of the parts goes through the scratch, and the bytes of
// an element; false if the op does something else there.
bool exchange_cut(const Op *op, bool matrix, LayoutCut *cut, int64_t *bytes);
// op_scratch_bytes() after that has been done as often as can be.
int64_t exchange_least_bytes(const Op *op, bool matrix);

// The most shared memory that the op needs at a time; 0 if it needs none.
int64_t op_scratch_bytes(const Op *op);

// -- Rows of shared memory in which warps meet in a reduction ----------------

// For each input there is a row for each element of the result, of one value a
// warp.  A thread's rows may take turns, in parts of its registers.

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
