// clock.c -- monotonic time, and statistics of measured times.
#include "runtime/base/clock.h"

#include <stdlib.h>
#include <time.h>

double clock_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static int by_value(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

Spread spread_of(double *times, size_t count) {
  if (!count) return (Spread){0};
  qsort(times, count, sizeof *times, by_value);
  const double above = times[count / 2], below = times[(count - 1) / 2];
  return (Spread){(above + below) / 2, times[0], times[count - 1]};
}
