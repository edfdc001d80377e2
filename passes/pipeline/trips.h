// trips.h -- the existence of a loop's trips.
#ifndef TILE_PASSES_PIPELINE_TRIPS_H
#define TILE_PASSES_PIPELINE_TRIPS_H

#include "passes/analysis/walk.h"

typedef struct {
  Module *m;
  Op *loop;
  int64_t step;     // 0: it is not constant, and the next five fields are set
  Value *wide_step; // the step in 64 bits
  Value *wide_upper, *up; // the bound in 64 bits; is the step positive?
  Value *before_upper;    // one step before the bound, going up
  Value *before_lower;    // the same, going down
  Value *runs;            // does the first trip exist?
} LoopTrips;

// Fills in all fields but `m` and `loop`; once, in front of the loop.
void trips_prepare(LoopTrips *t, Builder *b);
// Does the trip exist that is `trips` behind the trip at `iv`, which exists?
Value *trips_exist(LoopTrips *t, Builder *b, Value *iv, int trips);
// iv plus `trips` steps.
Value *trips_move(LoopTrips *t, Builder *b, Value *iv, int trips);

// `mask` of an access through `ptr`, and-ed with `trip`; `mask` may be NULL.
Value *trips_mask(LoopTrips *t, Builder *b, const Value *ptr, Value *mask,
                  Value *trip);

#endif
