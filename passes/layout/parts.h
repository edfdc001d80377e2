// parts.h -- layouts of accesses between which a tile can go in parts.
//
// A tile that is loaded along one axis and stored along another is exchanged
// through shared memory.  Parts of it are told apart by registers that both
// layouts have in common (ir/layout_cut.h): warps leave them some.
#ifndef TILE_PASSES_PARTS_H
#define TILE_PASSES_PARTS_H

#include "passes/layout/place.h"

// Changes p->accesses where a store's value, as it is loaded, is more than
// `shared_bytes` and could not go in parts otherwise.
void parts_collect(Placer *p, Function *f, int64_t shared_bytes);
// The layout of a store, whose value has one, so that it can go in parts.
const Layout *parts_stored(Placer *p, const Op *op, const Layout *layout);

#endif
