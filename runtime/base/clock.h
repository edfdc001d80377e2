// clock.h -- how time passes.
#ifndef TILE_RUNTIME_CLOCK_H
#define TILE_RUNTIME_CLOCK_H

#include <stddef.h>

// Monotonic time in seconds.
double clock_seconds(void);

// Times of one thing, measured several times.
typedef struct {
  double median, least, most; // 0 where there are none
} Spread;
// Sorts them.  The median of an even number is between the two in the middle.
Spread spread_of(double *times, size_t count);

#endif
