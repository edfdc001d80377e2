// order.h -- the order of the accesses of different threads.
//
// Threads have vector clocks: of the threads of their CTA, and of other CTAs
// as far as they have heard of them.  A barrier joins the clocks of those who
// come, a .sync instruction those of its members.  Between CTAs, and within one
// without a barrier, a strong write that releases leaves its thread's clock at
// the word, and a strong read that acquires takes it; a fence makes relaxed
// ones do so.  Both must reach far enough: what is released to the CTA is not
// seen by another.  The strong write itself is no part of what a fence before
// it releases; found.h knows who has found it.
//
// A warp has one time, which goes on at each instruction that others may wait
// for, and one clock for what all its lanes know.  Only what a lane knows
// beyond that, until a .sync tells the others, is kept by lane.
#ifndef TILE_SIMULATOR_ORDER_H
#define TILE_SIMULATOR_ORDER_H

#include "runtime/simulator/order/word_clocks.h"
#include "runtime/simulator/state/exec.h"

// The reach of an access.  A weak one orders nothing.
typedef enum { REACH_NONE, REACH_CTA, REACH_GPU } Reach;

// The effect of a strong access on the order of others.
typedef struct Strength {
  Reach reach;
  bool acquires, releases;
} Strength;

// The strength of ld, st, and of atom and red, which are strong without a word.
Strength strength_of(const Inst *inst, bool is_atomic);

bool order_create(Warp *warp); // false: no memory
void order_destroy(Warp *warp);
void order_start(Cta *cta);
void order_end(Cta *cta); // gives back what the CTA's warps hold
// The lanes come, before they wait, if they do; they go on.
void order_arrive(Warp *warp, uint32_t lanes, int barrier);
void order_leave(Warp *warp, uint32_t lanes, int barrier);
void order_barrier_done(Cta *cta, int barrier);
void order_fence(Warp *warp, uint32_t lanes, Reach reach, bool is_sc);
// A fence between the proxies: all that each lane knows now, in the memory of
// that part, is seen by asynchronous units that are started by a thread which
// knows of the fence.  CLOCK_INITS: only the mbarriers that were made are.
void order_proxy_fence(Warp *warp, uint32_t lanes, ClockPart part);
// All that the lane knows, for an operation that it starts; the caller's.
// After an instruction's comes order_written().
Clock *order_start_operation(Warp *warp, int lane);
// The clock of a lane, beyond its warp's; NULL: none.  The warp keeps it.
Clock *order_known_alone(const Warp *warp, int lane);
// All that the lanes, which come together, know is known to the clock, or what
// that knows to them.
void order_give(Warp *warp, uint32_t lanes, Clock **clock);
void order_take(Warp *warp, uint32_t lanes, Clock *clock);
// The same of what their fences have released, and no more.
void order_give_fenced(Warp *warp, uint32_t lanes, Clock **clock);
// bar.warp.sync orders its members; other .sync instructions, too, as many
// programs count on, unless the checks are strict.
void order_sync(Warp *warp, uint32_t lanes);
void order_together(Warp *warp, uint32_t lanes);

// A reduction reads, too, but no fence acquires what it has found.
void order_read(Warp *warp, int lane, const WordClocks *word, Strength strength,
                bool is_red);
// An update keeps what earlier writes left, a plain write does not.  After an
// instruction's writes comes order_written().
void order_write(Warp *warp, int lane, WordClocks *word, Strength strength,
                 bool is_update);
// Whether such a write leaves anything.
bool order_publishes(const Warp *warp, int lane, Strength strength);
// Accesses that come next are not among those that were released.
static inline void order_written(Warp *warp) {
  warp->now += warp->released;
  warp->released = false;
}

// Lanes of a warp whose accesses at that time the lane does not know of.
typedef struct Accesses {
  uint32_t cta, warp, time, lanes;
} Accesses;
uint32_t order_unknown(const Warp *warp, int lane, const Accesses *accesses);
// The same of accesses that make mbarriers, which fences of their own hand on.
uint32_t order_unknown_init(const Warp *warp, int lane,
                            const Accesses *accesses);

#endif
