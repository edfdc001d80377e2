// anchors.h -- layouts of memory accesses, and defaults for tiles of their
// shapes.
#ifndef TILE_PASSES_ANCHORS_H
#define TILE_PASSES_ANCHORS_H

#include "passes/layout/place.h"

// Fills p->accesses and p->runs for all accesses of the function, and sets the
// default layouts of the tiles that they access.
void anchors_collect(Placer *p, Function *f);
// Sets the default layouts of reductions' results: the layouts of their rows,
// which parts_collect() may have changed.
void anchors_of_reductions(Placer *p, Function *f);

#endif
