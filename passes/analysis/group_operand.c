// group_operand.c -- operands that groups of warps read from shared memory.
#include "passes/analysis/group_operand.h"

#include "ir/layout_access.h"
#include "ir/wgmma.h"
#include "passes/analysis/walk.h"

int longest_axis(const Layout *layout) {
  int best = layout->rank - 1;
  for (int i = best; i--;) {
    if (layout_log2_contiguous(layout, i) >
        layout_log2_contiguous(layout, best)) {
      best = i;
    }
  }
  return best;
}

const Layout *group_operand(Module *m, const Value *value, const Target *target,
                            int fast) {
  for (const Use *use = value->uses; use; use = use->next) {
    WgmmaPlan plan;
    if (use->user->kind != OP_dot || use->index > 1) continue;
    if (!wgmma_fits(target, use->user, &plan)) continue;
    return wgmma_buffer(&m->layouts, &plan, use->user, use->index, fast);
  }
  return NULL;
}

typedef struct {
  int64_t room; // registers for sums
  bool fails;
} OperandCheck;

// The largest result of a dot in the loop that starts from zero; -1: there is
// no dot.
static int64_t largest_product(const Op *loop) {
  int64_t largest = -1;
  const Attr *ignored;
  for (const Op *op = loop->regions[0]->first; op; op = op->next) {
    if (op->kind != OP_dot && op->kind != OP_async_dot) continue;
    const int64_t size = op->results[0].type->num_elements;
    const bool fresh = value_is_constant(op_operand(op, 2), &ignored);
    if (largest < 0) largest = 0;
    if (fresh && size > largest) largest = size;
  }
  return largest;
}

static int64_t carried_sums(const Op *loop) {
  int64_t sums = 0;
  for (int i = 0; i < loop->num_results; i++) {
    const Type *type = loop->results[i].type;
    if (!type_is_tile(type) || type->rank < 2) continue;
    if (type->element->kind != TYPE_SCALAR) continue;
    if (type->elem == ELEM_f32 || type->elem == ELEM_i32)
      sums += type->num_elements;
  }
  return sums;
}

static void look_for_call(Op *op, void *ctx) {
  const Op **call = ctx;
  if (op->kind == OP_device_print || op->kind == OP_device_assert) *call = op;
}

const Op *find_debug_call(const Function *f) {
  const Op *call = NULL;
  block_walk(f->body, look_for_call, &call);
  return call;
}

static void look(Op *op, void *ctx) {
  OperandCheck *check = ctx;
  if (op->kind != OP_for) return;
  const int64_t product = largest_product(op);
  check->fails |= product >= 0 && carried_sums(op) + product > check->room;
}

bool groups_multiply(const Function *f, const Target *target) {
  if (!target_can(target, CAP_WGMMA) || find_debug_call(f)) return false;
  OperandCheck check = {.room = wgmma_room(target, f)};
  block_walk(f->body, look, &check);
  return !check.fails;
}
