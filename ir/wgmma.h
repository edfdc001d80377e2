// wgmma.h -- products that groups of four warps compute from shared memory.
#ifndef TILE_IR_WGMMA_H
#define TILE_IR_WGMMA_H

#include "ir/op.h"
#include "ir/target.h"

enum {
  WGMMA_WARPS = 4, // of a group
  WGMMA_ROWS = 64, // of an instruction: 16 for each warp
  WGMMA_COLUMNS = 256,
  WGMMA_ALIGN = 1024, // bytes after which swizzles repeat
};

typedef struct {
  int k;
  Elem a, b, acc;
  const char *types; // in PTX notation
  bool across;       // its fast axis may be another one than k
} WgmmaForm;

// The distribution of a dot's result over groups of warps, the columns of one
// instruction, and the terms of one sum.
typedef struct {
  const WgmmaForm *wgmma;
  int groups_m, groups_n, columns;
  // The terms of a sum of fp8 products, which is then added in fp32, and how
  // many such sums a thread holds for each of its columns; 0: there is one sum.
  int terms, num_partial;
} WgmmaPlan;

// The number of 32-bit sums for which all threads together have room, beside
// other registers of the instruction.  ptxas does not spill these: if registers
// are short, it makes each instruction of the function wait for the one before,
// or stops with an error.
int64_t wgmma_room(const Target *target, const Function *f);

// False if there is no such instruction for the dot (or async_dot), or if it
// has too few rows, columns or warps, or no registers; with `out->terms`, if it
// has none for sums of so many terms.
bool wgmma_plan(const Target *target, const Op *dot, WgmmaPlan *out);

// The layouts in registers of operand 0, the only one that the instruction
// reads there, and of the result.
const Layout *wgmma_operand(LayoutTable *table, const WgmmaPlan *plan,
                            const Op *dot, int index);
const Layout *wgmma_result(LayoutTable *table, const WgmmaPlan *plan,
                           const Op *dot);

// Can the result of the dot have that layout?
bool wgmma_fits(const Target *target, const Op *dot, WgmmaPlan *out);

// A matrix in shared memory in the form of the instruction's descriptor.
typedef struct {
  bool across;      // neighbours are rows of A or columns of B, not along k
  int swizzle;      // line length in bytes: 32, 64 or 128
  int lead, stride; // bytes, as in the descriptor
  LinearMap byte;   // of an element, from the start of the buffer
  int log2_columns; // of the matrix
} SharedMatrix;

// Describes operand `index` of a dot; false if no descriptor fits this layout.
bool shared_matrix(const Layout *layout, const WgmmaPlan *plan, int index,
                   SharedMatrix *out);
uint32_t shared_matrix_byte(const SharedMatrix *x, uint32_t row,
                            uint32_t column);

// The layout of a buffer for operand `index`, with neighbours along axis
// `fast`; NULL if the instruction can read none.
const Layout *wgmma_buffer(LayoutTable *table, const WgmmaPlan *plan,
                           const Op *dot, int index, int fast);

#endif
