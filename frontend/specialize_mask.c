// specialize_mask.c -- what a path does in map_elementwise().
//
// All elements of a tile compute both branches of an `if`.  Where such a branch
// reads memory or asserts something, it does so for the elements that take it:
// each `if` around adds its condition.
#include "frontend/specialize.h"

static Value *both_masks(Builder *b, Value *x, Value *y) {
  if (!type_is_tile(y->type)) y = build_splat(b, x->type, y);
  return build_andi(b, x->type, x, y);
}

// In both ops, the second group is a mask.
static void add_mask(Walk *w, Op *op, Value *mask) {
  enum { MASK = 1 };
  Builder at = builder_before(w->m, op);
  Value *own = op_group(op, MASK);
  if (own)
    op_set_operand(op, op_group_start(op, MASK), both_masks(&at, mask, own));
  else
    op_add_operand(w->m, op, MASK, mask);
}

// A condition that is one value may hold for some elements and be of no concern
// to others.
static void guard_assert(Walk *w, Op *op, Value *mask) {
  Builder at = builder_before(w->m, op);
  Value *x = op_operand(op, 0);
  if (!type_is_tile(x->type))
    op_set_operand(op, 0, build_splat(&at, mask->type, x));
  add_mask(w, op, mask);
}

void guard_block(Walk *w, Block *block, Value *mask) {
  for (Op *op = block->first; op; op = op->next) {
    if (op->kind == OP_load) add_mask(w, op, mask);
    if (op->kind == OP_device_assert) guard_assert(w, op, mask);
    for (int i = 0; i < op->num_regions; i++)
      guard_block(w, op->regions[i], mask);
  }
}
