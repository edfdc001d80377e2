// dot.h -- matrices in the registers of threads; for this room only.
//
// The first two of the last axes are rows and columns, those before them count
// batches.
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
} Entry;

typedef struct {
  Simt *s;
  const Op *op;
  MmaPlan plan;
  Matrix a, b, c;
  uint32_t batches, m, n, k;
  LLVMValueRef *sums; // starts as the accumulator's registers
  // Sums of products with a factor that is not a first part; or NULL.
  LLVMValueRef *small;
} Dot;

Matrix dot_matrix(const Simt *s, const Value *value); // of a tile
Entry matrix_place(const Matrix *x, uint32_t element);
// Sizes are powers of two, and places outside are those modulo the size.
uint32_t matrix_element(const Matrix *x, Entry place);
// The register of thread 0 with the element; false if it has none.
bool matrix_find(const Matrix *x, Entry place, uint32_t *reg);

// Do the layouts fit the instruction that is planned?  Then columns of `b` and
// `c`, and k of `a` and `b`, are numbered in its order.
bool mma_fits(Dot *d);
void mma_emit(Dot *d);

// Operands in parts (parts.c): numbers of the instruction's type that add up to
// about `x`, or `x` itself where the plan wants one.
enum { MAX_PARTS = 3 };
void parts_of(Simt *s, const MmaPlan *plan, LLVMValueRef x,
              LLVMValueRef *parts);
LLVMValueRef *parts_zeros(const Dot *d); // as many as `sums`
void parts_add_small(Dot *d);            // to `sums`

#endif
