// wish.h -- the layouts that values would have if nobody stood in the way.
//
// A value that a loop or a branch hands on gets its layout before the ops that
// compute it are seen.  A wish looks ahead: it goes forward from dots, back to
// the vectors that meet what they give and to what they start from, where loads
// of tiles may take it, then backward from the addresses of accesses, then
// forward from loads; the first one stays.
#ifndef TILE_PASSES_WISH_H
#define TILE_PASSES_WISH_H

#include "passes/layout/place.h"

// p->accesses must be there.
void wishes_collect(Placer *p, Function *f);

#endif
