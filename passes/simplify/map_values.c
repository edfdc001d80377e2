// map_values.c -- windows that a launch can compute, and equal windows.
#include "ir/tensor_box.h"
#include "passes/simplify/tensor_maps.h"

static bool is_computable(const Value *value, const Op *window) {
  return launch_steps(value, op_function(window)->body) < TOO_MANY_STEPS;
}

int64_t map_bytes(const Type *type) {
  return elem_info[type->element->elem].bits / 8;
}

bool map_is_whole(const Op *window) {
  return is_computable(op_operand(window, 0), window);
}

static bool has_computable_sizes(const Op *window) {
  const int num_parts = 1 + 2 * op_result(window)->type->rank;
  for (int i = 1; i < num_parts; i++) {
    if (!is_computable(op_operand(window, i), window)) return false;
  }
  return true;
}

// A descriptor begins at a multiple of 16 bytes in each program.  The launch
// checks strides that are not constant.
static bool fits_term(const BaseTerm *term, int64_t bytes) {
  for (int i = 0; i < term->num_factors; i++) {
    int64_t factor;
    if (!value_constant_int(term->factors[i], &factor)) return true;
    if (factor < 0 || factor > TENSOR_NO_END) return false;
    bytes = factor * bytes % TENSOR_UNIT;
  }
  return bytes == 0;
}

// Can the launch compute the base?  Each program may have a tensor of its own,
// which does not start before the first one.
static bool has_computable_base(const AxisAnalysis *axes, const Op *window) {
  const Type *type = op_result(window)->type;
  const Block *top = op_function(window)->body;
  const bool is_descriptor = window->kind == OP_make_desc;
  BaseSum sum;
  if (is_descriptor && map_is_whole(window)) return true;
  if (!base_sum(window, &sum) ||
      base_start_steps(&sum, top) >= TOO_MANY_STEPS ||
      sum.num_outer + type->rank > TENSOR_BOX_RANK)
    return false;
  for (int i = 0; i < sum.num_outer; i++) {
    if (base_stride_steps(&sum.outer[i], top) >= TOO_MANY_STEPS ||
        (is_descriptor && !fits_term(&sum.outer[i], map_bytes(type))) ||
        !axis_info(axes, sum.outer[i].at)->nonnegative)
      return false;
  }
  return true;
}

bool map_is_computable(const AxisAnalysis *axes, const Op *window) {
  return has_computable_base(axes, window) && has_computable_sizes(window);
}

// -- Equal maps --------------------------------------------------------------

static bool same_value(const Value *x, const Value *y) {
  LaunchStep a[LAUNCH_MAX_STEPS], b[LAUNCH_MAX_STEPS];
  const int count = x == y ? 0 : launch_value_steps(x, a);
  if (!count || count != launch_value_steps(y, b)) return x == y;
  for (int i = 0; i < count; i++) {
    if (!launch_step_equal(&a[i], &b[i])) return false;
  }
  return true;
}

bool map_is_same(const Op *x, const Op *y) {
  bool same = op_result(x)->type == op_result(y)->type &&
              op_int(x, ATTR_padding) == op_int(y, ATTR_padding);
  for (int i = 0; i < x->num_operands && same; i++) {
    same = same_value(op_operand(x, i), op_operand(y, i));
  }
  return same;
}
