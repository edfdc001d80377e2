// clock.h -- monotonic time, and statistics of measured times.
#ifndef TILE_RUNTIME_CLOCK_H
#define TILE_RUNTIME_CLOCK_H

#include <stddef.h>

// Monotonic time in seconds.
double clock_seconds(void);

// Statistics of repeated measurements.
typedef struct {
  double median, least, most; // 0 if there are no times
} Spread;
// Sorts the times.  The median of an even number of times is the mean of the
// middle two.
Spread spread_of(double *times, size_t count);

#endif
