// past.h -- past accesses.
#ifndef TILE_SIMULATOR_PAST_H
#define TILE_SIMULATOR_PAST_H

#include <assert.h>

#include "runtime/simulator/order/order.h"

// An access by lanes of a warp at one time; all zero: none.
typedef struct Past {
  uint32_t cta;
  uint32_t clock; // the warp's time; of copies: their number
  uint32_t what;  // the last instruction's index plus 1, the warp, the Reach,
                  // and for writes the bits below
  uint32_t lanes;
} Past;

_Static_assert(MAX_INSTS < 1 << 20, "an instruction's index fits");

static const uint32_t PAST_INST = UINT32_C(0xfffff) << 7;
// The instruction stands for nearby ones, too.
static const uint32_t PAST_NEAR = UINT32_C(1) << 28;
// The write initialises an mbarrier.
static const uint32_t PAST_INITS = UINT32_C(1) << 29;
// The write is an atomic's.
static const uint32_t PAST_UPDATES = UINT32_C(1) << 30;
// The write has found all earlier strong writes of the word, so an access after
// the write comes after these, too.
static const uint32_t PAST_FINDS = UINT32_C(1) << 31;

static inline uint32_t pack_what(uint32_t inst, uint32_t warp, Reach reach) {
  assert(warp < MAX_WARPS && "no warp of a CTA"); // I2
  return (inst + 1) << 7 | warp << 2 | (uint32_t)reach;
}

static inline uint32_t inst_of(const Past *past) {
  return ((past->what & PAST_INST) >> 7) - 1;
}

static inline uint32_t warp_of(const Past *past) {
  return past->what >> 2 & (MAX_WARPS - 1);
}

static inline Reach reach_of(const Past *past) {
  return (Reach)(past->what & 3);
}

static inline bool is_same_warp(const Past *a, const Past *b) {
  return a->cta == b->cta && warp_of(a) == warp_of(b);
}

// Whether the access and one of that CTA are strong with regard to each other:
// each in the other's scope.
static inline bool is_strong_with(const Past *past, uint32_t cta, Reach reach) {
  if (!reach_of(past) || !reach) return false;
  return past->cta == cta ||
         (reach_of(past) == REACH_GPU && reach == REACH_GPU);
}

// The lanes of the access, without `lane` itself, that `lane` does not know by
// its clock.
static inline uint32_t past_unknown(const Past *past, const Warp *warp,
                                    int lane) {
  const Cta *cta = warp->cta;
  const uint32_t other = warp_of(past);
  uint32_t lanes = past->lanes;
  if (past->cta == cta->linear) {
    if (other == warp->index) lanes &= ~(UINT32_C(1) << lane);
    if (!lanes || cta->clocks[warp->index][other] >= past->clock) return 0;
  }
  const Accesses accesses = {past->cta, other, past->clock, lanes};
  lanes = order_unknown(warp, lane, &accesses);
  return lanes && past->what & PAST_INITS
             ? order_unknown_init(warp, lane, &accesses)
             : lanes;
}

#endif
