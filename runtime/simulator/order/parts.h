// parts.h -- shared by the files of order.h.
#ifndef TILE_SIMULATOR_ORDER_PARTS_H
#define TILE_SIMULATOR_ORDER_PARTS_H

#include "runtime/simulator/order/order.h"

// A clock with what all lanes know of all warps; the caller's.
Clock *order_common(const Warp *warp);
// All that the lane knows, itself included, as of now; the caller's.
Clock *order_snapshot(const Warp *warp, int lane, Clock *common);
// All lanes, or that one, know it from now on.
void order_learn(Warp *warp, Clock *clock);
void order_learn_alone(Warp *warp, int lane, Clock *clock);
void order_learn_part(Warp *warp, int lane, ClockPart part, Clock *clock);
// The clock that a relaxed write of the lane hands on, to its cluster (0) or to
// all (1); the caller owns it.
Clock *order_published(const Warp *warp, int lane, int reach);

#endif
