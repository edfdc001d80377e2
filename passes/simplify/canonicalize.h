// canonicalize.h -- the parts of the pass, for each other.
#ifndef TILE_PASSES_CANONICALIZE_H
#define TILE_PASSES_CANONICALIZE_H

#include "ir/rewrite.h"

// Rewrites of values (canonicalize_values.c).
extern const Rewrite canonical_rewrites[];
extern const int canonical_rewrite_count;

// Removes control flow that is decided and slots that never change; true if
// anything did (canonicalize_control.c).
bool canonicalize_control(Function *f);

#endif
