// cuts.h -- the part of each tile that a block of a cluster computes.
//
// A tile is *whole* in each block, or *cut* along a dimension: block r of n has
// the r-th of n equal parts.  Windows into tensors are cut like their tiles.
#ifndef TILE_PASSES_CUTS_H
#define TILE_PASSES_CUTS_H

#include "ir/op.h"
#include "ir/target.h"

enum { WHOLE = -1 }; // else the number of a dimension

// Bit 0: whole; bit 1 + d: cut along dimension d.
typedef uint32_t CutSet;

static inline CutSet cut_bit(int cut) {
  return UINT32_C(1) << (1 + cut);
}

typedef struct {
  Arena *arena;
  int parts;
  Map wanted; // of values: the cuts that ops need
  Map roots;  // of ops that write memory: 2 + the cut of the stored tile
} Cuts;

// Can a tile or a window of the type be cut in that way?
bool cut_fits(const Type *type, int cut, int parts);

// The cut of operand `index` if the results of the op, or the tile that it
// stores, are cut along `cut`.  False: that is not possible.
bool cut_of_operand(const Op *op, int index, int cut, int parts, int *out);

// The cuts in which ops need the value.
CutSet cuts_wanted(const Cuts *cuts, const Value *value);
void cuts_want(Cuts *cuts, const Value *value, CutSet set);
int cuts_root(const Cuts *cuts, const Op *op);

// Finds the cuts with the least work for a block.  Returns NULL, or the reason
// why blocks cannot share the program.
const char *cuts_find(Function *f, const Target *target, int parts, Cuts *out);

#endif
