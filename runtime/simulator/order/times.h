// times.h -- the times of one CTA in a clock.
//
// Each warp has the time up to which the accesses of all lanes are known, some
// lanes have later times, and each asynchronous unit has a time.  Times are
// immutable and have reference counts, so that clocks share them.  NULL: no
// access is known.  There is a value for a CTA whose accesses are all known.
#ifndef TILE_SIMULATOR_ORDER_TIMES_H
#define TILE_SIMULATOR_ORDER_TIMES_H

#include "runtime/simulator/order/clock.h"

// Single lanes have a bit in a mask, one for each warp, and the difference to
// the warp's time, of later_bytes bytes, sorted by lane.
typedef struct Times {
  uint32_t references, cta;
  uint8_t num_times; // of warps and units
  uint8_t num_masks; // 0: no lane has a later time than its warp
  uint8_t later_bytes;
  uint32_t bytes;   // size of the struct
  uint32_t words[]; // times, then masks, then the differences
} Times;

// __builtin_popcount() is a call where the processor need not have it.
static inline uint32_t count_bits(uint32_t mask) {
  mask -= mask >> 1 & 0x55555555;
  mask = (mask & 0x33333333) + (mask >> 2 & 0x33333333);
  mask = (mask + (mask >> 4)) & 0x0f0f0f0f;
  return mask * 0x01010101 >> 24;
}

// Memory of that launch; NULL: out of memory.
void *clock_alloc(ClockUse *use, size_t bytes);
void clock_free(ClockUse *use, void *memory, size_t bytes);

// times_all(): the value for a CTA whose accesses are all known;
// times_are_reducible(): whether these times may be replaced by that value.
Times *times_all(void);
bool times_are_reducible(const ClockUse *use, const Times *times);
Times *times_keep(Times *times);
void times_drop(ClockUse *use, Times *times);
bool times_cover(const Times *a, const Times *b);
// The time up to which a warp, or unit, is known, and a lane.
uint32_t times_of_warp(const Times *times, uint32_t warp);
uint32_t times_of_lane(const Times *times, uint32_t thread);
// The `lanes` of a warp without those that are known up to that time.
uint32_t times_unknown(const Times *times, uint32_t warp, uint32_t time,
                       uint32_t lanes);

// Each of these functions returns a new reference; NULL: no memory.
// `num_threads` is that of the CTA.
Times *times_join(ClockUse *use, uint32_t num_threads, Times *a, Times *b);
Times *times_with_row(ClockUse *use, Times *a, const ClockRow *row);
Times *times_with_lanes(ClockUse *use, uint32_t num_threads, Times *a,
                        uint32_t warp, uint32_t lanes, uint32_t time);

#endif
