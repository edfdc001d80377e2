// exchange.h -- data that moves between the threads of a program inside one op.
//
// If the operands and results of an op are distributed differently, it moves
// elements: within a warp by shuffles, else through shared memory, its
// *scratch*.  These functions tell how code generation does that, so that a
// pass can allocate the scratch.  They accept all ops but the structured ones;
// layouts must be assigned.
#ifndef TILE_IR_EXCHANGE_H
#define TILE_IR_EXCHANGE_H

#include "ir/layout_cut.h"
#include "ir/op.h"

// Bytes of one element in memory.
int64_t element_bytes(const Type *element);

// For expand_dims, broadcast, reshape and trans: the operand's layout in which
// each thread already holds the elements that it needs for the result.
const Layout *exchange_pulled(const Op *op);
// For join, split and cat: the layout of both tiles as one tile, in the
// registers of both; NULL if there is none.
const Layout *exchange_joined(const Op *op);
// The layout in which reduce combines: no thread bit moves along the axis and
// another axis together.
const Layout *exchange_reduced(const Op *op);
// The layout in which scan runs along the axis: the operand's, if that is
// regular (ir/layout_scan.h).
const Layout *exchange_scanned(const Op *op);
// For a reduce: the offset of `input` among the warps' partial results in
// scratch memory; if `input` is the number of inputs, the size of all results.
int64_t exchange_total_start(const Op *op, int input);

// Is the op a histogram?  All threads count in one memory; for each part of the
// bins, in turn, they visit all elements.
static inline bool exchange_counts(const Op *op) {
  return op->kind == OP_histogram;
}
// The layout of one part of the bins in the result; `*part`: the register bits
// of the result that select the part.  NULL: that number of parts is not
// possible.
const Layout *exchange_counted(const Op *op, uint32_t *part);

// Bits of a dimension that move along the axis, without bits that select
// copies.
uint32_t exchange_axis_bits(const Layout *layout, int axis, LayoutDim dim);

// The log2 of the number of parts in which the op moves its elements, one after
// the other: each needs 1/2^n of the bytes (ir/layout_cut.h).
int exchange_log2_parts(const Op *op);
// Doubles the number of parts; false if that is not possible, or would cost
// bank conflicts.  `matrix`: ldmatrix may be used.
bool exchange_halve(Op *op, bool matrix);
// The cut by which the parts go through the scratch, and the bytes of an
// element; false if the op uses its scratch in another way.
bool exchange_cut(const Op *op, bool matrix, LayoutCut *cut, int64_t *bytes);
// op_scratch_bytes() with as many parts as possible.
int64_t exchange_least_bytes(const Op *op, bool matrix);

// The most shared memory that the op needs at a time; 0 if it needs none.
int64_t op_scratch_bytes(const Op *op);

// -- Rows of shared memory through which warps combine a reduction -----------

// For each input there is one row for each element of the result, with one
// value for each warp.  A thread's rows may be handled in turns, by parts of
// its registers.

// Maps a register, lane and warp of the result's layout to the number of a row.
LinearMap exchange_row_places(const Layout *slice);
// log2 of the number of turns; the upper bits of a row's number select the
// turn.
int exchange_row_parts(const Op *op);
// Are the rows of input `a` in front of those of `b`?  Inputs with longer rows
// come first, so that all rows are aligned without gaps.  With `b` equal to the
// number of inputs, always true.
bool exchange_comes_first(const Op *op, int a, int b);
// The bytes of a turn in front of the rows of `input`; if `input` is the number
// of inputs, the bytes of all rows.  Rows are aligned to their size, or to 16
// bytes.
int64_t exchange_row_start(const Op *op, int input);

#endif
