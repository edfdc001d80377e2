// sweep.h -- the values of a benchmark's sizes.
//
//   n=2^10:2^26      doubled each time      n=1000:100000:*10
//   n=100:500:+100   added each time        n=1000,3000,5000
#ifndef TILE_TOOLS_SWEEP_H
#define TILE_TOOLS_SWEEP_H

#include "ir/base/base.h"

#include <stdint.h>

typedef struct {
  const char *name;
  const int64_t *values;
  size_t count;
} Sweep;

enum { MAX_SWEEPS = 8, MAX_POINTS = 10000 };

// A point has a value of each sweep; the last sweep varies fastest.
typedef struct {
  Sweep items[MAX_SWEEPS];
  size_t count;
  size_t num_points; // product of the counts; 1 without sweeps
  bool are_together; // point i has value i of each sweep
} Sweeps;

// Parses the text behind `NAME=`; false with a sentence in `*why`.
bool sweep_read(Arena *arena, const char *text, Sweep *out, const char **why);

// Whether the text, which may be NULL, has the name as a word.
bool sweep_is_word(const char *text, const char *name);

// Is there a sweep of that name?
bool sweeps_have(const Sweeps *sweeps, const char *name);

// The value of each sweep at one point.
void sweeps_at(const Sweeps *sweeps, size_t point, int64_t *values);

// `text` with each `{NAME}` of a sweep replaced by its value.
const char *sweeps_fill(Arena *arena, const Sweeps *sweeps,
                        const int64_t *values, const char *text);

#endif
