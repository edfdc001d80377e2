// trial.h -- does a module still mean the same?
//
// Each function is interpreted on a few random inputs, and everything that it
// wrote and printed is kept.  Inputs on which the interpreter gives up (an
// access out of bounds, too many steps) say nothing and are left out.
#ifndef TILE_PASSES_TRIAL_H
#define TILE_PASSES_TRIAL_H

#include "ir/op.h"

typedef struct Trial Trial;

// Everything is in the module's arena.
Trial *trial_create(Module *m, uint64_t seed);
// Runs the module as it is now on the same inputs.  NULL if it does the same as
// at the call before, else what differs.
const char *trial_compare(Trial *trial);
// Functions that ran on no input at all, so that nothing is known about them.
int trial_num_untried(const Trial *trial);

#endif
