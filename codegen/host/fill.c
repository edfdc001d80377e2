// fill.c -- storing tiles to their buffers; join and cat store two tiles to
// one.
#include "codegen/host/nest.h"

static LLVMValueRef value_for(Nest *nest, const Value *from, const Value *to,
                              const Index *index) {
  if (from == to) return eval_root(nest, from, index);
  return eval_as(nest, from, index, host_keeps(nest->h, to));
}

bool host_fill(Host *h, const Op *root, const Value *from, const Value *to) {
  const Type *tile = to->type;
  if (from == to && transpose_buffer(h, from)) return true;
  const int vec = inner_dim(tile);
  const int lanes =
      vec < 0 ? 1 : host_lanes(h, tile->element, tile->shape[vec]);
  Nest nest = nest_begin(h, root);
  nest_part(&nest, tile, lanes);
  const Index index = nest_over(&nest, tile, vec, lanes);
  LLVMValueRef x = value_for(&nest, from, to, &index);
  if (!x) return false;
  nest_seek(&nest, nest.depth);
  buffer_write(&nest, to, &index, x);
  nest_end(&nest);
  return true;
}

// -- Two tiles to one

// Writes `from` into the elements to which `index` is mapped.
static bool fill_part(Host *h, const Op *op, int part, int axis,
                      int64_t shift) {
  const Value *from = op_operand(op, part), *to = op_result(op);
  const int vec = inner_dim(from->type);
  const int lanes =
      vec < 0 ? 1 : host_lanes(h, from->type->element, from->type->shape[vec]);
  Nest nest = nest_begin(h, op);
  nest_part(&nest, from->type, lanes);
  Index index = nest_over(&nest, from->type, vec, lanes);
  LLVMValueRef x = eval_as(&nest, from, &index, host_keeps(h, to));
  if (!x) return false;
  nest_seek(&nest, nest.depth);
  if (axis == from->type->rank) {
    index.at[axis] = coord_constant(h, shift);
  } else {
    index.at[axis].at =
        LLVMBuildAdd(h->b, index.at[axis].at, host_i64(h, shift), "");
  }
  buffer_write(&nest, to, &index, x);
  nest_end(&nest);
  return true;
}

bool host_emit_join(Host *h, const Op *op) {
  const int axis = op_operand(op, 0)->type->rank;
  return fill_part(h, op, 0, axis, 0) && fill_part(h, op, 1, axis, 1);
}

bool host_emit_cat(Host *h, const Op *op) {
  const int axis = (int)op_int(op, ATTR_axis);
  const int64_t shift = op_operand(op, 0)->type->shape[axis];
  return fill_part(h, op, 0, axis, 0) && fill_part(h, op, 1, axis, shift);
}
