// times.h -- the times of one CTA that a clock knows.
//
// Of each warp the time up to which all its lanes are known, of single lanes
// later ones, and of each asynchronous unit its time.  Times are never changed
// once made, so that clocks share them; they are counted.  NULL: nothing.  Of a
// CTA that has ended all may be known.
#ifndef TILE_SIMULATOR_ORDER_TIMES_H
#define TILE_SIMULATOR_ORDER_TIMES_H

#include "runtime/simulator/order/clock.h"

// Lanes are told by masks, one for each warp, and by how much later they are
// known than their warps: numbers of so many bytes each, in order.
typedef struct Times {
  uint32_t references, cta;
  uint8_t num_times; // of warps and units
  uint8_t num_masks; // 0: no lane is known further than its warp
  uint8_t later_bytes;
  uint32_t bytes;   // of memory
  uint32_t words[]; // times, then masks, then the numbers
} Times;

// Memory of that launch; NULL: there is none.
void *clock_alloc(ClockUse *use, size_t bytes);
void clock_free(ClockUse *use, void *memory, size_t bytes);

// All that a CTA has done, and whether these may become that.
Times *times_all(void);
bool times_are_reducible(const ClockUse *use, const Times *times);
Times *times_keep(Times *times);
void times_drop(ClockUse *use, Times *times);
bool times_cover(const Times *a, const Times *b);
// The time up to which a warp, or unit, is known, and a lane.
uint32_t times_of_warp(const Times *times, uint32_t warp);
uint32_t times_of_lane(const Times *times, uint32_t thread);
// The `lanes` of a warp less those that are known up to that time.
uint32_t times_unknown(const Times *times, uint32_t warp, uint32_t time,
                       uint32_t lanes);

// New references; NULL: no memory.  `num_threads` are those of the CTA.
Times *times_join(ClockUse *use, uint32_t num_threads, Times *a, Times *b);
Times *times_with_row(ClockUse *use, Times *a, const ClockRow *row);
Times *times_with_thread(ClockUse *use, uint32_t num_threads, Times *a,
                         uint32_t thread, uint32_t time);

#endif
