// cut_rules.c -- the cuts of an op's operands that follow from those of its
// results.
#include "passes/cluster/cuts.h"

bool cut_fits(const Type *type, int cut, int parts) {
  return cut == WHOLE || (cut < type->rank && type->shape[cut] % parts == 0);
}

// In row-major order, the first of n parts of a dimension are the first part of
// the dimension that starts at the same element, in any shape.
static bool cut_of_reshape(const Type *from, const Type *to, int cut, int parts,
                           int *out) {
  int64_t before = 1, passed = 1; // products of the sizes so far
  for (int i = 0; i < cut; i++) before *= to->shape[i];
  for (int i = 0; i < from->rank; passed *= from->shape[i++]) {
    if (passed != before || from->shape[i] == 1) continue;
    *out = i;
    return from->shape[i] % parts == 0;
  }
  return false;
}

static bool cut_of_dot(const Op *op, int index, int cut, int *out) {
  const int rank = op_result(op)->type->rank;
  static const int apart[] = {1, 2}; // for both operands: the dimension, from
                                     // the end, that is not cut
  *out = index < 2 && cut == rank - apart[index] ? WHOLE : cut;
  return true;
}

static int axis_of(const Op *op) {
  return (int)op_int(op, ATTR_axis);
}

// The tile may omit leading dimensions of a descriptor's block.
static int cut_of_desc(const Op *op, const Type *tile, int cut) {
  return cut + op_operand(op, 0)->type->rank - tile->rank;
}

// Scalars are not cut.
static int cut_alike(const Type *operand, int cut) {
  return operand->rank ? cut : WHOLE;
}

bool cut_of_operand(const Op *op, int index, int cut, int parts, int *out) {
  const Type *operand = op_operand(op, index)->type;
  *out = cut;
  if (cut == WHOLE) return true;
  switch (op->kind) {
  case OP_broadcast:
    if (operand->shape[cut] == 1) *out = WHOLE;
    return true;
  case OP_expand_dims:
    *out = cut - (cut > axis_of(op));
    return cut != axis_of(op);
  case OP_reshape:
    return cut_of_reshape(operand, op_result(op)->type, cut, parts, out);
  case OP_trans:
    *out = (int)op_attr(op, ATTR_order)->as.ints.items[cut];
    return true;
  case OP_join: return cut < operand->rank;
  case OP_split: return true;
  case OP_cat:
  case OP_minmaxsi:
  case OP_scan: return cut != axis_of(op);
  case OP_gather:
    if (!index && cut == axis_of(op)) *out = WHOLE;
    return true;
  case OP_dot: return cut_of_dot(op, index, cut, out);
  case OP_reduce: *out = cut + (cut >= axis_of(op)); return true;
  case OP_load_desc:
    *out = index ? WHOLE : cut_of_desc(op, op_result(op)->type, cut);
    return true;
  case OP_store_desc:
    if (index != 1)
      *out = index ? WHOLE : cut_of_desc(op, op_operand(op, 1)->type, cut);
    return true;
  case OP_load:
  case OP_store:
  case OP_load_block:
  case OP_store_block:
  case OP_atomic_rmw:
  case OP_atomic_cas:
  case OP_make_block_ptr:
  case OP_advance:
  case OP_make_desc:
  case OP_inline_asm:
  case OP_hint:
  case OP_splat: *out = cut_alike(operand, cut); return true;
  default: *out = cut_alike(operand, cut); return op_has(op, TRAIT_ELEMENTWISE);
  }
}
