// past.h -- accesses that were.
#ifndef TILE_SIMULATOR_PAST_H
#define TILE_SIMULATOR_PAST_H

#include "runtime/simulator/order.h"

// Of lanes of a warp at one time; all zero: none.
typedef struct Past {
  uint32_t cta;
  uint32_t clock; // the warp's time; of copies: how many there are
  uint32_t what;  // the last instruction's index and one, the warp, the Reach
  uint32_t lanes;
} Past;

_Static_assert(MAX_INSTS < 1 << 20, "an instruction's index fits");

static inline uint32_t pack_what(uint32_t inst, uint32_t warp, Reach reach) {
  return (inst + 1) << 7 | warp << 2 | (uint32_t)reach;
}

static inline uint32_t inst_of(const Past *past) {
  return (past->what >> 7) - 1;
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

#endif
