// parts.h -- the door of this room: figures of a benchmark, arithmetic and
// tuples in options, temporary folders.
#ifndef TILE_TOOLS_PARTS_H
#define TILE_TOOLS_PARTS_H

#include "runtime/tools/parts/arithmetic.h"
#include "runtime/tools/parts/figures.h"
#include "runtime/tools/parts/own_folder.h"

#endif
