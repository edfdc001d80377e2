// base.h -- the door of this room for memory, text, maps and vectors; diag.h is
// the door for sources and diagnostics.
#ifndef TILE_IR_BASE_BASE_H
#define TILE_IR_BASE_BASE_H

#include "ir/base/arena.h"
#include "ir/base/map.h"
#include "ir/base/names.h"
#include "ir/base/str.h"
#include "ir/base/utf8.h"
#include "ir/base/vec.h"

#endif
