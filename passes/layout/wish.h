// wish.h -- the preferred layouts of values.
//
// A value that a loop or a branch passes on gets its layout before the ops that
// compute it are visited.  So wishes are collected first: forward from dots;
// back to the vectors that are combined with their results and to their initial
// values, if loads of tiles can have that layout; then backward from addresses
// of accesses; then forward from loads.  The first wish stays.
#ifndef TILE_PASSES_WISH_H
#define TILE_PASSES_WISH_H

#include "passes/layout/place.h"

// p->accesses must be filled before.
void wishes_collect(Placer *p, Function *f);

#endif
