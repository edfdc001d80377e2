// clock.h -- what a warp knows of the warps of other CTAs.
//
// A vector clock that holds only the CTAs it has heard of.  Clocks are never
// changed once made, so that CTAs on different host threads share them; they
// are counted.  NULL is the clock that knows nothing.
#ifndef TILE_SIMULATOR_CLOCK_H
#define TILE_SIMULATOR_CLOCK_H

#include <stdint.h>

typedef struct Clock Clock;

Clock *clock_keep(Clock *clock);
void clock_drop(Clock *clock);

// New references.  One that would grow too large, or finds no memory, knows
// everything: what it says is then never a false alarm.
Clock *clock_join(Clock *a, Clock *b);
// `a`, and the times of the warps of one CTA.
Clock *clock_with(Clock *a, uint32_t cta, const uint32_t *times,
                  uint32_t num_warps);

// The last time of the warp that the clock has heard of; 0: none.
uint32_t clock_time(const Clock *clock, uint32_t cta, uint32_t warp);

#endif
