// parts.h -- the door of this room: figures of a benchmark, sums and tuples,
// folders that go.
#ifndef TILE_TOOLS_PARTS_H
#define TILE_TOOLS_PARTS_H

#include "runtime/tools/parts/arithmetic.h"
#include "runtime/tools/parts/figures.h"
#include "runtime/tools/parts/own_folder.h"

#endif
