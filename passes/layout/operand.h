// operand.h -- the ops in the dot's block that compute its operand: loads, and
// elementwise ops.
#ifndef TILE_PASSES_OPERAND_H
#define TILE_PASSES_OPERAND_H

#include "passes/layout/place.h"

typedef struct {
  Op *load;
  const Layout *layout; // layout for its result
} OperandLoad;

typedef struct {
  Placer placer;
  Op *dot;
  int index;
  const Layout *layout;
  Map layouts, states; // of each value
  Vec(Op *) chain;     // from the loads to the operand
  Vec(OperandLoad) loads;
  Op *widening; // the last op that widens elements; or NULL
} Operand;

// Examines operand `index` of a dot, which is to have `layout`.  False if other
// ops are involved, or if the values behind the loads have other users.
bool operand_trace(Operand *x, Module *m, Op *dot, int index,
                   const Layout *layout);
// The value to convert in place of the operand, with fewer bits.
const Value *operand_source(const Operand *x);
// Computes the operand from that value in its layout.
void operand_settle(Operand *x);

#endif
