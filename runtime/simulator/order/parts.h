// parts.h -- shared by the files of order.h.
#ifndef TILE_SIMULATOR_ORDER_PARTS_H
#define TILE_SIMULATOR_ORDER_PARTS_H

#include "runtime/simulator/order/order.h"

// Do the lanes include all that run?
static inline bool is_whole(const Warp *warp, uint32_t lanes) {
  return !(warp->live & ~lanes);
}
// The clock of all warps of the CTA with the accesses that all lanes know; the
// caller owns it.
Clock *order_common(const Warp *warp);
// All accesses that the lane knows now, its own included; the caller owns the
// clock.
Clock *order_snapshot(const Warp *warp, int lane, Clock *common);
// Adds the clock to the accesses that all lanes know, or that one lane knows.
void order_learn(Warp *warp, Clock *clock);
void order_learn_alone(Warp *warp, int lane, Clock *clock);
void order_learn_part(Warp *warp, int lane, ClockPart part, Clock *clock);
// Leaves the clocks of a strong write at the word.
void order_leave_at(Warp *warp, WordClocks *word, Clock *near, Clock *far,
                    bool is_update);
// Whether any of the lanes has memos: clocks that it has released, or read, at
// words.
bool order_recalls(const Warp *warp, uint32_t lanes);
// The clock that a relaxed write of the lane hands on, to its cluster (0) or to
// all (1); the caller owns it.
Clock *order_published(const Warp *warp, int lane, int reach);

#endif
