// trial.h -- does a module still compute the same?
//
// Each function is interpreted on a few random inputs; everything that it
// writes and prints is kept.  Inputs on which the interpreter fails (an access
// out of bounds, too many steps) are ignored.
#ifndef TILE_PASSES_TRIAL_H
#define TILE_PASSES_TRIAL_H

#include "ir/op.h"

typedef struct Trial Trial;

// All allocations are in the module's arena.
Trial *trial_create(Module *m, uint64_t seed);
// Runs the present module on the same inputs.  NULL if the results are those of
// trial_create(), else the difference.
const char *trial_compare(Trial *trial);
// The number of functions that ran on no input, so that nothing is known about
// them.
int trial_num_untried(const Trial *trial);

#endif
