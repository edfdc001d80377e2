// order.h -- happens-before: the order of the accesses of different threads.
//
// Threads have vector clocks, of the threads of their CTA, and of other CTAs as
// far as they have heard of them.  A barrier joins the clocks of the threads
// that arrive, a .sync instruction those of its members.  Between CTAs, and
// within a CTA without a barrier, a strong write that releases leaves its
// thread's clock at the word, and a strong read that acquires joins it; a fence
// turns relaxed accesses into such ones.  The scopes of both must include the
// other thread: a clock that is released to the CTA is not seen by another CTA.
// A fence releases earlier accesses, but not the strong write behind it;
// found.h records who has read that write.
//
// A warp has one time, which increases at each instruction that others may wait
// for, and one clock for the accesses that all its lanes know.  Only the
// accesses that a lane knows beyond that, until a .sync shares them, are kept
// per lane.
//
// For example, thread 0 stores to x and then does st.release.gpu of 1 to a
// flag, which leaves its clock with the store of x at the flag's word.  Thread
// 64 of another CTA reads 1 by ld.acquire.gpu, and joins that clock: its load
// of x is ordered.  With st.relaxed and no fence no clock is left, and the load
// of x is a race.
#ifndef TILE_SIMULATOR_ORDER_H
#define TILE_SIMULATOR_ORDER_H

#include "runtime/simulator/order/word_clocks.h"
#include "runtime/simulator/state/exec.h"

// The reach (scope) of an access.  A weak access orders nothing.
typedef enum { REACH_NONE, REACH_CTA, REACH_GPU } Reach;

// The effect of a strong access on the order of other accesses.
typedef struct Strength {
  Reach reach;
  bool acquires, releases;
} Strength;

// The strength of ld and st, and of atom and red, which are strong by default.
Strength strength_of(const Inst *inst, bool is_atomic);

// The times of the CTA's warps and units as a row for clocks, which has the
// pointer alone.
ClockRow order_row(const Cta *cta, const uint32_t *times);

bool order_create(Warp *warp); // false: no memory
void order_destroy(Warp *warp);
void order_start(Cta *cta);
void order_end(Cta *cta); // releases the clocks of the CTA's warps
// order_arrive(): the lanes arrive at a barrier, before they wait;
// order_leave(): they leave it.
void order_arrive(Warp *warp, uint32_t lanes, int barrier);
void order_leave(Warp *warp, uint32_t lanes, int barrier);
void order_barrier_done(Cta *cta, int barrier);
void order_fence(Warp *warp, uint32_t lanes, Reach reach, bool is_sc);
// A proxy fence: asynchronous units that a thread which knows of it starts see
// all accesses that each lane knows now, in the memory of `part`; CLOCK_INITS:
// only initialisations of mbarriers.
void order_proxy_fence(Warp *warp, uint32_t lanes, ClockPart part);
// All accesses that the lane knows, for an operation that it starts; the caller
// owns the clock.  The caller calls order_written() after the instruction.
Clock *order_start_operation(Warp *warp, int lane);
// The lane's clock besides its warp's; NULL: empty.  The warp keeps the
// reference.
Clock *order_known_alone(const Warp *warp, int lane);
// order_give(): joins the clocks of the lanes, which arrive together, into the
// clock; order_take(): joins the clock into theirs.
void order_give(Warp *warp, uint32_t lanes, Clock **clock);
void order_take(Warp *warp, uint32_t lanes, Clock *clock);
// The same, but only for the clocks that the lanes' fences have released.
void order_give_fenced(Warp *warp, uint32_t lanes, Clock **clock);
// bar.warp.sync orders its members; other .sync instructions do so, too, as
// many programs assume, unless the checks are strict.
void order_sync(Warp *warp, uint32_t lanes);
void order_together(Warp *warp, uint32_t lanes);

// `is_red`: a reduction; no fence acquires the clock of the write that it has
// read.
void order_read(Warp *warp, int lane, const WordClocks *word, Strength strength,
                bool is_red);
// An update keeps the clocks of earlier writes at the word (a release
// sequence), a plain write does not.  The caller calls order_written() after
// the instruction.
void order_write(Warp *warp, int lane, WordClocks *word, Strength strength,
                 bool is_update);
// order_read() and order_write() of updates, which reach the CTA, by several
// lanes of the warp in one instruction.
void order_read_together(Warp *warp, uint32_t lanes, const WordClocks *word,
                         Strength strength);
void order_write_together(Warp *warp, uint32_t lanes, WordClocks *word,
                          Strength strength);
// Whether such a write leaves a clock.
bool order_publishes(const Warp *warp, int lane, Strength strength);
// Increases the time: later accesses are not among the released ones.
static inline void order_written(Warp *warp) {
  warp->now += warp->released;
  warp->released = false;
}

// The lanes of a warp whose accesses at that time the lane does not know.
typedef struct Accesses {
  uint32_t cta, warp, time, lanes;
} Accesses;
uint32_t order_unknown(const Warp *warp, int lane, const Accesses *accesses);
// The same for initialisations of mbarriers, which have fences of their own.
uint32_t order_unknown_init(const Warp *warp, int lane,
                            const Accesses *accesses);

#endif
