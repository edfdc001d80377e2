// dot_chain.h -- dots that meet in a block, elementwise.
#ifndef TILE_PASSES_DOT_CHAIN_H
#define TILE_PASSES_DOT_CHAIN_H

#include "ir/op.h"

// Does the result become the left operand of a dot of its block?
bool dot_feeds_dot(const Op *dot);
// And is its left operand such a result?
bool dot_is_fed(const Op *dot);

// Dots whose results meet, directly or through elementwise ops, and so are best
// held in one layout; with the loads that they start from.
typedef Vec(Op *) OpList;
typedef struct {
  OpList made;  // dots whose results are among it
  OpList fed;   // dots whose left operands are
  OpList loads; // that such dots start from
} DotFamily;

// False if it is too large to be told.
bool dot_family(Op *dot, DotFamily *out);

#endif
