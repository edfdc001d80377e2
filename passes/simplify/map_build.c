// map_build.c -- the descriptor for a block pointer.
#include "ir/tensor_box.h"
#include "passes/analysis/walk.h"
#include "passes/simplify/tensor_maps.h"

#include <assert.h>

void map_raise_op(Op *op, Op *before) {
  if (op->block == before->block) return;
  for (int i = 0; i < op->num_operands; i++)
    map_raise(op_operand(op, i), before);
  op_unlink(op);
  op_insert_before(before, op);
}

void map_raise(const Value *value, Op *before) {
  if (value->def) map_raise_op(value->def, before);
}

static void raise_term(const BaseTerm *term, Op *before) {
  for (int i = 0; i < term->num_factors; i++)
    map_raise(term->factors[i], before);
}

static void raise_parts(const Op *window, const BaseSum *sum, Op *before) {
  const int num_parts = 1 + 2 * op_result(window)->type->rank;
  map_raise(sum->start, before);
  for (int i = 1; i < num_parts; i++) map_raise(op_operand(window, i), before);
  for (int i = 0; i < sum->num_known; i++) {
    map_raise(sum->known[i].at, before);
    raise_term(&sum->known[i], before);
  }
  for (int i = 0; i < sum->num_outer; i++) raise_term(&sum->outer[i], before);
}

typedef struct {
  int rank;
  int64_t block[MAX_RANK];
  Value *sizes[MAX_RANK], *strides[MAX_RANK];
} MapDimensions;

static void add_dimension(MapDimensions *dims, int64_t block, Value *size,
                          Value *stride) {
  assert(dims->rank < TENSOR_BOX_RANK && "more than a map has"); // I11
  dims->block[dims->rank] = block;
  dims->sizes[dims->rank] = size;
  dims->strides[dims->rank++] = stride;
}

// Outer dimensions, over separate tensors, come first; an unchecked dimension
// has no end.
static void find_dimensions(Builder *b, const Op *window, unsigned checked,
                            const BaseSum *sum, MapDimensions *out) {
  const Type *type = op_result(window)->type;
  Value *endless =
      build_int(b, type_scalar(&b->m->types, ELEM_i64), TENSOR_NO_END);
  *out = (MapDimensions){.rank = 0};
  for (int i = 0; i < sum->num_outer; i++)
    add_dimension(out, 1, endless, base_stride(b, &sum->outer[i]));
  for (int d = 0; d < type->rank; d++) {
    const int from = map_dimension(window, d);
    const bool ends = checked >> from & 1;
    add_dimension(out, type->shape[from],
                  ends ? op_operand(window, 1 + from) : endless,
                  op_operand(window, 1 + type->rank + from));
  }
}

Op *map_descriptor(Module *m, Op *window, unsigned checked, int64_t padding) {
  Builder b =
      builder_before(m, op_ancestor_in(window, op_function(window)->body));
  BaseSum sum;
  MapDimensions dims;
  const bool is_sum = base_sum(window, &sum);
  assert(is_sum && "a map of no such base"); // I6
  (void)is_sum;
  raise_parts(window, &sum, b.before);
  find_dimensions(&b, window, checked, &sum, &dims);
  Value *operands[1 + 2 * MAX_RANK] = {base_start(&b, &sum)};
  for (int d = 0; d < dims.rank; d++) {
    operands[1 + d] = dims.sizes[d];
    operands[1 + dims.rank + d] = dims.strides[d];
  }
  const Type *type = type_descriptor(&m->types, dims.rank, dims.block,
                                     op_result(window)->type->element);
  const int sizes[] = {1, dims.rank, dims.rank};
  Op *op =
      build_op(&b, OP_make_desc, 1 + 2 * dims.rank, operands, sizes, 1, &type);
  if (padding) op_set_int(m, op, ATTR_padding, padding);
  return op;
}
