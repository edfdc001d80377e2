// reduce.h -- the state of a reduction that is lowered for a GPU.
#ifndef TILE_CODEGEN_EXCHANGE_REDUCE_H
#define TILE_CODEGEN_EXCHANGE_REDUCE_H

#include "codegen/gpu/simt.h"

typedef struct {
  Simt *s;
  const Op *op;
  int num_inputs, axis;
  bool sided;           // the order of the region's operands matters
  const Layout *layout; // of the inputs
  const Layout *slice;  // of the results; NULL: they are scalars
  int num_groups;       // registers of a result
  LLVMValueRef **inputs;
  LLVMValueRef **partial; // one value for each group and input
} Reduction;

// Combines items[0 .. count-1] in pairs, then pairs of pairs, into items[0].
bool reduction_combine(Reduction *x, LLVMValueRef **items, int count);
// Combines acc with the values from the lane that differs in `bit`.
bool reduction_meet_lane(Reduction *x, LLVMValueRef *acc, int bit);
// Combines x->partial, which is of one warp, over all warps (reduce_warps.c).
bool reduction_meet_warps(Reduction *x);

#endif
