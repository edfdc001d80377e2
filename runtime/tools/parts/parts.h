// parts.h -- the header of this room for other rooms: figures of a benchmark,
// NVIDIA's assembler, arithmetic expressions, temporary folders.
#ifndef TILE_TOOLS_PARTS_H
#define TILE_TOOLS_PARTS_H

#include "runtime/tools/parts/arithmetic.h"
#include "runtime/tools/parts/figures.h"
#include "runtime/tools/parts/own_folder.h"
#include "runtime/tools/parts/ptxas.h"

#endif
