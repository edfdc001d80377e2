// gather.c -- elements selected by an index.
//
// If the threads of a warp surely hold all elements that they select, registers
// are renamed and shuffled (ir/flip.h).  Else the source goes through shared
// memory, in row-major order.  Each thread reads its own elements of the
// result; for an index out of range, the thread reads the first element along
// the axis and drops the value.
//
// For example, the axis of a source of 4x8x2 elements is the middle one, and
// the result has 4x16x2.  Element 53 of the result has the coordinates 1, 10,
// 1.  If its index is 3, it is element (1 * 8 + 3) * 2 + 1 of the source, 23.
#include "codegen/gpu/simt.h"

#include "ir/flip.h"

#include <assert.h>

typedef struct {
  Simt *s;
  const Op *op;
  SimtAccess access;
  Scratch scratch;
  int log2_inner;         // elements behind the axis
  int64_t source_length;  // of the axis
  int log2_result_length; // likewise
} Gather;

static LLVMValueRef address_of(const Gather *x, LLVMValueRef element) {
  Simt *s = x->s;
  const int64_t bytes = (int64_t)emit_memory_bytes(x->access.element);
  return scratch_address(s, &x->scratch,
                         LLVMBuildMul(s->b, element, simt_i32(s, bytes), ""));
}

static void write_source(const Gather *x) {
  Simt *s = x->s;
  const Value *source = op_operand(x->op, 0);
  const Layout *layout = source->type->layout;
  LLVMValueRef owner = simt_none_set(s, simt_free_threads(layout));
  uint32_t bits;
  LLVMValueRef thread =
      simt_linear(s, &layout->map, layout->num_bits[LAYOUT_REGISTER], &bits);
  for (int r = 0; r < layout_num_registers(layout); r++) {
    LLVMValueRef at =
        simt_xor(s, thread, bits, layout_apply(layout, (uint32_t)r));
    simt_access_store(s, &x->access, address_of(x, at), owner,
                      &simt_get(s, source)[r]);
  }
}

// The element of the source for one of the result, whose index is `index`.
static LLVMValueRef source_element(const Gather *x, LLVMValueRef element,
                                   LLVMValueRef index) {
  LLVMBuilderRef b = x->s->b;
  const int log2_outer = x->log2_inner + x->log2_result_length;
  const int64_t inner = INT64_C(1) << x->log2_inner;
  LLVMValueRef low = LLVMBuildAnd(b, element, simt_i32(x->s, inner - 1), "");
  LLVMValueRef outer =
      LLVMBuildLShr(b, element, simt_i32(x->s, log2_outer), "");
  LLVMValueRef row =
      LLVMBuildMul(b, outer, simt_i32(x->s, x->source_length), "");
  row = LLVMBuildAdd(b, row, index, "");
  LLVMValueRef start = LLVMBuildShl(b, row, simt_i32(x->s, x->log2_inner), "");
  return LLVMBuildAdd(b, start, low, "");
}

static LLVMValueRef read_one(const Gather *x, LLVMValueRef element,
                             LLVMValueRef index) {
  Simt *s = x->s;
  LLVMTypeRef type = LLVMTypeOf(index);
  // With 64 bits, an index of any type can be compared with the length.
  LLVMTypeRef i64 = int_type(s->e, 64);
  const bool is_bool = LLVMGetIntTypeWidth(type) == 1;
  LLVMValueRef wide = LLVMBuildIntCast2(s->b, index, i64, !is_bool, "");
  LLVMValueRef length = const_int(i64, x->source_length);
  LLVMValueRef inside = LLVMBuildICmp(s->b, LLVMIntULT, wide, length, "");
  LLVMValueRef safe = emit_select(s->e, inside, wide, LLVMConstNull(i64));
  safe = LLVMBuildTrunc(s->b, safe, int_type(s->e, 32), "");
  LLVMValueRef at = source_element(x, element, safe), out;
  simt_access_load(s, &x->access, address_of(x, at), NULL, NULL, &out);
  return emit_select(s->e, inside, out, LLVMConstNull(LLVMTypeOf(out)));
}

static void read_result(const Gather *x, LLVMValueRef const *wanted) {
  Simt *s = x->s;
  const Value *result = op_result(x->op);
  const Layout *layout = result->type->layout;
  const int count = layout_num_registers(layout);
  LLVMValueRef *out = simt_new(s, count);
  uint32_t bits;
  LLVMValueRef thread =
      simt_linear(s, &layout->map, layout->num_bits[LAYOUT_REGISTER], &bits);
  for (int r = 0; r < count; r++) {
    LLVMValueRef at =
        simt_xor(s, thread, bits, layout_apply(layout, (uint32_t)r));
    out[r] = read_one(x, at, wanted[r]);
  }
  simt_set(s, result, out);
}

static bool gather_in_block(Simt *s, const Op *op) {
  const Type *source = op_operand(op, 0)->type;
  const Type *result = op_result(op)->type;
  const int axis = (int)op_int(op, ATTR_axis);
  Gather x = {
      .s = s,
      .op = op,
      .access = {.element = source->element, .shared = true, .mode = ""},
      .source_length = source->shape[axis],
      .log2_result_length = floor_log2(result->shape[axis]),
  };
  for (int i = axis + 1; i < source->rank; i++) {
    x.log2_inner += floor_log2(source->shape[i]);
  }
  const Value *index = op_operand(op, 1);
  LLVMValueRef *wanted = simt_new(s, simt_count(result));
  if (!simt_convert(s, op, index->type->element, index->type->layout,
                    simt_get(s, index), result->layout, wanted)) {
    return false;
  }
  const int64_t bytes = (int64_t)emit_memory_bytes(source->element);
  if (!scratch_open(s, op, source->num_elements * bytes, &x.scratch)) {
    return false;
  }
  write_source(&x);
  scratch_publish(s);
  read_result(&x, wanted);
  return true;
}

// -- In the warp -------------------------------------------------------------

// `x`, a float of 8 bits, is shuffled in its memory form: NaNs keep their bits.
static LLVMValueRef flip_lane(Simt *s, const Type *element, LLVMValueRef x,
                              uint32_t lane) {
  const bool is_float = element->kind == TYPE_SCALAR && type_is_float(element);
  if (!is_float || type_element_bits(element) > 8) {
    return simt_shuffle_xor(s, x, (int)lane);
  }
  x = simt_shuffle_xor(s, simt_to_memory(s, element, x), (int)lane);
  return simt_from_memory(s, element, x);
}

static void move_in_warp(Simt *s, const Op *op, uint32_t reg, uint32_t lane) {
  const Value *source = op_operand(op, 0);
  const uint32_t count = (uint32_t)simt_count(source->type);
  LLVMValueRef *x = simt_get(s, source), *out = simt_new(s, (int)count);
  assert(reg < count && lane < 32 && "the partner is not in the warp"); // I5
  for (uint32_t r = 0; r < count; r++) {
    out[r] = x[r ^ reg];
    if (lane) out[r] = flip_lane(s, source->type->element, out[r], lane);
  }
  simt_set(s, op_result(op), out);
}

bool simt_emit_gather(Simt *s, const Op *op) {
  uint32_t reg, lane;
  if (!gather_in_warp(op, &reg, &lane)) return gather_in_block(s, op);
  move_in_warp(s, op, reg, lane);
  return true;
}
