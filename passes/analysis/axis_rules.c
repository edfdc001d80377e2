// axis_rules.c -- the effect of each op on contiguity, divisibility and
// constancy.
//
// For example, `%s = muli %pid, 1024` is a multiple of 1024, as the constant
// is.  `%at = addi (splat %s), (arange 0 .. 1024)` has 1024 contiguous
// elements, and the first is a multiple of 1024.  With %x aligned to 16 bytes,
// `addptr %x, %at` keeps contiguity 1024, with divisibility 16; and `cmpi lt
// %at, %n` is equal in groups of 16, if 16 divides %n.
#include "passes/analysis/axis_rules.h"

AxisInfo axis_unknown(void) {
  AxisInfo info = {0};
  for (int d = 0; d < NUM_AXES; d++) {
    info.contiguity[d] = info.divisibility[d] = info.constancy[d] = 1;
  }
  return info;
}

static AxisInfo uniform(const Type *type, int64_t divisor) {
  AxisInfo info = axis_unknown();
  for (int d = 0; d < axis_count(type); d++) {
    info.divisibility[d] = divisor;
    info.constancy[d] = axis_size(type, d);
  }
  return info;
}

int64_t axis_start_divisor(const AxisInfo *info, int d, int64_t size) {
  const int64_t divisor = info->divisibility[d];
  return size >= info->contiguity[d] ? divisor : int64_min(divisor, size);
}

// The divisor of all values.
static int64_t divisor_of_all(const AxisInfo *info, const Type *type) {
  int64_t divisor = 1;
  for (int d = 0; d < axis_count(type); d++) {
    divisor = int64_max(divisor, divisor_along(info, d));
  }
  return divisor;
}

static const WindowFacts *meet_windows(Arena *arena, const WindowFacts *a,
                                       const WindowFacts *b) {
  if (!a || !b || a == b) return a ? b : NULL;
  WindowFacts *w = arena_new(arena, WindowFacts);
  w->base_divisibility = int64_min(a->base_divisibility, b->base_divisibility);
  for (int d = 0; d < MAX_RANK; d++) {
    w->bound_divisibility[d] =
        int64_min(a->bound_divisibility[d], b->bound_divisibility[d]);
    w->stride_divisibility[d] =
        int64_min(a->stride_divisibility[d], b->stride_divisibility[d]);
    w->offset_divisibility[d] =
        int64_min(a->offset_divisibility[d], b->offset_divisibility[d]);
    w->stride_is_one[d] = a->stride_is_one[d] && b->stride_is_one[d];
  }
  return w;
}

AxisInfo axis_meet(Arena *arena, const AxisInfo *a, const AxisInfo *b) {
  AxisInfo info = axis_unknown();
  for (int d = 0; d < NUM_AXES; d++) {
    const int64_t c = int64_min(a->contiguity[d], b->contiguity[d]);
    info.contiguity[d] = c;
    info.divisibility[d] =
        int64_min(axis_start_divisor(a, d, c), axis_start_divisor(b, d, c));
    info.constancy[d] = int64_min(a->constancy[d], b->constancy[d]);
  }
  info.nonnegative = a->nonnegative && b->nonnegative;
  info.known = a->known && b->known && a->value == b->value;
  info.value = info.known ? a->value : 0;
  info.window = meet_windows(arena, a->window, b->window);
  return info;
}

// -- Shared by the rules -----------------------------------------------------

// The result is equal in groups in which all operands are.
AxisInfo axis_common_constancy(const AxisRule *r) {
  AxisInfo info = uniform(r->type, 1);
  for (int i = 0; i < r->op->num_operands; i++) {
    if (!type_is_tile(op_operand(r->op, i)->type)) continue;
    for (int d = 0; d < axis_count(r->type); d++) {
      info.constancy[d] =
          int64_min(info.constancy[d], operand(r, i)->constancy[d]);
    }
  }
  return info;
}

// -- Creation and shape ------------------------------------------------------

static AxisInfo constant(const AxisRule *r) {
  const Attr *value = op_attr(r->op, ATTR_value);
  if (!type_is_int(r->type)) return uniform(r->type, 1);
  AxisInfo info = uniform(r->type, divisor_of(value->as.i));
  info.known = true;
  info.value = value->as.i;
  info.nonnegative = value->as.i >= 0;
  return info;
}

static AxisInfo grid(const AxisRule *r) {
  (void)r;
  AxisInfo info = axis_unknown();
  info.nonnegative = true;
  return info;
}

static AxisInfo arange(const AxisRule *r) {
  AxisInfo info = axis_unknown();
  info.contiguity[0] = r->type->shape[0];
  info.divisibility[0] = divisor_of(op_int(r->op, ATTR_start));
  info.nonnegative = op_int(r->op, ATTR_start) >= 0;
  return info;
}

// The facts that hold for all elements in any order.
static AxisInfo same_values(const AxisRule *r) {
  const AxisInfo *x = operand(r, 0);
  AxisInfo info = axis_unknown();
  const int64_t divisor = divisor_of_all(x, op_operand(r->op, 0)->type);
  for (int d = 0; d < axis_count(r->type); d++) info.divisibility[d] = divisor;
  info.nonnegative = x->nonnegative;
  info.known = x->known;
  info.value = x->value;
  if (!info.known) return info;
  for (int d = 0; d < axis_count(r->type); d++) {
    info.constancy[d] = axis_size(r->type, d);
  }
  return info;
}

static AxisInfo splat(const AxisRule *r) {
  const AxisInfo *x = operand(r, 0);
  AxisInfo info = uniform(r->type, x->divisibility[0]);
  info.nonnegative = x->nonnegative;
  info.known = x->known;
  info.value = x->value;
  return info;
}

static AxisInfo broadcast(const AxisRule *r) {
  const Type *from = op_operand(r->op, 0)->type;
  AxisInfo info = *operand(r, 0);
  for (int d = 0; d < r->type->rank; d++) {
    if (from->shape[d] != r->type->shape[d]) {
      info.constancy[d] = r->type->shape[d];
    }
  }
  return info;
}

static void copy_dim(AxisInfo *to, int i, const AxisInfo *from, int j) {
  to->contiguity[i] = from->contiguity[j];
  to->divisibility[i] = from->divisibility[j];
  to->constancy[i] = from->constancy[j];
}

static AxisInfo expand_dims(const AxisRule *r) {
  const int axis = (int)op_int(r->op, ATTR_axis);
  const AxisInfo *x = operand(r, 0);
  AxisInfo info = same_values(r);
  for (int d = 0; d < r->type->rank; d++) {
    if (d != axis) copy_dim(&info, d, x, d - (d > axis));
  }
  return info;
}

static AxisInfo trans(const AxisRule *r) {
  const Attr *order = op_attr(r->op, ATTR_order);
  AxisInfo info = *operand(r, 0);
  for (int d = 0; d < r->type->rank; d++) {
    copy_dim(&info, d, operand(r, 0), (int)order->as.ints.items[d]);
  }
  return info;
}

static bool is_uniform(const AxisInfo *info, const Type *type) {
  for (int d = 0; d < axis_count(type); d++) {
    if (info->constancy[d] != axis_size(type, d)) return false;
  }
  return true;
}

// In row-major order, the groups along the last dimension stay, as far as they
// fit.
static AxisInfo reshape(const AxisRule *r) {
  const Type *from = op_operand(r->op, 0)->type;
  const AxisInfo *x = operand(r, 0);
  AxisInfo info = same_values(r);
  if (is_uniform(x, from)) {
    for (int d = 0; d < r->type->rank; d++) {
      info.constancy[d] = r->type->shape[d];
    }
  }
  if (op_int(r->op, ATTR_reorder) || !from->rank || !r->type->rank) return info;
  const int last = r->type->rank - 1, source = from->rank - 1;
  const int64_t size = r->type->shape[last];
  const int64_t group = int64_min(x->contiguity[source], size);
  info.contiguity[last] = group;
  info.divisibility[last] = int64_max(axis_start_divisor(x, source, group),
                                      group == 1 ? info.divisibility[last] : 1);
  info.constancy[last] =
      int64_max(info.constancy[last], int64_min(x->constancy[source], size));
  return info;
}

static AxisInfo meet_of_two(const AxisRule *r) {
  AxisInfo info = axis_meet(NULL, operand(r, 0), operand(r, 1));
  info.window = NULL;
  return info;
}

static AxisInfo join(const AxisRule *r) {
  AxisInfo info = meet_of_two(r);
  const Type *type = op_operand(r->op, 0)->type;
  const int last = r->type->rank - 1;
  info.contiguity[last] = info.constancy[last] = 1;
  info.divisibility[last] = int64_min(divisor_of_all(operand(r, 0), type),
                                      divisor_of_all(operand(r, 1), type));
  if (info.known) info.constancy[last] = 2;
  return info;
}

static AxisInfo split(const AxisRule *r) {
  AxisInfo info = *operand(r, 0);
  const int last = op_operand(r->op, 0)->type->rank - 1;
  // The removed dimension may have a larger divisor of all values.
  if (!r->type->rank) info.divisibility[0] = divisor_along(&info, last);
  if (!r->type->rank) info.contiguity[0] = info.constancy[0] = 1;
  return info;
}

static AxisInfo cat(const AxisRule *r) {
  AxisInfo info = meet_of_two(r);
  const int axis = (int)op_int(r->op, ATTR_axis);
  if (info.known) info.constancy[axis] = r->type->shape[axis];
  return info;
}

// -- Conversions -------------------------------------------------------------

static AxisInfo same_info(const AxisRule *r) {
  return *operand(r, 0);
}

static AxisInfo signed_extension(const AxisRule *r) {
  AxisInfo info = *operand(r, 0);
  // true becomes -1.
  if (type_is_bool(op_operand(r->op, 0)->type)) {
    info.known = info.nonnegative = false;
  }
  return info;
}

static AxisInfo unsigned_extension(const AxisRule *r) {
  AxisInfo info = *operand(r, 0);
  // A known i1 or negative value gets another value.
  info.known = info.known && info.value >= 0;
  info.nonnegative = true;
  return info;
}

static AxisInfo other_sign(const AxisRule *r) {
  AxisInfo info = *operand(r, 0);
  info.nonnegative = info.known = false;
  return info;
}

// The difference of neighbours; for pointers, in bytes.
static int64_t step_of(const Type *type) {
  return type_is_pointer(type) ? bytes_of(type) : 1;
}

static AxisInfo pointer_cast(const AxisRule *r) {
  const Type *from = op_operand(r->op, 0)->type;
  const AxisInfo *x = operand(r, 0);
  AxisInfo info = *x;
  info.nonnegative = info.known = false;
  if (step_of(from) == step_of(r->type)) return info;
  for (int d = 0; d < axis_count(r->type); d++) {
    info.contiguity[d] = 1;
    info.divisibility[d] = axis_pointer_start(x, d, 1, step_of(from));
  }
  return info;
}

static AxisInfo bitcast(const AxisRule *r) {
  const Type *from = op_operand(r->op, 0)->type;
  if (type_is_pointer(from) && type_is_pointer(r->type)) return pointer_cast(r);
  if (type_is_int(from) && type_is_int(r->type)) return same_info(r);
  return axis_common_constancy(r);
}

// -- Promises, memory, regions -----------------------------------------------

static void promise(const AxisRule *r, AttrKey key, int64_t *dims, bool sized) {
  const Attr *attr = op_attr(r->op, key);
  for (int d = 0; attr && d < attr->as.ints.count && d < NUM_AXES; d++) {
    const int64_t divisor = divisor_of(attr->as.ints.items[d]);
    const int64_t most = sized ? axis_size(r->type, d) : LARGEST_DIVISOR;
    dims[d] = int64_max(dims[d], int64_min(divisor, most));
  }
}

static AxisInfo hint(const AxisRule *r) {
  AxisInfo info = *operand(r, 0);
  promise(r, ATTR_divisibility, info.divisibility, false);
  promise(r, ATTR_contiguity, info.contiguity, true);
  promise(r, ATTR_constancy, info.constancy, true);
  return info;
}

static AxisInfo reduce(const AxisRule *r) {
  const int axis = (int)op_int(r->op, ATTR_axis);
  AxisInfo info = axis_unknown();
  if (!r->type->rank) return info;
  for (int d = 0; d < r->type->rank; d++) {
    info.constancy[d] = r->type->shape[d];
    for (int i = 0; i < r->op->num_operands; i++) {
      info.constancy[d] = int64_min(info.constancy[d],
                                    operand(r, i)->constancy[d + (d >= axis)]);
    }
  }
  return info;
}

static AxisInfo scan(const AxisRule *r) {
  AxisInfo info = axis_common_constancy(r);
  info.constancy[op_int(r->op, ATTR_axis)] = 1;
  return info;
}

static AxisInfo anything(const AxisRule *r) {
  (void)r;
  return axis_unknown();
}

static AxisInfo count(const AxisRule *r) {
  AxisInfo info = axis_common_constancy(r);
  info.nonnegative = true;
  return info;
}

// -- Windows -----------------------------------------------------------------

static int64_t scalar_divisor(const AxisAnalysis *a, const Op *op, int group,
                              int d) {
  const Value *value = op_operand(op, op_group_start(op, group) + d);
  return axis_info(a, value)->divisibility[0];
}

static WindowFacts *new_window(const AxisAnalysis *a, const Op *op,
                               Arena *arena) {
  WindowFacts *w = arena_new(arena, WindowFacts);
  w->base_divisibility = axis_info(a, op_operand(op, 0))->divisibility[0];
  for (int d = 0; d < op_result(op)->type->rank; d++) {
    const Value *stride = op_operand(op, op_group_start(op, 2) + d);
    w->bound_divisibility[d] = scalar_divisor(a, op, 1, d);
    w->stride_divisibility[d] = scalar_divisor(a, op, 2, d);
    w->stride_is_one[d] =
        axis_info(a, stride)->known && axis_info(a, stride)->value == 1;
    w->offset_divisibility[d] =
        op->kind == OP_make_block_ptr ? scalar_divisor(a, op, 3, d) : 1;
  }
  return w;
}

const WindowFacts *axis_window(const AxisAnalysis *a, const Op *op,
                               Arena *arena) {
  if (op->kind == OP_make_block_ptr || op->kind == OP_make_desc) {
    return new_window(a, op, arena);
  }
  if (op->kind != OP_advance) return NULL;
  const WindowFacts *old = axis_info(a, op_operand(op, 0))->window;
  if (!old) return NULL;
  WindowFacts *w = arena_new(arena, WindowFacts);
  *w = *old;
  for (int d = 0; d < op_result(op)->type->rank; d++) {
    w->offset_divisibility[d] =
        int64_min(w->offset_divisibility[d], scalar_divisor(a, op, 1, d));
  }
  return w;
}

// -- The table ---------------------------------------------------------------

static AxisRuleFn *rule_for(const Op *op) {
  switch (op->kind) {
  case OP_constant: return constant;
  case OP_program_id:
  case OP_num_programs:
  case OP_cluster_rank:
  case OP_block_id:
  case OP_num_blocks: return grid;
  case OP_arange: return arange;
  case OP_splat: return splat;
  case OP_broadcast: return broadcast;
  case OP_expand_dims: return expand_dims;
  case OP_reshape: return reshape;
  case OP_trans: return trans;
  case OP_join: return join;
  case OP_split: return split;
  case OP_cat: return cat;
  case OP_addi: return axis_addi;
  case OP_subi: return axis_subi;
  case OP_muli: return axis_muli;
  case OP_divsi:
  case OP_divui: return axis_division;
  case OP_remsi:
  case OP_remui: return axis_remainder;
  case OP_shli: return axis_shift_left;
  case OP_shrsi:
  case OP_shrui: return axis_shift_right;
  case OP_andi: return axis_andi;
  case OP_ori:
  case OP_xori:
  case OP_maxsi:
  case OP_maxui:
  case OP_minsi:
  case OP_minui: return axis_either;
  case OP_clz:
  case OP_popcount: return count;
  case OP_cmpi: return axis_compare;
  case OP_select: return axis_choice;
  case OP_extsi: return signed_extension;
  case OP_convert_layout: return same_info;
  case OP_extui: return unsigned_extension;
  case OP_trunci: return other_sign;
  case OP_ptrtoint:
  case OP_inttoptr: return pointer_cast;
  case OP_bitcast: return bitcast;
  case OP_addptr: return axis_addptr;
  case OP_hint: return hint;
  case OP_load: return axis_common_constancy;
  case OP_reduce: return reduce;
  case OP_scan: return scan;
  default:
    return op_has(op, TRAIT_ELEMENTWISE) ? axis_common_constancy : anything;
  }
}

// Narrow integers are data, which may wrap: only groups that start at a
// multiple of their size surely count up.
static void assume_wrapping(AxisInfo *info, int bits) {
  for (int d = 0; d < NUM_AXES; d++) {
    const int64_t c =
        int64_min(int64_min(info->contiguity[d], info->divisibility[d]),
                  INT64_C(1) << (bits - 1));
    info->divisibility[d] = axis_start_divisor(info, d, c);
    info->contiguity[d] = c;
  }
  info->nonnegative = info->known && info->value >= 0;
}

AxisInfo axis_rule(const AxisAnalysis *a, const Op *op, int result) {
  const AxisRule rule = {a, op, op->results[result].type};
  AxisInfo info = rule_for(op)(&rule);
  if (type_is_int(rule.type) && elem_info[rule.type->elem].bits < 32) {
    assume_wrapping(&info, elem_info[rule.type->elem].bits);
  }
  return info;
}
