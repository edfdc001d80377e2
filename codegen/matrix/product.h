// product.h -- products of groups of warps, as statements of assembly; private
// to this room.
#ifndef TILE_CODEGEN_MATRIX_PRODUCT_H
#define TILE_CODEGEN_MATRIX_PRODUCT_H

#include "codegen/matrix/dot.h"

#include "ir/wgmma.h"

// -- Statements (statement.c) ------------------------------------------------

// Operands are numbered: first the results, then arguments.
typedef struct {
  Str text, constraints;
  LLVMValueRef *args;
  int num_args, num_operands;
} WgmmaStatement;

// Starts one whose first operands are `count` results in registers of the types
// of `values`; if `tied`, they are arguments, too.  There is room for `more`
// other arguments.
WgmmaStatement statement_start(Simt *s, int count, bool tied,
                               LLVMValueRef const *values, int more);
// Returns the number of the operand.
int statement_add(WgmmaStatement *x, LLVMValueRef value,
                  const char *constraint);
// Emits the statement; `values` become its results.
void statement_run(Simt *s, WgmmaStatement *x, int count, LLVMValueRef *values);

// -- Products (wgmma.c) ------------------------------------------------------

// An operand of the product, in shared memory or in registers.
typedef struct {
  const Value *buffer; // in shared memory; else NULL
  bool rows;           // of the result are this operand's
  bool has_own;        // may instructions have descriptors of their own?
  SharedMatrix matrix;
  Matrix held;
} OperandSide;

typedef struct {
  Simt *s;
  const Op *op;
  WgmmaPlan plan;
  OperandSide a, b;
  Matrix c;
  uint32_t m, n, k;
  const uint32_t *order; // registers of `c` in the order of the instructions
  LLVMValueRef *sums;
  bool from_zero;
} Product;

#endif
