// operand.h -- the ops in the dot's block that make its operand: loads, and ops
// that compute each element on its own.
#ifndef TILE_PASSES_OPERAND_H
#define TILE_PASSES_OPERAND_H

#include "passes/layout/place.h"

typedef struct {
  Op *load;
  const Layout *layout; // that its result would have
} OperandLoad;

typedef struct {
  Placer placer;
  Op *dot;
  int index;
  const Layout *layout;
  Map layouts, states; // by value
  Vec(Op *) chain;     // from the loads to the operand
  Vec(OperandLoad) loads;
  Op *widening; // the last op that makes numbers wider; NULL: none does
} Operand;

// Looks at operand `index` of a dot, which is to have `layout`.  False if it is
// made of anything else, or if others use what comes behind the loads.
bool operand_trace(Operand *x, Module *m, Op *dot, int index,
                   const Layout *layout);
// The value to convert in place of the operand: it has fewer bits.
const Value *operand_source(const Operand *x);
// Lets the operand come about from that under its layout.
void operand_settle(Operand *x);

#endif
