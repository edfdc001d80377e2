// compare.c -- masks of the rows that a loop loads.
//
// If lanes are along a row, a thread's rows are at constant distances from that
// of its warp.  The loop compares these distances with the number of rows left
// behind the warp's: one register instead of one for each row.  The warp's row
// is the same in all lanes; ptxas would find that, compare by uniform
// instructions, and move each result to a predicate by two more.  So the row is
// made to look as if it differed between lanes
// (docs/decisions/0015-rows-of-a-warp.md).
#include "codegen/gpu/simt.h"

enum { MAX_OPS = 8, LEAST_ROWS = 4 };

static bool is_same_in_lanes(const Layout *layout) {
  const uint32_t *lane = layout->map.column + layout->num_bits[LAYOUT_REGISTER];
  for (int i = 0; i < layout->num_bits[LAYOUT_LANE]; i++) {
    if (lane[i]) return false;
  }
  return true;
}

static bool is_spread(const Op *op) {
  return op->kind == OP_expand_dims || op->kind == OP_broadcast ||
         op->kind == OP_convert_layout;
}

// Is the value 0, 1, 2, ..., perhaps broadcast, with the same row in all lanes
// of a warp?
static bool is_row_of_warp(const Value *value) {
  for (int i = 0; value->def && is_spread(value->def) && i < MAX_OPS; i++) {
    value = op_operand(value->def, 0);
  }
  const Op *op = value_def(value, OP_arange);
  return op && !op_int(op, ATTR_start) && is_same_in_lanes(value->type->layout);
}

static bool is_mask_of_load(const Value *value) {
  for (int i = 0; value->uses && i < MAX_OPS; i++) {
    const Op *user = value->uses->user;
    if (!is_spread(user)) return user->kind == OP_load;
    value = op_result(user);
  }
  return false;
}

static bool is_wanted(const Op *op) {
  const Op *loop = op->block->parent;
  return loop && loop->kind == OP_for &&
         simt_count(op_result(op)->type) >= LEAST_ROWS &&
         op_int(op, ATTR_predicate) == PREDICATE_lt &&
         value_is_outside(op_operand(op, 0), op->block) &&
         !value_is_outside(op_operand(op, 1), op->block) &&
         is_row_of_warp(op_operand(op, 0)) && is_mask_of_load(op_result(op));
}

// Splits x into the returned value and a constant, whose sum it is.
static LLVMValueRef split(LLVMValueRef x, LLVMValueRef *constant) {
  *constant = LLVMConstNull(LLVMTypeOf(x));
  if (!LLVMIsABinaryOperator(x) || LLVMGetInstructionOpcode(x) != LLVMOr ||
      !LLVMGetIsDisjoint(x) || !LLVMIsAConstantInt(LLVMGetOperand(x, 1))) {
    return x;
  }
  *constant = LLVMGetOperand(x, 1);
  return LLVMGetOperand(x, 0);
}

// The row of the warp; NULL if the thread's rows are not at constant distances
// from it, or are compared with different values.
static LLVMValueRef find_row(Simt *s, const Op *op, LLVMValueRef *distance) {
  LLVMValueRef *rows = simt_get(s, op_operand(op, 0));
  LLVMValueRef *ends = simt_get(s, op_operand(op, 1));
  LLVMValueRef row = split(rows[0], &distance[0]);
  for (int r = 1; r < simt_count(op_result(op)->type); r++) {
    if (split(rows[r], &distance[r]) != row || ends[r] != ends[0]) return NULL;
  }
  return row;
}

// x + 0, with 0 computed as the difference of two copies of the lane's number.
static LLVMValueRef hide(Simt *s, LLVMValueRef x) {
  const int lanes = s->e->target->warp_size;
  LLVMValueRef mask = simt_i32(s, lanes - 1);
  LLVMValueRef lane = LLVMBuildAnd(s->b, simt_thread(s), mask, "");
  LLVMValueRef same = simt_special(s, "laneid", 0, lanes);
  return LLVMBuildAdd(s->b, x, LLVMBuildSub(s->b, lane, same, ""), "");
}

// No row is negative, so an end below 0 may be replaced by 0: nothing wraps.
bool simt_emit_cmpi(Simt *s, const Op *op) {
  if (simt_skip_limit(s, op)) return true;
  if (!is_wanted(op)) return simt_emit_elementwise(s, op);
  const int count = simt_count(op_result(op)->type);
  LLVMValueRef *distance = simt_new(s, count), *out = simt_new(s, count);
  LLVMValueRef row = find_row(s, op, distance);
  if (!row) return simt_emit_elementwise(s, op);
  LLVMValueRef zero = simt_i32(s, 0);
  LLVMValueRef end[] = {simt_get(s, op_operand(op, 1))[0], zero};
  LLVMValueRef left = emit_intrinsic(s->e, "llvm.smax", 2, end);
  left = LLVMBuildSub(s->b, left, hide(s, row), "");
  for (int r = 0; r < count; r++) {
    out[r] = LLVMBuildICmp(s->b, LLVMIntSLT, distance[r], left, "");
  }
  simt_set(s, op_result(op), out);
  return true;
}
