// values.c -- the memory and the lanes of values, constants of LLVM, and tiles
// into their buffers.
#include "codegen/host/nest.h"

#include <assert.h>

LLVMValueRef host_i64(Host *h, int64_t value) {
  return const_int(int_type(h->e, 64), value);
}

LLVMBasicBlockRef host_block(Host *h, const char *name) {
  return LLVMAppendBasicBlockInContext(h->e->llvm.context, h->function, name);
}

size_t host_buffer_bytes(const Type *element) {
  if (element->kind == TYPE_SCALAR && elem_is_narrow(element->elem)) return 4;
  return emit_memory_bytes(element);
}

LLVMValueRef host_buffer(Host *h, const Value *value) {
  const BufferSlot *slot = &h->slots.items[plan_slot_of(h, value)];
  assert(!host_place(h, value)->packed && "it has no buffer");
  assert(slot->bytes && slot->offset + slot->bytes <= h->scratch_bytes); // I1
  LLVMValueRef offset = host_i64(h, (int64_t)slot->offset);
  return LLVMBuildGEP2(h->b, int_type(h->e, 8), h->scratch, &offset, 1, "");
}

static Spare take(Host *h, size_t bytes) {
  assert(h->scratch_bytes % 64 == 0 && "scratch is not aligned"); // I1
  const Spare out = {h->scratch_bytes, (bytes + 63) / 64 * 64};
  h->scratch_bytes += out.bytes;
  return out;
}

LLVMValueRef host_spare_address(Host *h, Spare spare) {
  LLVMValueRef offset = host_i64(h, (int64_t)spare.offset);
  return LLVMBuildGEP2(h->b, int_type(h->e, 8), h->scratch, &offset, 1, "");
}

LLVMValueRef host_spare(Host *h, size_t bytes) {
  return host_spare_address(h, take(h, bytes));
}

Spare host_borrow(Host *h, size_t bytes) {
  for (size_t i = 0; i < h->unused.count; i++) {
    const Spare spare = h->unused.items[i];
    if (spare.bytes < bytes) continue;
    h->unused.items[i] = h->unused.items[--h->unused.count];
    return spare;
  }
  return take(h, bytes);
}

void host_give_back(Host *h, Spare spare) {
  vec_push(h->e->arena, &h->unused, spare);
}

LLVMValueRef host_scalar(Host *h, const Value *value) {
  LLVMValueRef llvm = host_place(h, value)->llvm;
  assert(llvm && "a scalar is used before its definition");
  return llvm;
}

int host_lanes(const Host *h, const Type *element, int64_t size) {
  const bool wide = type_element_bits(element) == 64;
  const int lanes = h->e->llvm.vector_bytes / (wide ? 8 : 4);
  return size < lanes ? (int)size : lanes;
}

LLVMValueRef host_lane(Host *h, LLVMValueRef vector, int number) {
  LLVMValueRef at = const_int(int_type(h->e, 32), number);
  return LLVMBuildExtractElement(h->b, vector, at, "");
}

// -- Tiles into their buffers ------------------------------------------------

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

// -- From two tiles ----------------------------------------------------------

// Writes `from` into the elements `index` maps to.
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
