// wgmma.h -- products that groups of four warps compute out of shared memory.
#ifndef TILE_IR_WGMMA_H
#define TILE_IR_WGMMA_H

#include "ir/op.h"
#include "ir/target.h"

enum {
  WGMMA_WARPS = 4, // of a group, each of which has 16 of
  WGMMA_ROWS = 64, // of one instruction
  WGMMA_COLUMNS = 256,
  WGMMA_ALIGN = 1024, // bytes after which swizzles repeat
};

typedef struct {
  int k;
  Elem a, b, acc;
  const char *types; // as PTX has them
  bool across;       // may a matrix lie across?
} Wgmma;

// The plan by which groups of warps share the result of a dot, and the columns
// of one instruction.
typedef struct {
  const Wgmma *wgmma;
  int groups_m, groups_n, columns;
} WgmmaPlan;

// Sums of 32 bits that all threads together have room for, beside what an
// instruction wants.  ptxas does not spill for these: where registers are short
// each waits for the one before, in all of the function, and where one finds
// too few it stops.
int64_t wgmma_room(const Target *target, const Function *f);

// False if there is no such instruction for the dot (or async_dot), or if it
// has too few rows, columns or warps.
bool wgmma_plan(const Target *target, const Op *dot, WgmmaPlan *out);

// The layouts of an operand in registers, from which the instruction takes
// operand 0 alone, and of the result.
const Layout *wgmma_operand(LayoutTable *table, const WgmmaPlan *plan,
                            const Op *dot, int index);
const Layout *wgmma_result(LayoutTable *table, const WgmmaPlan *plan,
                           const Op *dot);

// Has the dot such a result?
bool wgmma_fits(const Target *target, const Op *dot, WgmmaPlan *out);

// A matrix in shared memory as the instruction finds it.
typedef struct {
  bool across;      // neighbours are rows of A or columns of B, not along k
  int swizzle;      // bytes of a line: 32, 64 or 128
  int lead, stride; // bytes, as in the descriptor
  LinearMap byte;   // of an element, from the start of the buffer
  int log2_columns; // of the matrix
} SharedMatrix;

// Operand `index` of a dot; false if no descriptor says this layout.
bool shared_matrix(const Layout *layout, const WgmmaPlan *plan, int index,
                   SharedMatrix *out);
uint32_t shared_matrix_byte(const SharedMatrix *x, uint32_t row,
                            uint32_t column);

// The layout of a buffer for operand `index`, in which neighbours lie along
// axis `fast`; NULL if there is none that the instruction reads.
const Layout *wgmma_buffer(LayoutTable *table, const WgmmaPlan *plan,
                           const Op *dot, int index, int fast);

#endif
