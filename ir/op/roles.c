// roles.c -- the registers of copying warps and of a program's own on an SM.
//
// A program with one group of warps leaves room for a second program.
#include "ir/roles.h"

#include "ir/wgmma.h"

enum { UNIT = 8, LEAST = 24 }; // registers of a thread, in multiples of UNIT

bool role_share(const Target *target, int num_warps, RoleShare *out) {
  const int groups = num_warps / WGMMA_WARPS;
  const int warps = num_warps + COPYING_WARPS;
  if (!target || !target_can(target, CAP_TMA) ||
      !target_can(target, CAP_WGMMA) || !groups || warps > MAX_LAUNCH_WARPS)
    return false;
  out->programs = groups == 1 ? 2 : 1;
  const int each = target->registers_sm /
                   (out->programs * warps * target->warp_size) / UNIT * UNIT;
  out->start = each;
  out->copying = LEAST;
  out->own = each + (each - LEAST) / groups / UNIT * UNIT;
  return true;
}

Op *function_roles(const Function *f) {
  for (Op *op = f->body->first; op; op = op->next)
    if (op->kind == OP_warp_specialize) return op;
  return NULL;
}

int function_launch_warps(const Function *f) {
  return function_num_warps(f) + (function_roles(f) ? COPYING_WARPS : 0);
}
