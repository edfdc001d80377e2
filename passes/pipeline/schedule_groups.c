// schedule_groups.c -- products of groups of warps that may run on.
//
// If a trip uses a carried sum only to add products, the sum is not needed
// before the loop's end: so its products need not complete before the next ones
// start.
#include "ir/wgmma.h"
#include "passes/analysis/analysis.h"
#include "passes/pipeline/schedule.h"

// Does the loop only add to the value in the slot: is it yielded again after
// dots that have it as their initial sum, and has it no other use?
static bool is_only_added_to(const Schedule *s, int slot) {
  const Block *body = s->loop->regions[0];
  const Use *use = value_only_use(for_arg(s->loop, slot));
  WgmmaPlan plan;
  while (use && use->user->kind == OP_dot && use->user->block == body) {
    if (use->index != 2 || !wgmma_fits(s->target, use->user, &plan))
      return false;
    use = value_only_use(op_result(use->user));
  }
  return use && use->user == block_end(body) && use->index == slot;
}

// Is the loaded tile a factor of products alone, perhaps behind `steps`
// transposes and conversions?
static bool is_factor(const Op *load, const Block *body, int steps) {
  for (const Use *use = op_result(load)->uses; use; use = use->next) {
    const Op *user = use->user;
    if (user->block != body) return false;
    if (user->kind == OP_dot && use->index < 2) continue;
    const bool passes =
        user->kind == OP_trans || user->kind == OP_convert_layout;
    if (!passes || !steps || !is_factor(user, body, steps - 1)) return false;
  }
  return true;
}

// The slot to which a dot adds; -1: none.
static int slot_of(const Op *loop, const Op *dot) {
  const Value *sum = op_operand(dot, 2);
  while (value_def(sum, OP_dot)) sum = op_operand(sum->def, 2);
  for (int i = 0; i < for_num_slots(loop); i++) {
    if (for_arg(loop, i) == sum) return i;
  }
  return -1;
}

bool schedule_may_run_on(const Schedule *s) {
  const Block *body = s->loop->regions[0];
  bool any = false;
  if (s->stages < 2 || s->once || s->apart || s->at_start) return false;
  for (const Op *op = body->first; op; op = op->next) {
    if (op->num_regions) return false;
    if (op->kind != OP_dot) continue;
    const int slot = slot_of(s->loop, op);
    if (slot < 0 || !is_only_added_to(s, slot)) return false;
    any = true;
  }
  for (size_t i = 0; i < s->loads.count; i++) {
    if (!load_fills_zeros(s->loads.items[i])) return false;
    if (!is_factor(s->loads.items[i], body, 2)) return false;
  }
  return any && groups_multiply(op_function(s->loop), s->target);
}
