// flip.c -- gathers and exchanges between elements whose indices differ by an
// XOR.
//
// Since a layout is linear, the hardware bits of index i and of i XOR a
// constant also differ by a constant: every thread finds its element at the
// same distance.
#include "ir/flip.h"

#include "ir/layout.h"

#include <assert.h>

// A tile of indices, followed backwards to the positions from which it is
// computed.
typedef struct {
  const Value *value;
  int axis;
  int64_t distance;
} FlipIndex;

static bool step_through_xor(FlipIndex *x, const Op *op) {
  int64_t distance;
  for (int i = 0; i < 2; i++) {
    if (!value_constant_int(op_operand(op, i), &distance)) continue;
    x->distance ^= distance;
    x->value = op_operand(op, !i);
    return true;
  }
  return false;
}

static bool step_through_expand(FlipIndex *x, const Op *op) {
  const int axis = (int)op_int(op, ATTR_axis);
  if (axis == x->axis) return false;
  if (axis < x->axis) x->axis--;
  x->value = op_operand(op, 0);
  return true;
}

// Steps over one op; false if its effect on indices is unknown.
static bool step_back(FlipIndex *x, const Op *op) {
  switch (op->kind) {
  case OP_xori: return step_through_xor(x, op);
  case OP_expand_dims: return step_through_expand(x, op);
  case OP_broadcast:
  case OP_convert_layout: x->value = op_operand(op, 0); return true;
  default: return false;
  }
}

static bool is_positions(const Op *op, int64_t size) {
  return op && op->kind == OP_arange && !op_int(op, ATTR_start) &&
         op_int(op, ATTR_end) == size;
}

bool gather_flips(const Op *op, int64_t *distance) {
  const Type *source = op_operand(op, 0)->type;
  if (!type_same_shape(source, op_operand(op, 1)->type)) return false;
  FlipIndex x = {op_operand(op, 1), (int)op_int(op, ATTR_axis), 0};
  const int64_t size = source->shape[x.axis];
  while (x.value->def && !is_positions(x.value->def, size)) {
    if (!step_back(&x, x.value->def)) return false;
  }
  *distance = x.distance;
  return x.value->def && x.distance >= 0 && x.distance < size;
}

// Input bits of `allowed` that lead to the element at `distance` along `axis`.
static bool flip_within(const Layout *layout, int axis, int64_t distance,
                        uint32_t allowed, uint32_t *word) {
  int64_t coords[MAX_RANK] = {0};
  coords[axis] = distance;
  return linear_solve(&layout->map, allowed, layout_element(layout, coords),
                      word);
}

static uint32_t warp_mask(const Layout *layout) {
  return layout_dim_mask(layout, LAYOUT_REGISTER) |
         layout_dim_mask(layout, LAYOUT_LANE);
}

bool gather_in_warp(const Op *op, uint32_t *reg, uint32_t *lane) {
  int64_t distance;
  if (op->kind != OP_gather || !gather_flips(op, &distance)) return false;
  const Layout *layout = op_operand(op, 0)->type->layout;
  if (!layout || layout != op_result(op)->type->layout) return false;
  uint32_t word;
  if (!flip_within(layout, (int)op_int(op, ATTR_axis), distance,
                   warp_mask(layout), &word)) {
    return false;
  }
  *reg = layout_unpack(layout, LAYOUT_REGISTER, word);
  *lane = layout_unpack(layout, LAYOUT_LANE, word);
  assert(word == (layout_pack(layout, LAYOUT_REGISTER, *reg) |
                  layout_pack(layout, LAYOUT_LANE, *lane))); // I5
  return true;
}

uint32_t minmax_flip(const Op *op) {
  const Layout *layout = op_operand(op, 0)->type->layout;
  const int axis = (int)op_int(op, ATTR_axis);
  const int64_t distance = op_int(op, ATTR_distance);
  uint32_t word = 0;
  const bool found =
      flip_within(layout, axis, distance, warp_mask(layout), &word) ||
      flip_within(layout, axis, distance, UINT32_MAX, &word);
  assert(found && layout_apply(layout, word) && "no partner"); // I5
  (void)found;
  return word;
}

uint32_t minmax_upper(const Op *op) {
  const Layout *layout = op_operand(op, 0)->type->layout;
  int64_t coords[MAX_RANK] = {0};
  coords[op_int(op, ATTR_axis)] = op_int(op, ATTR_upper);
  const uint32_t upper = layout_element(layout, coords);
  uint32_t bits = 0;
  for (int i = 0; i < layout->map.num_in; i++) {
    if (linear_parity(layout->map.column[i] & upper)) bits |= UINT32_C(1) << i;
  }
  return bits;
}
