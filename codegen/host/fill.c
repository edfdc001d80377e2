// fill.c -- tiles into their buffers.
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
