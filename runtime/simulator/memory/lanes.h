// lanes.h -- executors that do the same operation in each lane.
//
// LANES_1..3 define one: T is the type of all registers, and the result is an
// expression of a, b and c.
#ifndef TILE_SIMULATOR_LANES_H
#define TILE_SIMULATOR_LANES_H

#include "runtime/simulator/code/pick.h"
#include "runtime/simulator/state/exec.h"
#include "runtime/simulator/state/report.h"

__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 Uint128;

#define LANES_1(name, T, D, result)                                            \
  static Step exec_##name(Warp *warp, const Inst *inst, uint32_t mask) {       \
    D *d = reg(warp, inst->op[0]);                                             \
    const T *x = reg(warp, inst->op[1]);                                       \
    for (int lane = 0; lane < LANES; lane++) {                                 \
      const T a = x[lane];                                                     \
      if (in_mask(mask, lane)) d[lane] = (D)(result);                          \
    }                                                                          \
    return STEP_NEXT;                                                          \
  }

#define LANES_2(name, T, D, result)                                            \
  static Step exec_##name(Warp *warp, const Inst *inst, uint32_t mask) {       \
    D *d = reg(warp, inst->op[0]);                                             \
    const T *x = reg(warp, inst->op[1]), *y = reg(warp, inst->op[2]);          \
    for (int lane = 0; lane < LANES; lane++) {                                 \
      const T a = x[lane], b = y[lane];                                        \
      const D r = (D)(result);                                                 \
      if (in_mask(mask, lane)) d[lane] = r;                                    \
    }                                                                          \
    return STEP_NEXT;                                                          \
  }

#define LANES_3(name, T, C, D, result)                                         \
  static Step exec_##name(Warp *warp, const Inst *inst, uint32_t mask) {       \
    D *d = reg(warp, inst->op[0]);                                             \
    const T *x = reg(warp, inst->op[1]), *y = reg(warp, inst->op[2]);          \
    const C *z = reg(warp, inst->op[3]);                                       \
    for (int lane = 0; lane < LANES; lane++) {                                 \
      const T a = x[lane], b = y[lane];                                        \
      const C c = z[lane];                                                     \
      const D r = (D)(result);                                                 \
      if (in_mask(mask, lane)) d[lane] = r;                                    \
    }                                                                          \
    return STEP_NEXT;                                                          \
  }

// Each bit of the result is the table's, at the bits of a, b and c.
static inline uint32_t lop3(uint32_t a, uint32_t b, uint32_t c, int64_t table) {
  uint32_t result = 0;
  for (int i = 0; i < 8; i++) {
    if (!(table >> i & 1)) continue;
    result |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
  }
  return result;
}

// All lanes of a register as wide numbers.
void widen_ints(const Warp *warp, uint32_t offset, TypeId type,
                int64_t out[LANES]);
void widen_floats(const Warp *warp, uint32_t offset, TypeId type, int part,
                  double out[LANES]);

#endif
