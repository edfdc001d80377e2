// trips.h -- which trips of a loop there are.
#ifndef TILE_PASSES_PIPELINE_TRIPS_H
#define TILE_PASSES_PIPELINE_TRIPS_H

#include "passes/analysis/walk.h"

typedef struct {
  Module *m;
  Op *loop;
  int64_t step;           // where it is constant,
  Value *wide_step;       // else it and the bound, in 64 bits
  Value *wide_upper, *up; // is the step positive?
  Value *before_upper;    // where it is: the last number but for
  Value *before_lower;
  Value *runs; // does the first trip exist?
} LoopTrips;

// Once, in front of the loop; the rest but `m` and `loop` is filled in.
void trips_prepare(LoopTrips *t, Builder *b);
// Is there the trip that is `trips` after the one at `iv`, which exists?
Value *trips_exist(LoopTrips *t, Builder *b, Value *iv, int trips);
// iv plus so many trips.
Value *trips_move(LoopTrips *t, Builder *b, Value *iv, int trips);

// `mask` of an access through `ptr`, where the trip exists; it may be NULL.
Value *trips_mask(LoopTrips *t, Builder *b, const Value *ptr, Value *mask,
                  Value *trip);

#endif
