// state.c -- queries of the state of a launch, a CTA or a warp.
#include <assert.h>

#include "runtime/simulator/code/pick.h"
#include "runtime/simulator/state/report.h"

// Bytes of a warp's local memory that are compared to tell whether it loops for
// ever.
enum { MOST_LOCAL = 1 << 15 };

uint32_t cta_draw(Cta *cta, uint32_t limit) {
  uint32_t x = cta->random;
  if (!x) return 0;
  assert(limit && "nothing to draw from"); // I1
  x ^= x << 13;
  x ^= x >> 17;
  x ^= x << 5;
  cta->random = x;
  return x / 8 % limit;
}

void cta_position(const Launch *launch, uint64_t linear, uint32_t index[3]) {
  index[0] = (uint32_t)(linear % launch->grid[0]);
  index[1] = (uint32_t)(linear / launch->grid[0] % launch->grid[1]);
  index[2] = (uint32_t)(linear / ((uint64_t)launch->grid[0] * launch->grid[1]));
  assert(index[2] < launch->grid[2] && "a CTA outside of the grid"); // I2
}

bool warp_converged(const Warp *warp, uint32_t mask, uint32_t members) {
  return !(members & warp->live & ~mask);
}

Step warp_skipped(const Warp *warp, const Inst *inst, uint32_t mask,
                  uint32_t members) {
  const uint32_t passed = inst->behind ? warp->passed[inst->behind - 1] : 0;
  const uint32_t missing = passed & members & ~mask;
  if (!missing) return STEP_NEXT;
  return report(warp, inst, __builtin_ctz(mask), KIND_BARRIER_DIVERGENCE,
                "lanes 0x%08x wait for 0x%08x, which went on behind it", mask,
                missing);
}

Step warp_assemble(const Warp *warp, const Inst *inst, uint32_t mask) {
  const uint32_t group = warp->groups[warp->running].mask;
  if (mask != group)
    return report(warp, inst, __builtin_ctz(mask), KIND_BARRIER_DIVERGENCE,
                  "lanes 0x%08x are predicated off", group & ~mask);
  if (warp_skipped(warp, inst, mask, ALL_LANES) == STEP_FAULT)
    return STEP_FAULT;
  return warp_converged(warp, mask, ALL_LANES) ? STEP_NEXT : STEP_BLOCK;
}

bool launch_sees_local(const Launch *launch) {
  return !launch->code->has_frames && launch->local_size * LANES <= MOST_LOCAL;
}

// An instruction that has no effect here.
Step exec_nothing(Warp *warp, const Inst *inst, uint32_t mask) {
  (void)warp;
  (void)inst;
  (void)mask;
  return STEP_NEXT;
}
