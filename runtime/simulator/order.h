// order.h -- what orders the accesses of different threads.
//
// Warps have vector clocks: of the warps of their CTA, and of other CTAs as
// far as they have heard of them.  A barrier joins the clocks of those who
// come.  Between CTAs, and within one without a barrier, a strong write that
// releases leaves its warp's clock at the word, and a strong read that acquires
// takes it; a fence makes relaxed ones do so.  Both must reach far enough: what
// is released to the CTA is not seen by another.
#ifndef TILE_SIMULATOR_ORDER_H
#define TILE_SIMULATOR_ORDER_H

#include "runtime/simulator/exec.h"

// How far an access reaches.  A weak one orders nothing.
typedef enum { REACH_NONE, REACH_CTA, REACH_GPU } Reach;

// What a strong access is to others.
typedef struct Strength {
  Reach reach;
  bool acquires, releases;
} Strength;

// Of ld, st, and of atom and red, which are strong without a word.
Strength strength_of(const Inst *inst, bool is_atomic);

// What strong writes left at a word.
typedef struct SyncWord {
  Clock *far, *near; // for all; for the CTA that wrote last
  uint32_t near_cta;
  bool is_polled; // somebody waits, or has waited, for a change
} SyncWord;

void sync_word_clear(SyncWord *word);

void order_start(Cta *cta);
void order_end(Cta *cta); // gives back what the CTA's warps hold
void order_arrive(Warp *warp, int barrier); // before it waits, if it does
void order_leave(Warp *warp, int barrier);  // a warp that has waited
void order_barrier_done(Cta *cta, int barrier);
void order_fence(Warp *warp, Reach reach);
// A .sync instruction orders the lanes of a warp.
void order_lanes(Warp *warp);

void order_read(Warp *warp, const SyncWord *word, Strength strength);
// An update keeps what earlier writes left, a plain write does not.
void order_write(Warp *warp, SyncWord *word, Strength strength, bool is_update);
// Whether such a write leaves anything.
bool order_publishes(const Warp *warp, Strength strength);
// What writes have left at `from` is what `to` has from now on.
void order_move(SyncWord *to, SyncWord *from);

#endif
