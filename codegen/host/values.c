// values.c -- the memory and the lanes of values, and LLVM constants.
#include "codegen/host/host.h"

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
  const Slot *slot = &h->slots.items[plan_slot_of(h, value)];
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
