// dot_chain.h -- dots that are connected by elementwise ops in one block.
#ifndef TILE_PASSES_DOT_CHAIN_H
#define TILE_PASSES_DOT_CHAIN_H

#include "ir/op.h"

// Is the left operand of a dot in the block computed from the result?
bool dot_feeds_dot(const Op *dot);
// Is the left operand computed from the result of another dot in the block?
bool dot_is_fed(const Op *dot);

// Dots whose results are combined, directly or by elementwise ops, and so
// should have one layout; with the loads from which they are computed.
typedef Vec(Op *) OpList;
typedef struct {
  OpList made;  // dots whose results are in the family
  OpList fed;   // dots whose left operands are
  OpList loads; // loads from which these are computed
} DotFamily;

// False if the family is too large.
bool dot_family(Op *dot, DotFamily *out);

#endif
