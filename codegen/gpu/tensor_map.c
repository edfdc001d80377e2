// tensor_map.c -- tensor maps: parameters that the launch makes.
//
// These parameters come after the kernel's arguments, in the order of their
// numbers.  A map without uses is omitted.
#include "codegen/gpu/simt.h"

#include "ir/tensor_box.h"

#include <assert.h>

// The pass tensor_maps has put all descriptors with maps at the top.
void simt_find_maps(Simt *s) {
  for (Op *op = s->f->body->first; op; op = op->next) {
    if (!op->num_results || !value_has_map(op_result(op)) || op_makes_map(op))
      continue;
    if (!op_result(op)->uses) continue;
    vec_push(s->e->arena, &s->maps, op);
    for (size_t i = s->maps.count - 1; i > 0; i--) {
      Op **pair = &s->maps.items[i - 1];
      if (op_int(pair[0], ATTR_map) <= op_int(pair[1], ATTR_map)) break;
      Op *other = pair[0];
      pair[0] = pair[1], pair[1] = other;
    }
  }
}

typedef Vec(LaunchStep) StepList;

static bool add_value(Simt *s, StepList *list, const Op *op, int operand,
                      LaunchValue *out) {
  LaunchStep steps[LAUNCH_MAX_STEPS];
  const int count = launch_value_steps(op_operand(op, operand), steps);
  *out = (LaunchValue){(int)list->count, count};
  for (int i = 0; i < count; i++) vec_push(s->e->arena, list, steps[i]);
  return count || diag_bug(s->e->diags, op->loc,
                           "the launch cannot compute operand %d of '%s'",
                           operand, op_info[op->kind].name);
}

static LaunchValue add_constant(Simt *s, StepList *list, int64_t value) {
  const LaunchStep step = {.kind = STEP_CONSTANT, .value = value};
  vec_push(s->e->arena, list, step);
  return (LaunchValue){(int)list->count - 1, 1};
}

// Adjacent lines become the first dimension, and `size` elements the last.
static void add_lines(Simt *s, StepList *list, int lines, int64_t size,
                      TensorMapInfo *out) {
  const int line = (int)out->box[out->rank - 1];
  out->shape[out->rank - 1] = add_constant(s, list, line);
  for (int i = out->rank++; i > 0; i--) {
    out->box[i] = out->box[i - 1];
    out->shape[i] = out->shape[i - 1];
    out->strides[i] = out->strides[i - 1];
  }
  out->box[0] = (uint32_t)lines;
  out->shape[0] = add_constant(s, list, size / line);
  out->strides[0] = add_constant(s, list, line);
}

static bool describe(Simt *s, const Op *op, StepList *list,
                     TensorMapInfo *out) {
  const Type *type = op_result(op)->type;
  TensorBox box;
  if (!tensor_box(op, &box))
    return diag_bug(s->e->diags, op->loc, "copies by one map want two boxes");
  assert(box.rank == type->rank && box.rank <= TENSOR_MAX_RANK); // I13
  *out = (TensorMapInfo){.elem = type->element->elem,
                         .rank = box.rank,
                         .swizzle = box.swizzle,
                         .fills_nan = op_int(op, ATTR_padding) == PADDING_nan,
                         .apart = (uint64_t)op_int(op, ATTR_apart)};
  bool ok = add_value(s, list, op, 0, &out->base);
  for (int i = 0; i < box.rank && ok; i++) {
    out->box[i] = box.box[i];
    ok = add_value(s, list, op, op_group_start(op, 1) + i, &out->shape[i]) &&
         add_value(s, list, op, op_group_start(op, 2) + i, &out->strides[i]);
  }
  int64_t size = 0;
  if (ok && box.lines > 1 &&
      value_constant_int(op_operand(op, box.rank), &size))
    add_lines(s, list, box.lines, size, out);
  return ok;
}

bool simt_describe_maps(Simt *s, KernelInfo *out) {
  const int num_maps = (int)s->maps.count, first = out->num_params;
  KernelParam *params = arena_array(s->e->arena, KernelParam, first + num_maps);
  TensorMapInfo *maps = arena_array(s->e->arena, TensorMapInfo, num_maps);
  StepList steps = {0};
  for (int i = 0; i < first; i++) params[i] = out->params[i];
  for (int i = 0; i < num_maps; i++) {
    if (!describe(s, s->maps.items[i], &steps, &maps[i])) return false;
    params[first + i] = (KernelParam){.rule = PARAM_TENSOR_MAP,
                                      .index = i,
                                      .size = TENSOR_MAP_SIZE,
                                      .align = TENSOR_MAP_ALIGNMENT};
  }
  out->params = params;
  out->num_params += num_maps;
  out->maps = maps;
  out->num_maps = num_maps;
  out->steps = steps.items;
  out->num_steps = (int)steps.count;
  return true;
}

// The value of a descriptor is the address of its map.
bool simt_emit_make_desc(Simt *s, const Op *op) {
  const size_t first = (size_t)simt_before_maps(s);
  if (op_makes_map(op)) return simt_emit_made_map(s, op);
  if (!value_has_map(op_result(op))) return simt_unsupported(s, op, "");
  LLVMValueRef address =
      LLVMGetPoison(LLVMPointerTypeInContext(s->e->llvm.context, 0));
  for (size_t i = 0; i < s->maps.count; i++) {
    if (s->maps.items[i] != op) continue;
    address = LLVMGetParam(s->function, (unsigned)(first + i));
    simt_prefetch_map(s, address);
  }
  simt_set_scalar(s, op_result(op), address);
  return true;
}
