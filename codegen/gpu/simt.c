// simt.c -- blocks of a kernel, op by op, and the registers of its values.
#include "codegen/gpu/simt.h"
#include "codegen/errors.h"
#include "codegen/llvm/output.h"

#include <assert.h>

// -- Values ------------------------------------------------------------------

int simt_count(const Type *type) {
  if (type->kind == TYPE_TOKEN) return 0;
  return type_is_tile(type) ? layout_num_registers(type->layout) : 1;
}

LLVMValueRef *simt_get(const Simt *s, const Value *value) {
  assert(value->id >= 0 && value->id < s->num_values &&
         (s->values[value->id] || !simt_count(value->type))); // I1
  return s->values[value->id];
}

LLVMValueRef simt_scalar(const Simt *s, const Value *value) {
  assert(simt_count(value->type) == 1 && "no scalar"); // I1
  return simt_get(s, value)[0];
}

void simt_set(Simt *s, const Value *value, LLVMValueRef *registers) {
  assert(value->id >= 0 && value->id < s->num_values &&
         (registers || !simt_count(value->type))); // I1
  s->values[value->id] = registers;
}

void simt_set_scalar(Simt *s, const Value *value, LLVMValueRef x) {
  LLVMValueRef *registers = simt_new(s, 1);
  registers[0] = x;
  simt_set(s, value, registers);
}

LLVMValueRef *simt_new(Simt *s, int count) {
  return arena_array(s->e->arena, LLVMValueRef, count);
}

LLVMTypeRef simt_type(Simt *s, const Type *type) {
  return emit_compute_type(s->e, type_element(type));
}

LLVMValueRef simt_i32(Simt *s, int64_t value) {
  return const_int(int_type(s->e, 32), value);
}

bool simt_unsupported(Simt *s, const Op *op, const char *what) {
  return diag_error(s->e->diags, op->loc, ERROR_gpu_op, op_info[op->kind].name,
                    *what ? " " : "", what);
}

bool simt_want_ptx(Simt *s, const Op *op, int version, const char *what) {
  const int asked = s->e->options.ptx_version;
  if (asked && asked < version)
    return diag_error(s->e->diags, op->loc, ERROR_op_wants_ptx, what,
                      version / 10, version % 10, asked / 10, asked % 10);
  if (version > s->e->ptx_version) s->e->ptx_version = version;
  return true;
}

// -- Ops ---------------------------------------------------------------------

enum { MAX_ELEMENTWISE = 3 };

static bool same_operands(LLVMValueRef const *a, LLVMValueRef const *b, int n) {
  for (int i = 0; i < n; i++) {
    if (a[i] != b[i]) return false;
  }
  return true;
}

int simt_differing_bits(const Op *op) {
  const Attr *constancy = op_attr(op, ATTR_constancy);
  const Layout *layout = op_result(op)->type->layout;
  if (!constancy || !layout) return -1;
  uint32_t equal = 0;
  for (int d = layout->rank - 1, first = 0; d >= 0; d--) {
    const int64_t run = constancy->as.ints.items[d], group = run & -run;
    const int64_t size = layout_size(layout, d);
    equal |= (uint32_t)(group < size ? group - 1 : size - 1) << first;
    first += layout->log2_shape[d];
  }
  int bits = 0;
  for (int i = 0; i < layout->num_bits[LAYOUT_REGISTER]; i++) {
    if (layout->map.column[i] & ~equal) bits |= 1 << i;
  }
  return bits;
}

static void get_operands(const Simt *s, const Op *op, int reg,
                         LLVMValueRef *out) {
  for (int i = 0; i < op->num_operands; i++) {
    const Value *operand = op_operand(op, i);
    out[i] = simt_get(s, operand)[type_is_tile(operand->type) ? reg : 0];
  }
}

// Registers that hold the same element as an earlier one get its result.
bool simt_emit_elementwise(Simt *s, const Op *op) {
  const int count = simt_count(op_result(op)->type), n = op->num_operands;
  const int bits = simt_differing_bits(op);
  assert(n <= MAX_ELEMENTWISE && "too many operands"); // I3
  LLVMValueRef x[2][MAX_ELEMENTWISE] = {{NULL}};
  LLVMValueRef *out = simt_new(s, count), last = NULL;
  for (int r = 0, turn = 0; r < count; r++) {
    if (r != (r & bits)) {
      out[r] = out[r & bits];
      continue;
    }
    get_operands(s, op, r, x[turn]);
    const bool same = last && same_operands(x[0], x[1], n);
    out[r] = same ? last : scalar_emit(s->e, op, x[turn]);
    if (!out[r]) return false;
    last = out[r];
    turn = !turn;
  }
  simt_set(s, op_result(op), out);
  return true;
}

// Narrowed elements are packed into words at once, not at the uses: a dot's
// operand would be live in twice as many registers.
bool simt_emit_truncf(Simt *s, const Op *op) {
  const Type *type = op_result(op)->type;
  const int each = 4 / (int)emit_memory_bytes(type_element(type));
  if (simt_rounds_pairs(s, op)) {
    simt_round_pairs(s, op);
    return true;
  }
  if (!simt_emit_elementwise(s, op)) return false;
  LLVMValueRef *out = simt_get(s, op_result(op));
  for (int r = 0; each == 2 && r + 1 < simt_count(type); r += each) {
    LLVMValueRef word = simt_pack(s, type_element(type), out + r);
    simt_unpack(s, type_element(type), word, out + r);
  }
  return true;
}

bool simt_emit_op(Simt *s, const Op *op) {
  if (s->emitters[op->kind]) return s->emitters[op->kind](s, op);
  if (simt_takes_pairs(s, op)) return simt_emit_pairs(s, op);
  if (op_has(op, TRAIT_ELEMENTWISE) || op->kind == OP_hint) {
    return simt_emit_elementwise(s, op);
  }
  return simt_unsupported(s, op, "");
}

LLVMBasicBlockRef simt_add_block(Simt *s, const char *name) {
  return LLVMAppendBasicBlockInContext(s->e->llvm.context, s->function, name);
}

LLVMBasicBlockRef simt_begin_if(Simt *s, LLVMValueRef condition) {
  if (!condition) return NULL;
  LLVMBasicBlockRef inside = simt_add_block(s, "inside");
  LLVMBasicBlockRef behind = simt_add_block(s, "behind");
  LLVMBuildCondBr(s->b, condition, inside, behind);
  LLVMPositionBuilderAtEnd(s->b, inside);
  return behind;
}

void simt_end_if(Simt *s, LLVMBasicBlockRef behind) {
  if (!behind) return;
  LLVMBuildBr(s->b, behind);
  LLVMPositionBuilderAtEnd(s->b, behind);
}

// The variable is allocated in the entry block: LLVM promotes no others to
// registers.
LLVMValueRef simt_variable(Simt *s, LLVMTypeRef type) {
  LLVMBasicBlockRef here = LLVMGetInsertBlock(s->b);
  LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(s->function);
  LLVMValueRef first = LLVMGetFirstInstruction(entry);
  if (first)
    LLVMPositionBuilderBefore(s->b, first);
  else
    LLVMPositionBuilderAtEnd(s->b, entry);
  LLVMValueRef variable = LLVMBuildAlloca(s->b, type, "");
  LLVMPositionBuilderAtEnd(s->b, here);
  return variable;
}

bool simt_emit_block(Simt *s, const Block *block) {
  for (const Op *op = block->first; op; op = op->next) {
    if (op_has(op, TRAIT_TERMINATOR)) return true;
    lines_at(s->e, op->loc);
    if (!simt_emit_op(s, op)) return false;
    for (int i = 0; i < op->num_results; i++)
      assert(!simt_count(op->results[i].type) ||
             s->values[op->results[i].id]); // I2
  }
  return true;
}

bool simt_emit_barrier(Simt *s, const Op *op) {
  // The fence behind an mbarrier's initialization orders it.
  if (op_attr(op, ATTR_cluster))
    simt_barrier_of_cluster(s,
                            !op->prev || op->prev->kind != OP_mbarrier_alloc);
  else
    simt_barrier(s);
  return true;
}
