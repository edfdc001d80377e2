// sweep.h -- the values that a benchmark runs through.
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

// Reads what is behind `NAME=`; false with a sentence in `*why`.
bool sweep_read(Arena *arena, const char *text, Sweep *out, const char **why);

// The value of each sweep at one point of them all: the last one runs fastest.
void sweeps_at(const Sweep *sweeps, size_t count, size_t point,
               int64_t *values);
size_t sweeps_num_points(const Sweep *sweeps, size_t count);

// `text` with each `{NAME}` replaced that is the name of a sweep.
const char *sweeps_fill(Arena *arena, const Sweep *sweeps, size_t count,
                        const int64_t *values, const char *text);

#endif
