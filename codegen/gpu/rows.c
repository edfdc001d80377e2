// rows.c -- bulk copies of rows, each to an address of its own.
//
// A lane copies a row.  ptxas makes a loop over the lanes of a warp that copy,
// since the instruction takes its operands from uniform registers.
#include "codegen/gpu/simt.h"

static void copy_row(Simt *s, LLVMValueRef to, LLVMValueRef from,
                     LLVMValueRef mask, int bytes) {
  LLVMBasicBlockRef behind = simt_begin_if(s, mask);
  const char *text = arena_printf(
      s->e->arena,
      "cp.async.bulk.global.shared::cta.bulk_group [$0], [$1], %d;", bytes);
  nvptx_asm(s, text, "l,r", LLVMVoidTypeInContext(s->e->llvm.context), 2,
            (LLVMValueRef[]){to, from}, true);
  simt_end_if(s, behind);
}

static bool is_by_rows(const Type *buffer) {
  const LinearMap rows = linear_identity(floor_log2(buffer->num_elements));
  return linear_equal(&buffer->layout->map, &rows);
}

bool simt_emit_copy_rows(Simt *s, const Op *op) {
  const Value *ptr = op_operand(op, 0), *mask = op_group(op, 2);
  const Type *buffer = op_operand(op, 1)->type;
  const Layout *rows = ptr->type->layout;
  if (!is_by_rows(buffer)) return simt_unsupported(s, op, "of such a buffer");
  const int bytes =
      (int)(buffer->shape[1] * (int64_t)emit_memory_bytes(buffer->element));
  const int num_bits = rows->num_bits[LAYOUT_REGISTER];
  const SharedPlace place = simt_place(s, simt_scalar(s, op_operand(op, 1)),
                                       rows->map, num_bits, floor_log2(bytes));
  const int *first = simt_first_copies(s, rows);
  LLVMValueRef mine = simt_none_set(s, simt_free_threads(rows));
  LLVMValueRef const *to = simt_get(s, ptr);
  LLVMValueRef const *on = mask ? simt_get(s, mask) : NULL;
  for (int r = 0; r < layout_num_registers(rows); r++) {
    if (first && first[r] != r) continue;
    const uint32_t row = linear_apply(&rows->map, (uint32_t)r);
    copy_row(s, to[r], simt_place_address(s, &place, row * (uint32_t)bytes),
             simt_both(s, on ? on[r] : NULL, mine), bytes);
  }
  nvptx_asm(s, "cp.async.bulk.commit_group;", "",
            LLVMVoidTypeInContext(s->e->llvm.context), 0, NULL, true);
  return true;
}

bool simt_wait_for_rows(Simt *s, const char *what) {
  const char *text =
      arena_printf(s->e->arena, "cp.async.bulk.wait_group%s 0;", what);
  nvptx_asm(s, text, "", LLVMVoidTypeInContext(s->e->llvm.context), 0, NULL,
            true);
  return true;
}
