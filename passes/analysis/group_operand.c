// group_operand.c -- operands that groups of warps find in shared memory.
#include "passes/analysis/group_operand.h"

#include "ir/layout_access.h"
#include "ir/wgmma.h"

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
