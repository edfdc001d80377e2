// dot.h -- matrices in the registers of threads; private to this room.
//
// The last two axes are rows and columns; axes before them are batches.
#ifndef TILE_CODEGEN_SIMT_DOT_H
#define TILE_CODEGEN_SIMT_DOT_H

#include "codegen/gpu/simt.h"

#include "ir/mma.h"

typedef struct {
  const Layout *layout;
  const Type *element;
  int log2_rows, log2_columns;
  LLVMValueRef const *values;
} Matrix;

typedef struct {
  uint32_t batch, row, column;
} MatrixEntry;

typedef struct {
  Simt *s;
  const Op *op;
  MmaPlan plan;
  Matrix a, b, c;
  uint32_t batches, m, n, k;
  LLVMValueRef *sums; // starts as the accumulator's registers
  // Sums of products with at least one factor that is no first part; or NULL.
  LLVMValueRef *small;
} Dot;

Matrix dot_matrix(const Simt *s, const Value *value); // of a tile
MatrixEntry matrix_place(const Matrix *x, uint32_t element);
// Sizes are powers of two; positions outside are taken modulo the size.
uint32_t matrix_element(const Matrix *x, MatrixEntry place);
// The register of thread 0 with the element; false if it has none.
bool matrix_find(const Matrix *x, MatrixEntry place, uint32_t *reg);

// Do the layouts fit the planned instruction?  Then columns of `b` and `c`, and
// k of `a` and `b`, are numbered in its order.
bool mma_fits(Dot *d);
void mma_emit(Dot *d);

// Operands in parts (parts.c): numbers of the instruction's type whose sum is
// approximately `x`; or `x` itself if the plan has one part.
enum { MAX_PARTS = 3 };
void parts_of(Simt *s, const MmaPlan *plan, LLVMValueRef x,
              LLVMValueRef *parts);
LLVMValueRef *parts_zeros(const Dot *d); // of the size of `sums`
void parts_add_small(Dot *d);            // to `sums`

#endif
