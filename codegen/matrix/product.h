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

// Starts a statement whose first operands are `count` results in registers of
// the types of `values`; if `tied`, they are arguments, too.  There is room for
// `more` other arguments.
WgmmaStatement statement_start(Simt *s, int count, bool tied,
                               LLVMValueRef const *values, int more);
// Returns the number of the operand.
int statement_add(WgmmaStatement *x, LLVMValueRef value,
                  const char *constraint);
// Emits the statement; `values` become its results.
void statement_run(Simt *s, WgmmaStatement *x, int count, LLVMValueRef *values);
// Waits until at most `pending` groups of instructions are on their way.
// `values` are the sums of the ended groups; they may be read behind the wait.
void statement_wait(Simt *s, int pending, int count, LLVMValueRef *values);

// -- Products (wgmma.c) ------------------------------------------------------

// An operand of the product, in shared memory or in registers.
typedef struct {
  const Value *buffer; // in shared memory; else NULL
  bool rows;           // do its rows become rows of the result?
  bool has_own;        // may instructions have descriptors of their own?
  SharedMatrix matrix;
  LLVMValueRef descriptor; // of the buffer
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

// Blocks of the result, each with the rows and columns of one instruction, and
// the terms from `k` on.
typedef struct {
  uint32_t block, num_blocks, k, end;
} ProductPart;

typedef enum {
  SUMS_KEPT,        // the instructions add to them
  SUMS_OVERWRITTEN, // in the same registers
  SUMS_NEW          // in other registers of these types
} EarlierSums;

// Starts the instructions; `sums` are those of the blocks, before and after.
void product_start(const Product *p, ProductPart part, LLVMValueRef *sums,
                   EarlierSums earlier);

// Multiplies with sums of `plan.terms` terms, and adds these in fp32.
void product_in_parts(const Product *p, ProductPart all, LLVMValueRef *sums);

#endif
