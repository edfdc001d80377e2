// kernel_info.c -- a compiled kernel as bytes: every field of KernelInfo and of
// the structs that it points to, once for writing and once for reading.
#include "runtime/disk/kernel_info.h"

#include <assert.h>

static void write_param(const KernelParam *param, Str *out) {
  bytes_add_number(out, param->rule);
  bytes_add_number(out, (uint64_t)param->index);
  bytes_add_number(out, param->elem);
  bytes_add_number(out, param->is_pointer);
  bytes_add_number(out, param->size);
  bytes_add_number(out, param->align);
}

static void read_param(ByteReader *from, KernelParam *out) {
  out->rule = (ParamRule)bytes_read_number(from);
  out->index = (int)bytes_read_number(from);
  out->elem = (Elem)bytes_read_number(from);
  out->is_pointer = bytes_read_number(from) != 0;
  out->size = (size_t)bytes_read_number(from);
  out->align = (size_t)bytes_read_number(from);
}

// -- Tensor maps -------------------------------------------------------------

static void write_value(LaunchValue value, Str *out) {
  assert(value.first >= 0 && value.count >= 0); // I8
  bytes_add_number(out, (uint64_t)value.first);
  bytes_add_number(out, (uint64_t)value.count);
}

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

static void write_step(const LaunchStep *step, Str *out) {
  bytes_add_number(out, step->kind);
  bytes_add_number(out, step->op);
  bytes_add_number(out, step->from);
  bytes_add_number(out, step->to);
  bytes_add_number(out, step->predicate);
  bytes_add_number(out, (uint64_t)step->value);
}

static void read_step(ByteReader *from, LaunchStep *out) {
  out->kind = (LaunchStepKind)bytes_read_number(from);
  out->op = (LaunchOp)bytes_read_number(from);
  out->from = (Elem)bytes_read_number(from);
  out->to = (Elem)bytes_read_number(from);
  out->predicate = (Predicate)bytes_read_number(from);
  out->value = (int64_t)bytes_read_number(from);
}

static void write_map(const TensorMapInfo *map, Str *out) {
  assert(map->rank >= 1 && map->rank <= TENSOR_MAX_RANK); // I8
  bytes_add_number(out, map->elem);
  bytes_add_number(out, (uint64_t)map->rank);
  bytes_add_number(out, (uint64_t)map->swizzle);
  bytes_add_number(out, map->fills_nan);
  write_value(map->base, out);
  for (int i = 0; i < map->rank; i++) {
    bytes_add_number(out, map->box[i]);
    write_value(map->shape[i], out);
    write_value(map->strides[i], out);
  }
}

static void read_map(ByteReader *from, int num_steps, TensorMapInfo *out) {
  *out = (TensorMapInfo){.elem = (Elem)bytes_read_number(from)};
  const uint64_t rank = bytes_read_number(from);
  out->swizzle = (int)bytes_read_number(from);
  out->fills_nan = bytes_read_number(from) != 0;
  out->base = read_value(from, num_steps);
  from->bad |= rank > TENSOR_MAX_RANK;
  out->rank = from->bad ? 0 : (int)rank;
  for (int i = 0; i < out->rank; i++) {
    out->box[i] = (uint32_t)bytes_read_number(from);
    out->shape[i] = read_value(from, num_steps);
    out->strides[i] = read_value(from, num_steps);
  }
}

static void write_maps(const KernelInfo *info, Str *out) {
  bytes_add_number(out, (uint64_t)info->num_steps);
  for (int i = 0; i < info->num_steps; i++) write_step(&info->steps[i], out);
  bytes_add_number(out, (uint64_t)info->num_maps);
  for (int i = 0; i < info->num_maps; i++) write_map(&info->maps[i], out);
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

void kernel_info_write(const KernelInfo *info, Str *out) {
  bytes_add_block(out, bytes_of_text(info->symbol));
  bytes_add_number(out, (uint64_t)info->num_warps);
  bytes_add_number(out, (uint64_t)info->log2_cluster);
  bytes_add_number(out, info->shared_bytes);
  bytes_add_number(out, info->scratch_bytes);
  bytes_add_number(out, info->keeps_scratch);
  bytes_add_number(out, (uint64_t)info->num_params);
  for (int i = 0; i < info->num_params; i++) write_param(&info->params[i], out);
  write_maps(info, out);
}

void kernel_info_read(ByteReader *from, Arena *arena, KernelInfo *out) {
  out->symbol = bytes_read_block(from).data;
  out->num_warps = (int)bytes_read_number(from);
  const uint64_t log2_cluster = bytes_read_number(from);
  from->bad |= log2_cluster > MAX_LOG2_CLUSTER;
  out->log2_cluster = from->bad ? 0 : (int)log2_cluster;
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
