// state.c -- what the state of a launch, a CTA or a warp says.
#include <assert.h>

#include "runtime/simulator/code/exec.h"
#include "runtime/simulator/code/pick.h"

// Bytes of local memory of a warp that are compared to tell whether it goes
// round for ever.
enum { MOST_LOCAL = 1 << 15 };

const char *program_file(const Program *program, int number) {
  for (const PtxFile *f = program->ptx.files; f; f = f->next) {
    if (f->number == number) return f->path;
  }
  return NULL;
}

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

bool launch_sees_local(const Launch *launch) {
  return !launch->code->has_frames && launch->local_size * LANES <= MOST_LOCAL;
}

// An instruction that changes nothing here.
Step exec_nothing(Warp *warp, const Inst *inst, uint32_t mask) {
  (void)warp;
  (void)inst;
  (void)mask;
  return STEP_NEXT;
}
