// product.h -- matrix products: what their blocks and packed operands share.
#ifndef TILE_CODEGEN_HOST_PRODUCT_H
#define TILE_CODEGEN_HOST_PRODUCT_H

#include "codegen/host/nest.h"

enum { MAX_ROWS = 8, MAX_VECTORS = 2, PACK_LOOPS = 4 };

// The products that one instruction adds to a lane of sums.
typedef enum {
  UNIT_FMA,   // one product
  UNIT_PAIRS, // two, of bf16; takes denormals for 0
  UNIT_SPLIT, // the same by two multiply-adds, of any bf16
  UNIT_QUADS, // four, of int8
} Unit;

// An operand or the sums in memory, by strides of `type`: of elements, or of
// words that hold the neighbours along k that a unit takes.
typedef struct {
  const Value *buffer;
  LLVMValueRef base;
  LLVMTypeRef type;
  int64_t batch, row, column;
  int64_t panel; // from the column where a block begins to the next column
} HostMatrix;

typedef struct {
  Nest nest;
  const Op *op;
  int64_t m, n;
  int64_t k;    // words of a row of the left operand
  int64_t full; // the same in memory, where products wait for more trips
  int rows, vectors, lanes;
  bool zero; // the accumulator is the constant 0
  Unit unit;
  int step; // elements of a word
  // If products wait: words of the trips before this one, and with it; NULL if
  // each trip multiplies.
  LLVMValueRef first, depth;
  HostMatrix a, b, c;
  LLVMValueRef bias[MAX_VECTORS]; // of UNIT_QUADS: more than the sums
  LLVMValueRef denormals;         // of UNIT_PAIRS: is one among the operands?
} HostDot;

// Copies an operand, `from`, to memory of its own, in the words and the order
// in which blocks read it; adds to `denormals`.
HostMatrix product_pack(HostDot *d, HostMatrix from, bool is_left);

#endif
