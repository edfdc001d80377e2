// mma.h -- which matrix instruction a dot becomes.
#ifndef TILE_IR_MMA_H
#define TILE_IR_MMA_H

#include "ir/op.h"
#include "ir/target.h"

typedef struct {
  int m, n, k;
  Elem elem, elem_b, acc; // of f32 operands it reads what tf32 has
  const char *types;      // as PTX has them
  unsigned capability;
  int ptx_version; // 87: of PTX 8.7; 0: the target's
} Mma;

extern const Mma mma_table[];
extern const int mma_count;

// An operand element is the sum of `parts` elements of the instruction, the
// first being the element itself, or rounded if there are more; the product of
// two operands is the sum of the products of their parts i and j with
// i + j < parts.
typedef struct {
  const Mma *mma; // NULL: threads multiply and add, exactly
  int parts;
} MmaPlan;

// The one that takes A's elements for B and B's for A.
const Mma *mma_turned(const Mma *mma);

// The way in which `target` does this dot, whose operands may have any layout.
MmaPlan mma_plan(const Target *target, const Op *dot);

#endif
