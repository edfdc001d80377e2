// histogram.c -- histograms, counted in the buffer of the result.
//
// Elements are computed as vectors, and counted one after the other.
#include "codegen/host/nest.h"

// Adds one to the bin of an element, or nothing to the first one where it is in
// none.
static void count_one(Host *h, LLVMValueRef bins, LLVMValueRef at,
                      LLVMValueRef more) {
  LLVMTypeRef i32 = int_type(h->e, 32);
  at = LLVMBuildGEP2(h->b, i32, bins, &at, 1, "");
  LLVMValueRef count = LLVMBuildLoad2(h->b, i32, at, "");
  LLVMBuildStore(h->b, LLVMBuildAdd(h->b, count, more, ""), at);
}

// `x` may be a vector.
static void count_lanes(Host *h, const Value *result, LLVMValueRef x) {
  const int lanes = type_lanes(LLVMTypeOf(x));
  LLVMTypeRef type = LLVMTypeOf(x);
  LLVMTypeRef i32 = type_like(type, int_type(h->e, 32));
  LLVMTypeRef i64 = type_like(type, int_type(h->e, 64));
  LLVMValueRef end = const_int(type, result->type->num_elements);
  LLVMValueRef inside = LLVMBuildICmp(h->b, LLVMIntULT, x, end, "");
  LLVMValueRef more = LLVMBuildZExt(h->b, inside, i32, "");
  LLVMValueRef at = emit_select(h->e, inside, x, LLVMConstNull(type));
  at = LLVMBuildIntCast2(h->b, at, i64, false, "");
  LLVMValueRef bins = host_buffer(h, result);
  for (int i = 0; i < lanes; i++) {
    count_one(h, bins, host_lane(h, at, i), host_lane(h, more, i));
  }
  if (!lanes) count_one(h, bins, at, more);
}

static void clear(Host *h, const Value *result) {
  const size_t bytes = host_buffer_bytes(result->type->element) *
                       (size_t)result->type->num_elements;
  LLVMBuildMemSet(h->b, host_buffer(h, result), const_int(int_type(h->e, 8), 0),
                  host_i64(h, (int64_t)bytes), 64);
}

bool host_emit_histogram(Host *h, const Op *op) {
  const Value *x = op_operand(op, 0);
  const int vec = inner_dim(x->type);
  const int lanes =
      vec < 0 ? 1 : host_lanes(h, x->type->element, x->type->shape[vec]);
  clear(h, op_result(op));
  Nest nest = nest_begin(h, op);
  nest_part(&nest, x->type, lanes);
  const Index index = nest_over(&nest, x->type, vec, lanes);
  LLVMValueRef value = eval_lanes(&nest, x, &index, false);
  if (!value) return false;
  count_lanes(h, op_result(op), value);
  nest_end(&nest);
  return true;
}
