// slice.h -- the slice of a loop: ops that the addresses and masks of its loads
// are computed from.
//
// A *slice* is a set of ops of the loop's body and of values that it carries.
#ifndef TILE_PASSES_SLICE_H
#define TILE_PASSES_SLICE_H

#include "ir/op.h"

typedef struct {
  Arena *arena;
  const Op *loop;
  // The slice ends at loads of a level above `least`, whose values are there;
  // at all loads if `least` is -1.  No levels: all loads are of level 0.
  const Map *levels; // load to (void *)(intptr_t)level
  int least;
  Map seen; // Value or Op
  Vec(const Value *) todo;
  Vec(Op *) ops;
  Vec(const Value *) carried; // arguments of the body
  Vec(Op *) ends;             // the loads that it ends at
} Slice;

// May the load read at another time than its place in the loop says?  Not if
// the loop may write what it reads.
bool load_is_safe_ahead(const Op *load, const Op *loop);
// May it read at any time while the block runs?
bool load_is_safe_within(const Op *load, Block *block);
// Adds what `load` needs: false if that cannot run ahead.
bool slice_add(Slice *s, Op *load);

#endif
