// programs.c -- blocks that run several programs, one after the other.
//
// The launch passes the numbers of programs along the axes, since its grid has
// as many blocks as run at once.  Whatever the grid is, its blocks share all
// programs: each has a number, counted along x first.
#include "codegen/gpu/simt.h"

#include <string.h>

enum { AXES = 3 };

int simt_before_programs(const Simt *s) {
  return s->f->body->num_args + (s->made.count != 0);
}

int simt_before_maps(const Simt *s) {
  return simt_before_programs(s) + (s->is_persistent ? AXES : 0);
}

void simt_describe_programs(Simt *s, KernelInfo *out) {
  const int first = out->num_params;
  if (!s->is_persistent) return;
  KernelParam *params = arena_array(s->e->arena, KernelParam, first + AXES);
  for (int i = 0; i < first; i++) params[i] = out->params[i];
  for (int axis = 0; axis < AXES; axis++)
    params[first + axis] = (KernelParam){.rule = PARAM_PROGRAMS,
                                         .index = axis,
                                         .elem = ELEM_i32,
                                         .size = sizeof(uint32_t),
                                         .align = sizeof(uint32_t)};
  out->params = params;
  out->num_params += AXES;
}

bool simt_emit_passed_programs(Simt *s, const Op *op) {
  const int param = simt_before_programs(s) + (int)op_int(op, ATTR_axis);
  simt_set_scalar(s, op_result(op),
                  simt_anew(s, LLVMGetParam(s->function, (unsigned)param)));
  return true;
}

// A grid has up to 2^31-1 blocks along x, 2^16-1 along y and z.
static int64_t grid_limit(int axis) {
  return axis ? UINT16_MAX : INT32_MAX;
}

LLVMValueRef simt_block_along(Simt *s, int axis) {
  static const char *const names[] = {"ctaid.x", "ctaid.y", "ctaid.z"};
  return simt_special(s, names[axis], 0, grid_limit(axis));
}

LLVMValueRef simt_blocks_along(Simt *s, int axis) {
  static const char *const names[] = {"nctaid.x", "nctaid.y", "nctaid.z"};
  return simt_special(s, names[axis], 1, grid_limit(axis) + 1);
}

bool simt_emit_block_id(Simt *s, const Op *op) {
  LLVMValueRef number = simt_block_along(s, AXES - 1);
  for (int axis = AXES - 2; axis >= 0; axis--) {
    LLVMValueRef own = simt_block_along(s, axis);
    number = LLVMBuildMul(s->b, number, simt_blocks_along(s, axis), "");
    number = LLVMBuildAdd(s->b, number, own, "");
  }
  simt_set_scalar(s, op_result(op), number);
  return true;
}

bool simt_emit_num_blocks(Simt *s, const Op *op) {
  LLVMValueRef number = simt_blocks_along(s, 0);
  for (int axis = 1; axis < AXES; axis++)
    number = LLVMBuildMul(s->b, number, simt_blocks_along(s, axis), "");
  simt_set_scalar(s, op_result(op), number);
  return true;
}

// -- Values of one program ---------------------------------------------------
//
// A scalar in front of the loop over programs needs a register in all loops
// within, even if only code around these uses it.  So such scalars are emitted
// again in each trip, from arguments and special registers that compilers take
// for others in each.

LLVMValueRef simt_anew(Simt *s, LLVMValueRef x) {
  LLVMTypeRef type = LLVMTypeOf(x);
  if (!s->program_zero) return x;
  if (LLVMGetTypeKind(type) == LLVMPointerTypeKind)
    return LLVMBuildGEP2(s->b, int_type(s->e, 8), x, &s->program_zero, 1, "");
  if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind) return x;
  LLVMValueRef zero = LLVMBuildIntCast2(s->b, s->program_zero, type, false, "");
  return LLVMBuildOr(s->b, x, zero, "");
}

static void renew(Simt *s, const Value *value) {
  simt_set_scalar(s, value, simt_anew(s, simt_scalar(s, value)));
}

// Is the op a pure one of scalars?  Three special registers give the number of
// blocks, and two tell a neighbour, in place of one register.
static bool is_emitted_again(const Op *op) {
  if (!op_is_pure(op) || op->num_regions || op->num_results != 1) return false;
  if (op->kind == OP_num_blocks || op->kind == OP_has_neighbour ||
      op->kind == OP_make_desc)
    return false;
  bool scalar = !type_is_tile(op_result(op)->type);
  for (int i = 0; i < op->num_operands; i++)
    scalar &= !type_is_tile(op_operand(op, i)->type);
  return scalar;
}

// Numbers of programs have 31 bits, and so have those of a block's rounds.
bool simt_begin_program(Simt *s, LLVMValueRef round, LLVMValueRef ***kept) {
  const Block *body = s->f->body;
  *kept = arena_array(s->e->arena, LLVMValueRef *, s->num_values);
  memcpy(*kept, s->values, sizeof **kept * (size_t)s->num_values);
  s->program_zero = LLVMBuildLShr(s->b, round, simt_i32(s, 31), "");
  for (int i = 0; i < body->num_args; i++) renew(s, &body->args[i]);
  for (const Op *op = body->first; op->kind != OP_warp_specialize;
       op = op->next) {
    if (op->kind == OP_make_desc && value_has_map(op_result(op)))
      renew(s, op_result(op));
    else if (is_emitted_again(op) && !simt_emit_op(s, op))
      return false;
  }
  return true;
}

void simt_end_program(Simt *s, LLVMValueRef **kept) {
  s->program_zero = NULL;
  for (int i = 0; i < s->num_values; i++)
    if (kept[i]) s->values[i] = kept[i];
}
