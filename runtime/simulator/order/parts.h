// parts.h -- shared by the files of order.h.
#ifndef TILE_SIMULATOR_ORDER_PARTS_H
#define TILE_SIMULATOR_ORDER_PARTS_H

#include "runtime/simulator/order/order.h"

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
// The clock that a relaxed write of the lane hands on, to its cluster (0) or to
// all (1); the caller owns it.
Clock *order_published(const Warp *warp, int lane, int reach);

#endif
