// sides.c -- does the order of a region's operands matter?
//
// For example, a + b is its own mirror image, since addf commutes, and so is (a
// - b) * (b - a): its left factor is the mirror image of the right one.  a - b
// is not, so for a reduction by it the order matters.
#include "codegen/gpu/simt.h"

static bool is_mirrored(const Block *region, const Value *a, const Value *b,
                        int depth);

static bool are_mirrored(const Block *region, const Op *a, const Op *b,
                         bool crossed, int depth) {
  for (int i = 0; i < a->num_operands; i++) {
    const Value *y = op_operand(b, crossed ? 1 - i : i);
    if (!is_mirrored(region, op_operand(a, i), y, depth)) return false;
  }
  return true;
}

static bool same_computation(const Op *a, const Op *b) {
  if (a->kind != b->kind || a->num_operands != b->num_operands) return false;
  if (a->num_results != 1 || b->num_results != 1) return false;
  if (a->num_regions || a->num_attrs != b->num_attrs) return false;
  for (int i = 0; i < a->num_attrs; i++) {
    if (!attr_equal(&a->attrs[i], &b->attrs[i])) return false;
  }
  return op_result(a)->type == op_result(b)->type;
}

// Does b equal a with left and right exchanged?  False for ops deeper than
// `depth`.
static bool is_mirrored(const Block *region, const Value *a, const Value *b,
                        int depth) {
  const int n = region->num_args / 2;
  for (int i = 0; i < n; i++) {
    if (a == &region->args[i]) return b == &region->args[n + i];
    if (a == &region->args[n + i]) return b == &region->args[i];
  }
  const Op *x = a->def, *y = b->def;
  if (!x || !y || x->block != region) return a == b;
  if (!depth || !same_computation(x, y)) return false;
  if (are_mirrored(region, x, y, false, depth - 1)) return true;
  return op_has(x, TRAIT_COMMUTE) && x->num_operands == 2 &&
         are_mirrored(region, x, y, true, depth - 1);
}

bool simt_has_sides(const Op *op) {
  enum { DEPTH = 3 };
  const Block *region = op->regions[0];
  if (op->kind == OP_reduce && op_int(op, ATTR_reorder)) return false;
  for (int i = 0; i < op->num_operands; i++) {
    const Value *out = op_operand(block_end(region), i);
    if (!is_mirrored(region, out, out, DEPTH)) return true;
  }
  return false;
}
