// memory.c -- loads and stores through tiles of pointers.
//
// The loops run along the dimension in which the pointers are neighbours, when
// there is one, so that a vector is one access.
#include "codegen/host/nest.h"

#include <string.h>

static const Value *group(const Op *op, int which) {
  return op_group(op, which);
}

// The dimension that vectors go along, and how many lanes they have.
static int vector_dim(const Host *h, const Op *op, int *lanes) {
  const Value *ptr = op_operand(op, 0);
  const Type *tile = ptr->type;
  const Type *element = type_element(tile)->element;
  for (int d = tile->rank; d-- > 0;) {
    if (tile->shape[d] == 1) continue;
    *lanes = host_lanes(h, element, tile->shape[d]);
    if (lanes_are_neighbours(op, d, *lanes)) return d;
  }
  const int inner = inner_dim(tile);
  *lanes = inner < 0 ? 1 : host_lanes(h, element, tile->shape[inner]);
  return inner;
}

static bool eval_optional(Nest *nest, const Value *value, const Index *index,
                          bool bits, LLVMValueRef *out) {
  *out = value ? eval_as(nest, value, index, bits) : NULL;
  return !value || *out;
}

// Memory that others write meanwhile: no load of it may be merged or moved.
static void emit_compiler_fence(Host *h) {
  LLVMTypeRef type =
      LLVMFunctionType(LLVMVoidTypeInContext(h->e->llvm.context), NULL, 0, 0);
  const char *clobbers = "~{memory}";
  LLVMValueRef fence = LLVMGetInlineAsm(type, "", 0, clobbers, strlen(clobbers),
                                        1, 0, LLVMInlineAsmDialectATT, 0);
  LLVMBuildCall2(h->b, type, fence, NULL, 0, "");
}

LLVMValueRef load_at(Nest *nest, const Op *op, const Index *index) {
  Access access;
  LLVMValueRef mask, other;
  const bool bits = host_keeps(nest->h, op_result(op));
  if (!access_tile(nest, op, index, &access) ||
      !eval_optional(nest, group(op, 1), index, false, &mask) ||
      !eval_optional(nest, group(op, 2), index, bits, &other)) {
    return NULL;
  }
  access.bits = bits;
  nest_seek(nest, nest->depth);
  if (op_int(op, ATTR_volatile)) emit_compiler_fence(nest->h);
  return nest_load(nest, &access, mask, other);
}

void write_and_end(Nest *nest, const Value *value, const Index *index,
                   LLVMValueRef x) {
  Host *h = nest->h;
  const Type *tile = value->type;
  if (!transpose_wanted(h, tile, index->vec)) {
    buffer_write(nest, value, index, x);
    nest_end(nest);
    return;
  }
  const int last = tile->rank - 1;
  nest_seek(nest, 0);
  LLVMValueRef spare = host_spare(h, host_buffer_bytes(tile->element) *
                                         (size_t)tile->num_elements);
  nest_seek(nest, nest->depth);
  Index turned = *index;
  turned.at[last] = index->at[last - 1];
  turned.at[last - 1] = index->at[last];
  turned.vec = last;
  memory_write(nest, spare, transpose_type(h, tile), &turned, x);
  nest_end(nest);
  transpose_memory(h, host_buffer(h, value), spare, tile);
}

bool host_emit_load(Host *h, const Op *op) {
  const Value *result = op_result(op);
  if (host_place(h, result)->fill) return true;
  Nest nest = nest_begin(h, op);
  if (!type_is_tile(result->type)) {
    const Index none = {.vec = -1, .lanes = 1};
    LLVMValueRef x = load_at(&nest, op, &none);
    if (x) host_set_own(h, result, x);
    return x != NULL;
  }
  int lanes;
  const int vec = vector_dim(h, op, &lanes);
  nest_part(&nest, result->type, lanes);
  const Index index = nest_over(&nest, result->type, vec, lanes);
  LLVMValueRef x = load_at(&nest, op, &index);
  if (!x) return false;
  write_and_end(&nest, result, &index, x);
  return true;
}

static bool store_at(Nest *nest, const Op *op, const Index *index) {
  Access access;
  LLVMValueRef mask;
  const bool bits = host_keeps(nest->h, op_operand(op, 1));
  LLVMValueRef value = eval_as(nest, op_operand(op, 1), index, bits);
  if (!value || !access_tile(nest, op, index, &access) ||
      !eval_optional(nest, group(op, 2), index, false, &mask)) {
    return false;
  }
  access.bits = bits;
  nest_seek(nest, nest->depth);
  nest_store(nest, &access, value, mask);
  return true;
}

bool host_emit_store(Host *h, const Op *op) {
  const Type *tile = op_operand(op, 1)->type;
  Nest nest = nest_begin(h, op);
  Index index = {.vec = -1, .lanes = 1};
  if (type_is_tile(tile)) {
    int lanes;
    const int vec = vector_dim(h, op, &lanes);
    nest_part(&nest, tile, lanes);
    index = nest_over(&nest, tile, vec, lanes);
  }
  if (!store_at(&nest, op, &index)) return false;
  nest_end(&nest);
  return true;
}
