// simt_shape.c -- operations that create and rearrange tiles.
//
// The layout of the result says which of the operand's elements each register
// wants: a layout of the operand's tile, since every rearrangement is linear in
// the bits of an element's position.  Converting to it is all there is to do;
// where the layouts belong together it renames registers.
#include "codegen/simt.h"

bool simt_emit_constant(Simt *s, const Op *op) {
  const Type *type = op_result(op)->type;
  LLVMValueRef x =
      const_attr(s->e, type_element(type), op_attr(op, ATTR_value));
  LLVMValueRef *out = simt_new(s, simt_count(type));
  for (int r = 0; r < simt_count(type); r++) out[r] = x;
  simt_set(s, op_result(op), out);
  return true;
}

// A grid has up to 2^31-1 programs along x, 2^16-1 along y and z.
static int64_t grid_limit(const Op *op) {
  return op_int(op, ATTR_axis) ? UINT16_MAX : INT32_MAX;
}

static const char *axis_name(const Op *op, const char *const names[3]) {
  return names[op_int(op, ATTR_axis)];
}

bool simt_emit_program_id(Simt *s, const Op *op) {
  static const char *const names[] = {"ctaid.x", "ctaid.y", "ctaid.z"};
  const char *name = axis_name(op, names);
  simt_set_scalar(s, op_result(op), simt_special(s, name, 0, grid_limit(op)));
  return true;
}

bool simt_emit_num_programs(Simt *s, const Op *op) {
  static const char *const names[] = {"nctaid.x", "nctaid.y", "nctaid.z"};
  const char *name = axis_name(op, names);
  simt_set_scalar(s, op_result(op),
                  simt_special(s, name, 1, grid_limit(op) + 1));
  return true;
}

bool simt_emit_assume(Simt *s, const Op *op) {
  (void)s, (void)op; // axis analysis has used it
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

// Where bit i of a position in the result comes from: bit to[i] of a position
// in the operand, or none (-1).
typedef struct {
  int num_bits;
  int to[LAYOUT_MAX_BITS];
} BitMove;

static int first_bit(const Layout *layout, int axis) {
  int bit = 0;
  for (int i = layout->rank - 1; i > axis; i--) bit += layout->log2_shape[i];
  return bit;
}

static int floor_log2(int64_t n) {
  int log2 = 0;
  while (n >> (log2 + 1)) log2++;
  return log2;
}

// The layout of an operand of type `type` that holds, in each register, what
// the result's register wants.
static const Layout *pull(Simt *s, const Layout *result, const Type *type,
                          const BitMove *move) {
  Layout key = *result;
  key.rank = type->rank;
  key.map.num_out = 0;
  for (int i = 0; i < LAYOUT_MAX_RANK; i++) key.log2_shape[i] = 0;
  for (int i = 0; i < type->rank; i++) {
    key.log2_shape[i] = floor_log2(type->shape[i]);
    key.map.num_out += key.log2_shape[i];
  }
  for (int i = 0; i < key.map.num_in; i++) {
    uint32_t column = 0;
    for (int bit = 0; bit < move->num_bits; bit++) {
      if (move->to[bit] < 0 || !(result->map.column[i] >> bit & 1)) continue;
      column |= UINT32_C(1) << move->to[bit];
    }
    key.map.column[i] = column;
  }
  return layout_get(&s->e->m->layouts, &key);
}

static bool rearrange(Simt *s, const Op *op, const BitMove *move) {
  const Value *x = op_operand(op, 0);
  const Type *type = op_result(op)->type;
  const Layout *wanted = pull(s, type->layout, x->type, move);
  LLVMValueRef *out = simt_new(s, simt_count(type));
  simt_set(s, op_result(op), out);
  return simt_convert(s, op, type->element, x->type->layout, simt_get(s, x),
                      wanted, out);
}

static BitMove same_bits(const Op *op) {
  BitMove move = {.num_bits = op_result(op)->type->layout->map.num_out};
  for (int i = 0; i < move.num_bits; i++) move.to[i] = i;
  return move;
}

// A dimension of size 1 has no bits.
bool simt_emit_expand_dims(Simt *s, const Op *op) {
  const BitMove move = same_bits(op);
  return rearrange(s, op, &move);
}

bool simt_emit_reshape(Simt *s, const Op *op) {
  const BitMove move = same_bits(op);
  return rearrange(s, op, &move);
}

bool simt_emit_broadcast(Simt *s, const Op *op) {
  const Type *from = op_operand(op, 0)->type;
  const Layout *result = op_result(op)->type->layout;
  BitMove move = {.num_bits = result->map.num_out};
  int next = 0;
  for (int axis = result->rank - 1; axis >= 0; axis--) {
    const int first = first_bit(result, axis);
    for (int i = 0; i < result->log2_shape[axis]; i++) {
      move.to[first + i] = from->shape[axis] == 1 ? -1 : next++;
    }
  }
  return rearrange(s, op, &move);
}

// Axis i of the result is axis order[i] of the operand.
bool simt_emit_trans(Simt *s, const Op *op) {
  const int64_t *order = op_attr(op, ATTR_order)->as.ints.items;
  const Layout *from = op_operand(op, 0)->type->layout;
  const Layout *result = op_result(op)->type->layout;
  BitMove move = {.num_bits = result->map.num_out};
  for (int axis = 0; axis < result->rank; axis++) {
    const int to = first_bit(result, axis);
    const int at = first_bit(from, (int)order[axis]);
    for (int i = 0; i < result->log2_shape[axis]; i++) {
      move.to[to + i] = at + i;
    }
  }
  return rearrange(s, op, &move);
}

// -- Two tiles and one -------------------------------------------------------

// In register bit 0 of the joined layout: which of the two.
bool simt_emit_join(Simt *s, const Op *op) {
  const Type *from = op_operand(op, 0)->type, *type = op_result(op)->type;
  const Layout *joined = layout_join(&s->e->m->layouts, from->layout);
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
  const Layout *joined = layout_join(&s->e->m->layouts, type->layout);
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

// The second tile lies in the upper half of the axis, in the upper registers.
bool simt_emit_cat(Simt *s, const Op *op) {
  const Type *from = op_operand(op, 0)->type, *type = op_result(op)->type;
  const int axis = (int)op_int(op, ATTR_axis);
  BlockedSpec two = {0};
  int64_t shape[MAX_RANK];
  for (int i = 0; i < type->rank; i++) {
    shape[i] = two.per_thread[i] = i == axis ? 2 : 1;
    two.lanes[i] = two.warps[i] = two.blocks[i] = 1;
    two.order[i] = i;
  }
  LayoutTable *table = &s->e->m->layouts;
  const Layout *pair = layout_blocked(table, type->rank, shape, &two);
  const Layout *joined =
      pair ? layout_product(table, from->layout, pair) : NULL;
  if (!joined || op_operand(op, 1)->type != from) {
    return simt_unsupported(s, op, "of tiles that differ");
  }
  const int half = simt_count(from);
  LLVMValueRef *both = simt_new(s, 2 * half);
  LLVMValueRef *out = simt_new(s, simt_count(type));
  for (int r = 0; r < 2 * half; r++) {
    both[r] = simt_get(s, op_operand(op, r >= half))[r % half];
  }
  simt_set(s, op_result(op), out);
  return simt_convert(s, op, type->element, joined, both, type->layout, out);
}
