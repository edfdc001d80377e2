// shape.c -- operations that create and rearrange tiles.
//
// Every rearrangement is linear in the bits of an element's position.  So the
// layout of the result gives a layout of the operand's tile, and a conversion
// to that is all that is needed; for matching layouts it only renames
// registers.
#include "codegen/gpu/simt.h"

#include "ir/exchange.h"

bool simt_emit_constant(Simt *s, const Op *op) {
  const Type *type = op_result(op)->type;
  LLVMValueRef x =
      const_attr(s->e, type_element(type), op_attr(op, ATTR_value));
  LLVMValueRef *out = simt_new(s, simt_count(type));
  for (int r = 0; r < simt_count(type); r++) out[r] = x;
  simt_set(s, op_result(op), out);
  return true;
}

// The blocks of a cluster are adjacent along x.
static LLVMValueRef programs_of(Simt *s, const Op *op, LLVMValueRef blocks) {
  if (!s->log2_cluster || op_int(op, ATTR_axis)) return blocks;
  return LLVMBuildLShr(s->b, blocks, simt_i32(s, s->log2_cluster), "");
}

bool simt_emit_program_id(Simt *s, const Op *op) {
  LLVMValueRef block = simt_block_along(s, (int)op_int(op, ATTR_axis));
  simt_set_scalar(s, op_result(op), programs_of(s, op, block));
  return true;
}

bool simt_emit_num_programs(Simt *s, const Op *op) {
  if (s->is_persistent) return simt_emit_passed_programs(s, op);
  LLVMValueRef blocks = simt_blocks_along(s, (int)op_int(op, ATTR_axis));
  simt_set_scalar(s, op_result(op), programs_of(s, op, blocks));
  return true;
}

bool simt_emit_cluster_rank(Simt *s, const Op *op) {
  simt_set_scalar(s, op_result(op), simt_cluster_rank(s));
  return true;
}

bool simt_emit_has_neighbour(Simt *s, const Op *op) {
  LLVMValueRef all = simt_special(s, "cluster.nctarank", 1, MAX_CLUSTER + 1);
  LLVMValueRef along_x =
      simt_special(s, "cluster.nctaid.x", 1, MAX_CLUSTER + 1);
  LLVMValueRef two = simt_i32(s, 2);
  LLVMValueRef is_pair =
      LLVMBuildAnd(s->b, LLVMBuildICmp(s->b, LLVMIntEQ, all, two, ""),
                   LLVMBuildICmp(s->b, LLVMIntEQ, along_x, two, ""), "");
  simt_set_scalar(s, op_result(op), is_pair);
  return true;
}

bool simt_emit_assume(Simt *s, const Op *op) {
  (void)s, (void)op; // used by axis analysis only
  return true;
}

bool simt_emit_arange(Simt *s, const Op *op) {
  const Layout *layout = op_result(op)->type->layout;
  const int num_bits = layout->num_bits[LAYOUT_REGISTER];
  const int64_t start = op_int(op, ATTR_start);
  uint32_t bits = 0;
  LLVMValueRef thread = simt_linear(s, &layout->map, num_bits, &bits);
  LLVMValueRef *out = simt_new(s, 1 << num_bits);
  for (uint32_t r = 0; r < UINT32_C(1) << num_bits; r++) {
    LLVMValueRef at = simt_xor(s, thread, bits, layout_apply(layout, r));
    out[r] = start ? LLVMBuildAdd(s->b, at, simt_i32(s, start), "") : at;
  }
  simt_set(s, op_result(op), out);
  return true;
}

bool simt_emit_splat(Simt *s, const Op *op) {
  const int count = simt_count(op_result(op)->type);
  LLVMValueRef x = simt_scalar(s, op_operand(op, 0));
  LLVMValueRef *out = simt_new(s, count);
  for (int r = 0; r < count; r++) out[r] = x;
  simt_set(s, op_result(op), out);
  return true;
}

// -- Rearrangements ----------------------------------------------------------

static bool rearrange(Simt *s, const Op *op) {
  const Value *x = op_operand(op, 0);
  const Type *type = op_result(op)->type;
  LLVMValueRef *out = simt_new(s, simt_count(type));
  simt_set(s, op_result(op), out);
  return simt_convert(s, op, type->element, x->type->layout, simt_get(s, x),
                      exchange_pulled(op), out);
}

bool simt_emit_expand_dims(Simt *s, const Op *op) {
  return rearrange(s, op);
}

bool simt_emit_reshape(Simt *s, const Op *op) {
  return rearrange(s, op);
}

bool simt_emit_broadcast(Simt *s, const Op *op) {
  return rearrange(s, op);
}

bool simt_emit_trans(Simt *s, const Op *op) {
  return rearrange(s, op);
}

// -- Two tiles as one --------------------------------------------------------

// Register bit 0 of the joined layout selects the tile.
bool simt_emit_join(Simt *s, const Op *op) {
  const Type *type = op_result(op)->type;
  const Layout *joined = exchange_joined(op);
  if (!joined) return simt_unsupported(s, op, "of tiles as large as these");
  LLVMValueRef *both = simt_new(s, layout_num_registers(joined));
  LLVMValueRef *out = simt_new(s, simt_count(type));
  for (int r = 0; r < layout_num_registers(joined); r++) {
    both[r] = simt_get(s, op_operand(op, r & 1))[r >> 1];
  }
  simt_set(s, op_result(op), out);
  return simt_convert(s, op, type->element, joined, both, type->layout, out);
}

bool simt_emit_split(Simt *s, const Op *op) {
  const Value *x = op_operand(op, 0);
  const Type *type = op->results[0].type;
  const Layout *joined = exchange_joined(op);
  if (!joined) return simt_unsupported(s, op, "of tiles as large as these");
  LLVMValueRef *both = simt_new(s, layout_num_registers(joined));
  if (!simt_convert(s, op, type->element, x->type->layout, simt_get(s, x),
                    joined, both)) {
    return false;
  }
  for (int i = 0; i < 2; i++) {
    LLVMValueRef *out = simt_new(s, simt_count(type));
    for (int r = 0; r < simt_count(type); r++) out[r] = both[2 * r + i];
    simt_set(s, &op->results[i], out);
  }
  return true;
}

bool simt_emit_cat(Simt *s, const Op *op) {
  const Type *from = op_operand(op, 0)->type, *type = op_result(op)->type;
  const Layout *joined = exchange_joined(op);
  if (!joined) return simt_unsupported(s, op, "of tiles that differ");
  const int half = simt_count(from);
  LLVMValueRef *both = simt_new(s, 2 * half);
  LLVMValueRef *out = simt_new(s, simt_count(type));
  for (int r = 0; r < 2 * half; r++) {
    both[r] = simt_get(s, op_operand(op, r >= half))[r % half];
  }
  simt_set(s, op_result(op), out);
  return simt_convert(s, op, type->element, joined, both, type->layout, out);
}
