// clock.h -- vector clocks: the times of other threads that a thread knows.
//
// A vector clock that holds only the CTAs it has heard of: of each warp the
// time up to which all its lanes are known, and of single lanes later ones.
// Clocks are never changed once made, so that CTAs on different host threads
// share them; they are counted.  NULL is the clock that knows nothing.
#ifndef TILE_SIMULATOR_CLOCK_H
#define TILE_SIMULATOR_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Clock Clock;

// The memory of a launch's clocks, which may outlive it: who holds it gives it
// back, too.
typedef struct ClockUse ClockUse;
ClockUse *clock_use_create(uint64_t num_ctas); // NULL: no memory
// Gives back bytes, or what clock_use_create() made, which are so many.
enum { CLOCK_USE_ITSELF = 1 };
void clock_use_drop(ClockUse *use, size_t bytes);
// Clocks may take so many bytes more before they tell less apart.
void clock_use_allow(ClockUse *use, size_t bytes);
// Whether they have taken that, or so many times that.
bool clock_use_is_full(const ClockUse *use, int times);
// All threads of the CTA have returned; whether that is known to be so.
void clock_use_end(ClockUse *use, uint32_t cta);
bool clock_use_has_ended(const ClockUse *use, uint32_t cta);

Clock *clock_keep(Clock *clock);
void clock_drop(Clock *clock);

// The warps of one CTA, and the asynchronous units behind them, and how far
// each is known.
typedef struct ClockRow {
  ClockUse *use; // of the launch
  uint32_t cta, num_threads, num_times;
  const uint32_t *times;
} ClockRow;

// Parts of a clock beside its times, by the reach of the fence.  FENCED: all
// that was before the fences of sequential consistency that the clock knows of;
// a strong write hands it on.  SEEN: the FENCED parts that strong reads found;
// the next such fence of the thread acquires it.  PROXY: all that was before
// the fences between the proxies, of shared and of global memory; asynchronous
// units see nothing else.  INITS: all that was before fence.mbarrier_init,
// which hands on only that mbarriers were made.
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

// The part; NULL: nothing.  The clock keeps it.
Clock *clock_part(Clock *clock, ClockPart part);

// New references.  Where the clocks of a launch have taken much memory, new
// ones take warps whole in place of single lanes, and where that is not enough,
// CTAs that have ended in place of warps; one that would grow too large, or
// finds no memory, knows everything: what it says is then never a false alarm.
Clock *clock_join(Clock *a, Clock *b);
Clock *clock_with(Clock *a, const ClockRow *row);
// `a`, which has heard of the CTA, and one of its threads up to that time.
Clock *clock_with_thread(Clock *a, uint32_t cta, uint32_t thread,
                         uint32_t time);
// `a` with the times of `more` in a part.
Clock *clock_with_part(Clock *a, ClockPart part, Clock *more);

// The time up to which the clock knows the warp, the thread; 0: not at all.
uint32_t clock_warp_time(const Clock *clock, uint32_t cta, uint32_t warp);
uint32_t clock_time(const Clock *clock, uint32_t cta, uint32_t thread);
// Classes of CTAs.  Most pairs are of two, whatever their distance is.
enum { CTA_CLASSES = 8 };
static inline uint32_t cta_class(uint32_t cta) {
  cta = (cta ^ cta >> 16) * UINT32_C(0x7feb352d);
  return (cta ^ cta >> 15) * UINT32_C(0x846ca68b) >> 29;
}

// Whether the clock has heard of a CTA of the class.
bool clock_knows_any(const Clock *clock, uint32_t class);
// The `lanes` of a warp less those that the clock knows up to that time.
uint32_t clock_unknown(const Clock *clock, uint32_t cta, uint32_t warp,
                       uint32_t time, uint32_t lanes);

#endif
