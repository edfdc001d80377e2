// kernel_info.c -- reads a compiled kernel from bytes: every field of
// KernelInfo and of the structs that it points to, in the order of
// kernel_info_write.c.
#include "runtime/disk/kernel_info.h"

static void read_param(ByteReader *from, KernelParam *out) {
  out->rule = (ParamRule)bytes_read_number(from);
  out->index = (int)bytes_read_number(from);
  out->elem = (Elem)bytes_read_number(from);
  out->is_pointer = bytes_read_number(from) != 0;
  out->size = (size_t)bytes_read_number(from);
  out->align = (size_t)bytes_read_number(from);
}

// -- Tensor maps -------------------------------------------------------------

// A value with more steps than the kernel has is rejected.
static LaunchValue read_value(ByteReader *from, int num_steps) {
  const uint64_t first = bytes_read_number(from);
  const uint64_t count = bytes_read_number(from);
  if (first > (uint64_t)num_steps || count > (uint64_t)num_steps - first) {
    from->bad = true;
    return (LaunchValue){0, 0};
  }
  return (LaunchValue){(int)first, (int)count};
}

static void read_step(ByteReader *from, LaunchStep *out) {
  out->kind = (LaunchStepKind)bytes_read_number(from);
  out->op = (LaunchOp)bytes_read_number(from);
  out->from = (Elem)bytes_read_number(from);
  out->to = (Elem)bytes_read_number(from);
  out->predicate = (Predicate)bytes_read_number(from);
  out->value = (int64_t)bytes_read_number(from);
}

static void read_map(ByteReader *from, int num_steps, TensorMapInfo *out) {
  *out = (TensorMapInfo){.elem = (Elem)bytes_read_number(from)};
  const uint64_t rank = bytes_read_number(from);
  out->swizzle = (int)bytes_read_number(from);
  out->fills_nan = bytes_read_number(from) != 0;
  out->apart = bytes_read_number(from);
  out->base = read_value(from, num_steps);
  from->bad |= rank > TENSOR_MAX_RANK;
  out->rank = from->bad ? 0 : (int)rank;
  for (int i = 0; i < out->rank; i++) {
    out->box[i] = (uint32_t)bytes_read_number(from);
    out->shape[i] = read_value(from, num_steps);
    out->strides[i] = read_value(from, num_steps);
  }
}

static void read_maps(ByteReader *from, Arena *arena, KernelInfo *out) {
  const size_t num_steps = bytes_read_count(from, sizeof(uint64_t));
  LaunchStep *steps = arena_array(arena, LaunchStep, num_steps + 1);
  for (size_t i = 0; i < num_steps; i++) read_step(from, &steps[i]);
  const size_t num_maps = bytes_read_count(from, sizeof(uint64_t));
  TensorMapInfo *maps = arena_array(arena, TensorMapInfo, num_maps + 1);
  for (size_t i = 0; i < num_maps; i++)
    read_map(from, (int)num_steps, &maps[i]);
  out->steps = steps;
  out->num_steps = (int)num_steps;
  out->maps = maps;
  out->num_maps = (int)num_maps;
}

// -- The kernel --------------------------------------------------------------

void kernel_info_read(ByteReader *from, Arena *arena, KernelInfo *out) {
  out->symbol = bytes_read_block(from).data;
  out->overlaps = bytes_read_number(from) != 0;
  out->num_warps = (int)bytes_read_number(from);
  const uint64_t log2_cluster = bytes_read_number(from);
  from->bad |= log2_cluster > MAX_LOG2_CLUSTER;
  out->log2_cluster = from->bad ? 0 : (int)log2_cluster;
  out->has_pairs = bytes_read_number(from) != 0;
  out->shared_bytes = (size_t)bytes_read_number(from);
  out->scratch_bytes = (size_t)bytes_read_number(from);
  out->keeps_scratch = bytes_read_number(from) != 0;
  const size_t count = bytes_read_count(from, sizeof(uint64_t));
  KernelParam *params = arena_array(arena, KernelParam, count + 1);
  for (size_t i = 0; i < count; i++) read_param(from, &params[i]);
  out->params = params;
  out->num_params = (int)count;
  read_maps(from, arena, out);
}
