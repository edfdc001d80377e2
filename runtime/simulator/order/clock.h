// clock.h -- vector clocks: for each other thread, the time up to which a
// thread knows its accesses.
//
// A clock is sparse: it has only the CTAs that the thread has heard of.  For
// each warp it has the time up to which the accesses of all lanes are known,
// and later times of single lanes.  Clocks are immutable and have reference
// counts, so that CTAs on different host threads share them.  NULL is the empty
// clock.
#ifndef TILE_SIMULATOR_CLOCK_H
#define TILE_SIMULATOR_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Clock Clock;

// Counts the memory of a launch's clocks.  The counter has references from the
// launch and from the clocks; the last one frees it.  `far` counts the launch's
// pages of global memory, and no reference to it outlives the launch; NULL:
// there are none.
typedef struct ClockUse ClockUse;
struct FarUse;
ClockUse *clock_use_create(uint64_t num_ctas,
                           const struct FarUse *far); // NULL: no memory
// Releases bytes; clock_use_finish() releases the launch's reference.
enum { CLOCK_USE_ITSELF = 1 };
void clock_use_drop(ClockUse *use, size_t bytes);
void clock_use_finish(ClockUse *use);
// Raises the limit of the clocks' memory.
void clock_use_allow(ClockUse *use, size_t bytes);
// Levels of used memory, below the limit, at which clocks become coarser: new
// clocks have times of warps instead of lanes; CTAs that have ended are known
// as a whole, and the words of a page share a clock; all pages share one clock.
// Beyond the limit, new clocks know everything.
typedef enum { CLOCKS_BY_WARP, CLOCKS_BY_CTA, CLOCKS_COMMON } ClockLevel;
bool clock_use_is_full(const ClockUse *use, ClockLevel level);
// The clock that pages share: a new reference, or NULL; and joins one into it.
Clock *clock_use_common(ClockUse *use);
void clock_use_leave(ClockUse *use, Clock *clock);
// Marks a CTA whose threads have all returned; whether it is marked.
void clock_use_end(ClockUse *use, uint32_t cta);
bool clock_use_has_ended(const ClockUse *use, uint32_t cta);

Clock *clock_keep(Clock *clock);
void clock_drop(Clock *clock);

// The known times of the warps of one CTA, and of the asynchronous units behind
// them.
typedef struct ClockRow {
  ClockUse *use; // of the launch
  uint32_t cta, num_threads, num_times;
  const uint32_t *times;
} ClockRow;

// Parts of a clock beside its times; each is a clock, by the reach of the
// fence.  FENCED: all accesses before the seq_cst fences that the clock knows
// of; a strong write hands it on.  SEEN: the FENCED parts that strong reads
// found; the thread's next seq_cst fence acquires it.  PROXY: all accesses
// before the proxy fences, of shared and of global memory; asynchronous units
// see no others.  INITS: all accesses before fence.mbarrier_init, which makes
// visible only that mbarriers were initialised.
typedef enum ClockPart {
  CLOCK_FENCED_CTA,
  CLOCK_FENCED_GPU,
  CLOCK_SEEN_CTA,
  CLOCK_SEEN_GPU,
  CLOCK_PROXY_SHARED,
  CLOCK_PROXY_GLOBAL,
  CLOCK_INITS,
  CLOCK_NUM_PARTS
} ClockPart;

// The part; NULL: empty.  The clock keeps the reference.
Clock *clock_part(Clock *clock, ClockPart part);

// Each of these functions returns a new reference.  If the clocks of a launch
// use much memory, new ones are coarser; a clock that would grow too large, or
// for which there is no memory, knows everything.  Coarse clocks may hide a
// race but never cause a false alarm.
Clock *clock_join(Clock *a, Clock *b);
Clock *clock_with(Clock *a, const ClockRow *row);
// `a`, which has a row of the CTA, with lanes of a warp known up to that time.
Clock *clock_with_lanes(Clock *a, uint32_t cta, uint32_t warp, uint32_t lanes,
                        uint32_t time);
// `a` with the times of `more` in a part.
Clock *clock_with_part(Clock *a, ClockPart part, Clock *more);

// The time up to which the clock knows the warp, the thread; 0: not known.
uint32_t clock_warp_time(const Clock *clock, uint32_t cta, uint32_t warp);
uint32_t clock_time(const Clock *clock, uint32_t cta, uint32_t thread);
// Classes of CTAs, by a hash of the number: two CTAs are mostly of different
// classes, whatever their distance.
enum { CTA_CLASSES = 8 };
static inline uint32_t cta_class(uint32_t cta) {
  cta = (cta ^ cta >> 16) * UINT32_C(0x7feb352d);
  return (cta ^ cta >> 15) * UINT32_C(0x846ca68b) >> 29;
}

// Whether the clock has a CTA of the class.
bool clock_knows_any(const Clock *clock, uint32_t class);
// The `lanes` of a warp without those that the clock knows up to that time.
uint32_t clock_unknown(const Clock *clock, uint32_t cta, uint32_t warp,
                       uint32_t time, uint32_t lanes);

// Puts the clock, and its reference, in place of another.
static inline void clock_replace(Clock **place, Clock *clock) {
  clock_drop(*place);
  *place = clock;
}
// Joins a clock into that of the place; NULL: nothing.
static inline void clock_add(Clock **place, Clock *clock) {
  if (clock && clock != *place) clock_replace(place, clock_join(*place, clock));
}

#endif
