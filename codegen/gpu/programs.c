// programs.c -- blocks that run several programs, one after the other.
//
// The launch passes the numbers of programs along the axes, since its grid has
// as many blocks as run at once.  Whatever the grid is, its blocks share all
// programs: each has a number, counted along x first.
#include "codegen/gpu/simt.h"

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
  simt_set_scalar(s, op_result(op), LLVMGetParam(s->function, (unsigned)param));
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
