// mma.h -- the matrix instruction for a dot.
#ifndef TILE_IR_MMA_H
#define TILE_IR_MMA_H

#include "ir/op.h"
#include "ir/target.h"

typedef struct {
  int m, n, k;
  Elem elem, elem_b, acc; // f32 operands are truncated to tf32
  const char *types;      // in PTX notation
  unsigned capability;
  int ptx_version; // first PTX version, 87 for 8.7; 0: that of the target
} Mma;

extern const Mma mma_table[];
extern const int mma_count;

// With `parts` 1, an operand of the instruction is the dot's operand.  With
// more, an operand element is split into a sum of `parts` elements of the
// instruction, the first of which is the rounded element; the product of two
// elements is the sum of the products of their parts i and j with i + j <
// parts.
typedef struct {
  const Mma *mma; // NULL: threads multiply and add, exactly
  int parts;
} MmaPlan;

// The instruction with the types of A and B exchanged.
const Mma *mma_turned(const Mma *mma);

// The plan for this dot on `target`; its operands may have any layout.
MmaPlan mma_plan(const Target *target, const Op *dot);

#endif
