// clock.h -- how time passes.
#ifndef TILE_RUNTIME_CLOCK_H
#define TILE_RUNTIME_CLOCK_H

// Monotonic time in seconds.
double clock_seconds(void);

#endif
