// scratch.c -- shared memory for the exchanges of an op.
//
// An exchange writes, synchronizes at a barrier and reads.  The address of an
// op's scratch is determined before (passes/shared/alloc_shared.c), and so is a
// barrier in front of the op against other users of those bytes
// (passes/shared/insert_barriers.c).  Only between two exchanges of one op a
// barrier is added here.
#include "codegen/gpu/simt.h"

#include "codegen/errors.h"
#include "ir/exchange.h"

#include <assert.h>

bool simt_need_shared(Simt *s, const Op *op, int64_t bytes) {
  const Target *target = s->e->target;
  if (bytes > target->max_shared_block) {
    return diag_error(s->e->diags, op->loc, ERROR_op_shared_too_big,
                      op_info[op->kind].name, (long long)bytes, target->name,
                      target->max_shared_block);
  }
  if (bytes > s->shared_bytes) s->shared_bytes = (int)bytes;
  return true;
}

bool scratch_open(Simt *s, const Op *op, int64_t bytes, Scratch *out) {
  const Attr *offset = op_attr(op, ATTR_offset);
  if (!offset) {
    return diag_error(s->e->diags, op->loc, ERROR_no_scratch,
                      op_info[op->kind].name);
  }
  if (bytes > op_scratch_bytes(op)) {
    return diag_bug(s->e->diags, op->loc, "'%s' needs more scratch than it has",
                    op_info[op->kind].name);
  }
  if (s->scratch_op == op) simt_barrier(s);
  s->scratch_op = op;
  *out = (Scratch){(int)offset->as.i};
  return simt_need_shared(s, op, offset->as.i + bytes);
}

void scratch_publish(Simt *s) {
  assert(s->scratch_op && s->shared_bytes > 0 && "nothing was opened"); // I6
  simt_barrier(s);
}

LLVMValueRef scratch_address(Simt *s, const Scratch *scratch,
                             LLVMValueRef offset) {
  LLVMValueRef start = simt_i32(s, scratch->start);
  return simt_shared_at(s, simt_shared_at(s, s->shared, start), offset);
}
