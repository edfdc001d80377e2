// parts.h -- layouts of accesses between which a tile can be exchanged in
// parts.
//
// A tile that is loaded along one axis and stored along another is exchanged
// through shared memory.  Its parts are selected by register bits that both
// layouts have in common (ir/layout_cut.h), so some of these bits must not be
// warp bits in either layout.
#ifndef TILE_PASSES_PARTS_H
#define TILE_PASSES_PARTS_H

#include "passes/layout/place.h"

// Changes p->accesses if the value of a store, as it is loaded, has more than
// `shared_bytes` and could not be exchanged in parts otherwise.
void parts_collect(Placer *p, Function *f, int64_t shared_bytes);
// The layout of a store, whose value has a layout, such that parts are
// possible.
const Layout *parts_stored(Placer *p, const Op *op, const Layout *layout);

#endif
