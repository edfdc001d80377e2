// slice.h -- the slice of a loop: the ops that compute addresses and masks of
// its loads.
//
// A *slice* is a set of ops of the loop's body and of carried values.
#ifndef TILE_PASSES_SLICE_H
#define TILE_PASSES_SLICE_H

#include "ir/op.h"

typedef struct {
  Arena *arena;
  const Op *loop;
  // The slice ends at loads of a level above `least`, whose values exist
  // already; at all loads if `least` is -1.  If `levels` is NULL, all loads
  // have level 0.
  const Map *levels; // load to (void *)(intptr_t)level
  int least;
  Map seen; // Value or Op
  Vec(const Value *) todo;
  Vec(Op *) ops;
  Vec(const Value *) carried; // arguments of the body
  Vec(Op *) ends;             // the loads at which it ends
} Slice;

// May the load be done at another time than in the loop?  Not if the loop may
// write to its memory.
bool load_is_safe_ahead(const Op *load, const Op *loop);
// May the load be done at any time while the block runs?
bool load_is_safe_within(const Op *load, Block *block);
// Adds the ops that `load` depends on; false if they cannot run ahead.
bool slice_add(Slice *s, Op *load);

#endif
