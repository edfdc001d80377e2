// constants.h -- the constants that a launch names.
#ifndef TILE_RUNTIME_CONSTANTS_H
#define TILE_RUNTIME_CONSTANTS_H

#include "runtime/base/base.h"

// The constant for the parameter `name`; NULL: the launch gives none.
const TileConstant *constants_find(const TileLaunch *launch, const char *name);
// Whether each constant is for a parameter of the kernel, and given once.
TileStatus constants_check(const Report *report, const TileLaunch *launch);

#endif
