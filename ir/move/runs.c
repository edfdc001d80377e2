// runs.c -- the shortest run that layout, addresses and mask allow.
#include "ir/runs.h"

#include "ir/exchange.h"
#include "ir/layout_access.h"

#include <assert.h>

// The op's attribute along an axis; 1 if it is absent.
static int64_t run_of(const Op *op, AttrKey key, int axis) {
  const Attr *attr = op_attr(op, key);
  return attr && axis < attr->as.ints.count ? attr->as.ints.items[axis] : 1;
}

static int log2_along(const Op *op, const Layout *layout, int axis,
                      int64_t bytes, bool masked) {
  const int64_t divisibility = run_of(op, ATTR_divisibility, axis);
  int run = layout_log2_contiguous(layout, axis);
  run = int_min(run, floor_log2(run_of(op, ATTR_contiguity, axis)));
  run = int_min(run, floor_log2(RUN_MAX_BYTES / bytes));
  run =
      int_min(run, divisibility < bytes ? 0 : floor_log2(divisibility / bytes));
  if (!masked) return run;
  return int_min(run, floor_log2(run_of(op, ATTR_constancy, axis)));
}

int op_log2_run(const Op *op, const Layout *layout, bool masked, int *axis) {
  const Type *element = op_operand(op, 0)->type->element->element;
  int best = 0;
  *axis = layout->rank - 1;
  for (int i = 0; i < layout->rank; i++) {
    const int run = log2_along(op, layout, i, element_bytes(element), masked);
    if (run <= best) continue;
    best = run;
    *axis = i;
  }
  assert(element_bytes(element) << best <= RUN_MAX_BYTES ||
         (!best && "one element may be as wide as it is")); // I6
  return best;
}
