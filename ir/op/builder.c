// builder.c -- builders of the ops whose operand count or attributes vary.
#include "ir/builder.h"
#include "ir/number.h"

#include <assert.h>

Op *builder_insert(Builder *b, Op *op) {
  assert((!b->before || b->before->block == b->block) &&
         "the builder stands in another block"); // I7
  if (b->before) {
    op_insert_before(b->before, op);
  } else {
    op_append(b->block, op);
  }
  return op;
}

Op *build_op(Builder *b, OpKind kind, int num_operands, Value *const *operands,
             const int *group_sizes, int num_results,
             const Type *const *types) {
  return builder_insert(b, op_create(b->m, kind, b->loc, num_operands, operands,
                                     group_sizes, num_results, types));
}

Value *build_value(Builder *b, OpKind kind, int num_operands,
                   Value *const *operands, const Type *type) {
  Op *op = build_op(b, kind, num_operands, operands, NULL, type != NULL, &type);
  return type ? op_result(op) : NULL;
}

Value *build_int(Builder *b, const Type *type, int64_t value) {
  assert((type_is_int(type) || !value) && "a number of another kind"); // I8
  Value *result = build_value(b, OP_constant, 0, NULL, type);
  op_set_int(b->m, result->def, ATTR_value, int_wrap(value, type->elem));
  return result;
}

Value *build_float(Builder *b, const Type *type, double value) {
  assert(type_is_float(type) && "a number of another kind"); // I8
  Value *result = build_value(b, OP_constant, 0, NULL, type);
  op_set_number(b->m, result->def, ATTR_value, float_round(value, type->elem));
  return result;
}

static Value *build_grid(Builder *b, OpKind kind, int axis) {
  const Type *i32 = type_scalar(&b->m->types, ELEM_i32);
  Value *result = build_value(b, kind, 0, NULL, i32);
  op_set_int(b->m, result->def, ATTR_axis, axis);
  return result;
}

Value *build_program_id(Builder *b, int axis) {
  return build_grid(b, OP_program_id, axis);
}

Value *build_num_programs(Builder *b, int axis) {
  return build_grid(b, OP_num_programs, axis);
}

Value *build_cluster_rank(Builder *b) {
  return build_value(b, OP_cluster_rank, 0, NULL,
                     type_scalar(&b->m->types, ELEM_i32));
}

Value *build_has_neighbour(Builder *b) {
  return build_value(b, OP_has_neighbour, 0, NULL,
                     type_scalar(&b->m->types, ELEM_i1));
}

Value *build_block_id(Builder *b) {
  return build_value(b, OP_block_id, 0, NULL,
                     type_scalar(&b->m->types, ELEM_i32));
}

Value *build_num_blocks(Builder *b) {
  return build_value(b, OP_num_blocks, 0, NULL,
                     type_scalar(&b->m->types, ELEM_i32));
}

Value *build_both(Builder *b, Value *known, Value *more) {
  return known ? build_andi(b, more->type, known, more) : more;
}

Value *build_arange(Builder *b, int64_t start, int64_t end) {
  const Type *i32 = type_scalar(&b->m->types, ELEM_i32);
  const int64_t count = end - start;
  assert(count > 0 && "a range without elements"); // I8
  const Type *type = type_tile(&b->m->types, 1, &count, i32, NULL);
  Value *result = build_value(b, OP_arange, 0, NULL, type);
  op_set_int(b->m, result->def, ATTR_start, start);
  op_set_int(b->m, result->def, ATTR_end, end);
  return result;
}

Value *build_cmp(Builder *b, OpKind kind, Predicate predicate, Value *x,
                 Value *y) {
  assert(x->type == y->type && "the operands differ in type"); // I8
  const Type *type = type_with_elem(&b->m->types, x->type, ELEM_i1);
  Value *result = build_value(b, kind, 2, (Value *[]){x, y}, type);
  op_set_int(b->m, result->def, ATTR_predicate, predicate);
  return result;
}

Op *build_load(Builder *b, Value *ptr, Value *mask, Value *other) {
  Value *operands[3] = {ptr};
  int n = 1;
  if (mask) operands[n++] = mask;
  if (other) operands[n++] = other;
  const Type *pointee = type_element(ptr->type)->element;
  const Type *type = type_with_element(&b->m->types, ptr->type, pointee);
  const int sizes[] = {1, mask != NULL, other != NULL};
  return build_op(b, OP_load, n, operands, sizes, 1, &type);
}

Op *build_store(Builder *b, Value *ptr, Value *value, Value *mask) {
  Value *operands[] = {ptr, value, mask};
  const int sizes[] = {1, 1, mask != NULL};
  return build_op(b, OP_store, 2 + (mask != NULL), operands, sizes, 0, NULL);
}

static void set_order(Builder *b, Op *op, int rank, const int64_t *order) {
  int64_t row_major[MAX_RANK];
  for (int i = 0; i < rank; i++) row_major[i] = rank - 1 - i;
  op_set_ints(b->m, op, ATTR_order, order ? order : row_major, rank);
}

Value *build_make_block_ptr(Builder *b, const Type *type, Value *base,
                            Value *const *shape, Value *const *strides,
                            Value *const *offsets, const int64_t *order) {
  Value *operands[1 + 3 * MAX_RANK] = {base};
  const int rank = type->rank;
  for (int i = 0; i < rank; i++) {
    operands[1 + i] = shape[i];
    operands[1 + rank + i] = strides[i];
    operands[1 + 2 * rank + i] = offsets[i];
  }
  const int sizes[] = {1, rank, rank, rank};
  Op *op =
      build_op(b, OP_make_block_ptr, 1 + 3 * rank, operands, sizes, 1, &type);
  set_order(b, op, rank, order);
  return op_result(op);
}

Value *build_advance(Builder *b, Value *ptr, Value *const *offsets) {
  Value *operands[1 + MAX_RANK] = {ptr};
  const int rank = ptr->type->rank;
  for (int i = 0; i < rank; i++) operands[1 + i] = offsets[i];
  return build_value(b, OP_advance, 1 + rank, operands, ptr->type);
}

// -- Regions -----------------------------------------------------------------

static const Type **types_of(Builder *b, int count, Value *const *values) {
  const Type **types = arena_array(b->m->arena, const Type *, count + 1);
  for (int i = 0; i < count; i++) types[i] = values[i]->type;
  return types;
}

static void add_region(Builder *b, Op *op, int index, int num_args,
                       const Type *const *types) {
  op_set_region(op, index, block_create(b->block->function, num_args, types));
}

Op *build_for(Builder *b, Value *lower, Value *upper, Value *step,
              int num_carried, Value *const *init) {
  const int n = num_carried;
  Value **operands = arena_array(b->m->arena, Value *, FOR_INIT + n);
  operands[FOR_LOWER] = lower;
  operands[FOR_UPPER] = upper;
  operands[FOR_STEP] = step;
  for (int i = 0; i < n; i++) operands[FOR_INIT + i] = init[i];
  const Type **types = types_of(b, FOR_INIT + n, operands);
  Op *op =
      build_op(b, OP_for, FOR_INIT + n, operands, NULL, n, types + FOR_INIT);
  // The region takes the counter, then the carried values.
  types[FOR_INIT - 1] = lower->type;
  add_region(b, op, 0, n + 1, types + FOR_INIT - 1);
  return op;
}

Op *build_while(Builder *b, int num_init, Value *const *init, int num_results,
                const Type *const *types) {
  Op *op = build_op(b, OP_while, num_init, init, NULL, num_results, types);
  add_region(b, op, 0, num_init, types_of(b, num_init, init));
  add_region(b, op, 1, num_results, types);
  return op;
}

Op *build_if(Builder *b, Value *condition, int num_results,
             const Type *const *types) {
  Op *op = build_op(b, OP_if, 1, &condition, NULL, num_results, types);
  add_region(b, op, 0, 0, NULL);
  add_region(b, op, 1, 0, NULL);
  return op;
}

static const Type *without_axis(Builder *b, const Type *type, int axis) {
  int64_t shape[MAX_RANK];
  int rank = 0;
  for (int i = 0; i < type->rank; i++) {
    if (i != axis) shape[rank++] = type->shape[i];
  }
  if (!rank) return type->element;
  return type_tile(&b->m->types, rank, shape, type->element, NULL);
}

static Op *build_fold(Builder *b, OpKind kind, int axis, int n,
                      Value *const *inputs) {
  assert(axis >= 0 && axis < inputs[0]->type->rank && "no such axis"); // I8
  const Type **results = types_of(b, n, inputs);
  const Type **elements = arena_array(b->m->arena, const Type *, 2 * n);
  for (int i = 0; i < n; i++) {
    elements[i] = elements[n + i] = type_element(results[i]);
    if (kind == OP_reduce) results[i] = without_axis(b, results[i], axis);
  }
  Op *op = build_op(b, kind, n, inputs, NULL, n, results);
  op_set_int(b->m, op, ATTR_axis, axis);
  add_region(b, op, 0, 2 * n, elements);
  return op;
}

Op *build_reduce(Builder *b, int axis, int num_inputs, Value *const *inputs) {
  return build_fold(b, OP_reduce, axis, num_inputs, inputs);
}

Op *build_scan(Builder *b, int axis, bool reverse, int num_inputs,
               Value *const *inputs) {
  Op *op = build_fold(b, OP_scan, axis, num_inputs, inputs);
  if (reverse) op_set_int(b->m, op, ATTR_reverse, true);
  return op;
}

void build_yield(Builder *b, int num_values, Value *const *values) {
  build_op(b, OP_yield, num_values, values, NULL, 0, NULL);
}

void build_condition(Builder *b, Value *condition, int num_values,
                     Value *const *values) {
  Value **operands = arena_array(b->m->arena, Value *, num_values + 1);
  operands[0] = condition;
  for (int i = 0; i < num_values; i++) operands[i + 1] = values[i];
  build_op(b, OP_condition, num_values + 1, operands, NULL, 0, NULL);
}

void build_return(Builder *b) {
  build_op(b, OP_return, 0, NULL, NULL, 0, NULL);
}
