// canonicalize.h -- declarations shared by the files of the pass.
#ifndef TILE_PASSES_CANONICALIZE_H
#define TILE_PASSES_CANONICALIZE_H

#include "ir/rewrite.h"

// Rewrites of values (canonicalize_values.c).
extern const Rewrite canonical_rewrites[];
extern const int canonical_rewrite_count;

// Removes control flow with known branches, and slots that never change; true
// if anything changed (canonicalize_control.c).
bool canonicalize_control(Function *f);

#endif
