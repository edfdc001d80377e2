// kernels_tile.c -- cases of shape ops, block pointers and control flow.
#include "tests/conformance/conformance.h"

// -- Shapes ------------------------------------------------------------------

static Value *line(Kernel *k, int input, int axis) {
  return kernel_read(k, input, 1, &k->c->shape[axis]);
}

static Value *with_axis(Kernel *k, Value *value, OpKind kind, const Type *type,
                        int axis) {
  Value *result = build_value(&k->b, kind, 1, &value, type);
  op_set_int(k->b.m, result->def, ATTR_axis, axis);
  return result;
}

// A row (axis 0 is new) or a column of the box, as a thin box.
static Value *thin(Kernel *k, int new_axis) {
  int64_t shape[] = {k->c->shape[0], k->c->shape[1]};
  shape[new_axis] = 1;
  return with_axis(k, line(k, 0, 1 - new_axis), OP_expand_dims,
                   kernel_tile(k, 2, shape, k->c->elem), new_axis);
}

static Value *reshaped(Kernel *k, Value *box) {
  const int64_t count = box->type->num_elements;
  const int64_t wide[] = {1, count};
  return build_reshape(&k->b,
                       k->c->variant ? kernel_tile(k, 1, &count, k->c->elem)
                                     : kernel_tile(k, 2, wide, k->c->elem),
                       box);
}

static Value *turned(Kernel *k, Value *box) {
  static const int64_t order[] = {1, 0};
  const int64_t shape[] = {k->c->shape[1], k->c->shape[0]};
  Value *result = build_trans(&k->b, kernel_tile(k, 2, shape, k->c->elem), box);
  op_set_ints(k->b.m, result->def, ATTR_order, order, 2);
  return result;
}

static Value *joined(Kernel *k, Value *x, Value *y) {
  const int64_t shape[] = {k->c->shape[0], k->c->shape[1], 2};
  return build_join(&k->b, kernel_tile(k, 3, shape, k->c->elem), x, y);
}

// The halves of two joined tiles, one after the other.
static Value *split_and_joined(Kernel *k, Value *x, Value *y) {
  Value *both = joined(k, x, y);
  const Type *types[] = {x->type, x->type};
  Op *op = build_op(&k->b, OP_split, 1, &both, NULL, 2, types);
  return joined(k, &op->results[1], &op->results[0]);
}

static Value *concatenated(Kernel *k, Value *x, Value *y) {
  int64_t shape[] = {k->c->shape[0], k->c->shape[1]};
  shape[k->c->variant] *= 2;
  Value *result = build_cat(&k->b, kernel_tile(k, 2, shape, k->c->elem), x, y);
  op_set_int(k->b.m, result->def, ATTR_axis, k->c->variant);
  return result;
}

// Indices from two below the range to beyond it.
static Value *gathered(Kernel *k, Value *box) {
  const Type *type = kernel_tile(k, 2, k->c->shape, ELEM_i32);
  Value *index = build_arange(&k->b, -2, case_elements(k->c) - 2);
  index = build_reshape(&k->b, type, index);
  const int64_t size = k->c->shape[k->c->variant] + 3;
  index = build_remsi(&k->b, type, index, build_int(&k->b, type, size));
  Value *result = build_gather(&k->b, box->type, box, index);
  op_set_int(k->b.m, result->def, ATTR_axis, k->c->variant);
  return result;
}

static Value *ordered(Kernel *k, Value *x, int64_t distance, int64_t upper,
                      bool reverse) {
  Value *result = build_minmaxsi(&k->b, x->type, x);
  op_set_int(k->b.m, result->def, ATTR_axis, k->c->variant);
  op_set_int(k->b.m, result->def, ATTR_distance, distance);
  op_set_int(k->b.m, result->def, ATTR_upper, upper);
  if (reverse) op_set_int(k->b.m, result->def, ATTR_reverse, true);
  return result;
}

// Pairs of elements from end to end, from half to half and next to each other,
// as far as the axis is long.
static Value *in_pairs(Kernel *k, Value *x) {
  const int64_t size = k->c->shape[k->c->variant];
  if (size > 1) x = ordered(k, x, size - 1, size / 2, false);
  if (size > 2) x = ordered(k, x, size / 2, size / 2 | 1, true);
  if (size > 2) x = ordered(k, x, 1, 3, false);
  return size > 4 ? ordered(k, x, 6, 0, false) : x;
}

// Three of the possible numbers have no bin.
static Value *counted(Kernel *k, Value *box) {
  const int64_t bins = 2 * case_elements(k->c);
  Value *end = build_int(&k->b, box->type, bins + 3);
  Value *x = build_remui(&k->b, box->type, box, end);
  return build_histogram(&k->b, kernel_tile(k, 1, &bins, ELEM_i32), x);
}

static Value *scalar_input(Kernel *k) {
  return op_result(build_load(&k->b, k->args[0], NULL, NULL));
}

static Value *shape_result(Kernel *k) {
  const Type *type = kernel_type(k, k->c->elem);
  switch ((int)k->c->op) {
  case OP_splat: return build_splat(&k->b, type, scalar_input(k));
  case OP_broadcast:
    return build_broadcast(&k->b, type, thin(k, k->c->variant));
  case OP_expand_dims: return thin(k, k->c->variant);
  default: break;
  }
  Value *x = kernel_read(k, 0, 2, k->c->shape);
  if (k->c->op == OP_histogram) return counted(k, x);
  Value *y = kernel_read(k, 1, 2, k->c->shape);
  switch ((int)k->c->op) {
  case OP_reshape: return reshaped(k, x);
  case OP_trans: return turned(k, x);
  case OP_join: return joined(k, x, y);
  case OP_split: return split_and_joined(k, x, y);
  case OP_cat: return concatenated(k, x, y);
  case OP_minmaxsi: return in_pairs(k, x);
  default: return gathered(k, x);
  }
}

void build_shape_case(Kernel *k) {
  kernel_write(k, shape_result(k), false);
}

// -- Blocks ------------------------------------------------------------------

static void check_both(Kernel *k, Op *op) {
  static const int64_t both[] = {0, 1};
  op_set_ints(k->b.m, op, ATTR_boundary, both, 2);
}

typedef struct {
  Value *shape[2], *strides[2], *offsets[2];
} Window;

// The tensor is a row and three columns larger than the block.
static Window window(Kernel *k) {
  const int64_t *s = k->c->shape;
  Window w;
  w.shape[0] = kernel_scalar(k, ELEM_i64, s[0] + 1);
  w.shape[1] = kernel_scalar(k, ELEM_i64, s[1] + 3);
  w.strides[0] = w.shape[1];
  w.strides[1] = kernel_scalar(k, ELEM_i64, 1);
  w.offsets[0] = kernel_scalar(k, ELEM_i32, k->c->variant);
  w.offsets[1] = kernel_scalar(k, ELEM_i32, 3 * k->c->variant);
  return w;
}

static Value *block_ptr(Kernel *k, Value *base, const Window *w) {
  const Type *type =
      type_block_pointer(&k->b.m->types, 2, k->c->shape, base->type->element);
  return build_make_block_ptr(&k->b, type, base, w->shape, w->strides,
                              w->offsets, NULL);
}

static Value *descriptor(Kernel *k, Value *base, const Window *w) {
  const Type *type =
      type_descriptor(&k->b.m->types, 2, k->c->shape, base->type->element);
  Value *operands[] = {base, w->shape[0], w->shape[1], w->strides[0],
                       w->strides[1]};
  const int sizes[] = {1, 2, 2};
  Op *op = build_op(&k->b, OP_make_desc, 5, operands, sizes, 1, &type);
  if (k->c->variant == 2) {
    op_set_int(k->b.m, op, ATTR_padding, PADDING_nan);
  }
  return op_result(op);
}

static void load_block(Kernel *k, Value *ptr) {
  Value *x = build_load_block(&k->b, kernel_type(k, k->c->elem), ptr);
  check_both(k, x->def);
  if (k->c->variant == 1) {
    op_set_int(k->b.m, x->def, ATTR_padding, PADDING_nan);
  }
  kernel_write(k, x, false);
}

static void load_desc(Kernel *k, const Window *w) {
  Value *operands[] = {descriptor(k, k->args[0], w), w->offsets[0],
                       w->offsets[1]};
  const int sizes[] = {1, 2};
  const Type *type = kernel_type(k, k->c->elem);
  Op *op = build_op(&k->b, OP_load_desc, 3, operands, sizes, 1, &type);
  kernel_write(k, op_result(op), false);
}

static void store_desc(Kernel *k, const Window *w) {
  Value *operands[] = {descriptor(k, k->args[NUM_INPUTS], w),
                       kernel_read(k, 0, 2, k->c->shape), w->offsets[0],
                       w->offsets[1]};
  const int sizes[] = {1, 1, 2};
  build_op(&k->b, OP_store_desc, 4, operands, sizes, 0, NULL);
}

static void store_block(Kernel *k, const Window *w) {
  Value *operands[] = {block_ptr(k, k->args[NUM_INPUTS], w),
                       kernel_read(k, 0, 2, k->c->shape)};
  check_both(k, build_op(&k->b, OP_store_block, 2, operands, NULL, 0, NULL));
}

void build_block_case(Kernel *k) {
  Window w = window(k);
  switch ((int)k->c->op) {
  case OP_load_block: load_block(k, block_ptr(k, k->args[0], &w)); return;
  case OP_advance: {
    Value *ptr = block_ptr(k, k->args[0], &w);
    load_block(k, build_advance(&k->b, ptr, w.offsets));
    return;
  }
  case OP_store_block: store_block(k, &w); return;
  case OP_load_desc: load_desc(k, &w); return;
  default: store_desc(k, &w); return;
  }
}

// -- Control flow ------------------------------------------------------------

// A number that only the launch knows: n is the length.
static Value *hidden(Kernel *k, int64_t value) {
  Value *n = k->args[NUM_INPUTS + 1];
  return build_addi(&k->b, n->type, n,
                    kernel_scalar(k, ELEM_i32, value - k->c->length));
}

// Applies the operation of a round to the carried value.
static Value *round_value(Kernel *k, Value *carried, Value *x, Value *counter) {
  const Type *type = x->type;
  Value *one = kernel_scalar(k, ELEM_i32, 1);
  Value *low = build_andi(&k->b, one->type, counter, one);
  Value *odd = build_cmp(&k->b, OP_cmpi, PREDICATE_ne, low,
                         kernel_scalar(k, ELEM_i32, 0));
  if (type_is_int(type)) {
    carried = build_addi(&k->b, type, carried, x);
  } else if (elem_info[type->elem].bits > 8) {
    carried = build_maxf(&k->b, type, build_negf(&k->b, type, carried), x);
  }
  return build_select(&k->b, type, odd, carried, x);
}

// variant -1 counts down.
static Value *looped(Kernel *k, Value *x, Value *y) {
  const bool down = k->c->variant < 0;
  Op *op = build_for(&k->b, hidden(k, down ? 3 : 0),
                     hidden(k, down ? 0 : k->c->variant),
                     hidden(k, down ? -1 : 1), 1, &x);
  Block *body = op->regions[0];
  Block *outer = k->b.block;
  k->b.block = body;
  Value *next = round_value(k, &body->args[1], y, &body->args[0]);
  build_yield(&k->b, 1, &next);
  k->b.block = outer;
  return op_result(op);
}

static Value *repeated(Kernel *k, Value *x, Value *y) {
  Value *init[] = {hidden(k, k->c->variant), x};
  const Type *types[] = {init[0]->type, x->type};
  Op *op = build_while(&k->b, 2, init, 2, types);
  Block *outer = k->b.block, *test = op->regions[0], *body = op->regions[1];
  k->b.block = test;
  Value *same[] = {&test->args[0], &test->args[1]};
  Value *more = build_cmp(&k->b, OP_cmpi, PREDICATE_gt, same[0],
                          kernel_scalar(k, ELEM_i32, 0));
  build_condition(&k->b, more, 2, same);
  k->b.block = body;
  Value *counter = &body->args[0];
  Value *next[] = {
      build_subi(&k->b, counter->type, counter, kernel_scalar(k, ELEM_i32, 1)),
      round_value(k, &body->args[1], y, counter)};
  build_yield(&k->b, 2, next);
  k->b.block = outer;
  return &op->results[1];
}

static Value *chosen(Kernel *k, Value *x, Value *y) {
  Value *more =
      build_cmp(&k->b, OP_cmpi, PREDICATE_gt, hidden(k, k->c->variant),
                kernel_scalar(k, ELEM_i32, 1));
  Op *op = build_if(&k->b, more, 1, &x->type);
  Block *outer = k->b.block;
  for (int i = 0; i < 2; i++) {
    k->b.block = op->regions[i];
    Value *value = i ? y : round_value(k, x, y, kernel_scalar(k, ELEM_i32, 1));
    build_yield(&k->b, 1, &value);
  }
  k->b.block = outer;
  return op_result(op);
}

void build_control_case(Kernel *k) {
  Value *x = kernel_input(k, 0), *y = kernel_input(k, 1);
  switch ((int)k->c->op) {
  case OP_for: kernel_write(k, looped(k, x, y), true); return;
  case OP_while: kernel_write(k, repeated(k, x, y), true); return;
  default: kernel_write(k, chosen(k, x, y), true); return;
  }
}
