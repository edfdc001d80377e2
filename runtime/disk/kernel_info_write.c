// kernel_info_write.c -- writes a compiled kernel as bytes: every field of
// KernelInfo and of the structs that it points to.
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

static void write_value(LaunchValue value, Str *out) {
  assert(value.first >= 0 && value.count >= 0); // I8
  bytes_add_number(out, (uint64_t)value.first);
  bytes_add_number(out, (uint64_t)value.count);
}

static void write_step(const LaunchStep *step, Str *out) {
  bytes_add_number(out, step->kind);
  bytes_add_number(out, step->op);
  bytes_add_number(out, step->from);
  bytes_add_number(out, step->to);
  bytes_add_number(out, step->predicate);
  bytes_add_number(out, (uint64_t)step->value);
}

static void write_map(const TensorMapInfo *map, Str *out) {
  assert(map->rank >= 1 && map->rank <= TENSOR_MAX_RANK); // I8
  bytes_add_number(out, map->elem);
  bytes_add_number(out, (uint64_t)map->rank);
  bytes_add_number(out, (uint64_t)map->swizzle);
  bytes_add_number(out, map->fills_nan);
  bytes_add_number(out, map->apart);
  write_value(map->base, out);
  for (int i = 0; i < map->rank; i++) {
    bytes_add_number(out, map->box[i]);
    write_value(map->shape[i], out);
    write_value(map->strides[i], out);
  }
}

static void write_maps(const KernelInfo *info, Str *out) {
  bytes_add_number(out, (uint64_t)info->num_steps);
  for (int i = 0; i < info->num_steps; i++) write_step(&info->steps[i], out);
  bytes_add_number(out, (uint64_t)info->num_maps);
  for (int i = 0; i < info->num_maps; i++) write_map(&info->maps[i], out);
}

void kernel_info_write(const KernelInfo *info, Str *out) {
  bytes_add_block(out, bytes_of_text(info->symbol));
  bytes_add_number(out, info->overlaps);
  bytes_add_number(out, (uint64_t)info->num_warps);
  bytes_add_number(out, (uint64_t)info->log2_cluster);
  bytes_add_number(out, info->has_pairs);
  bytes_add_number(out, info->shared_bytes);
  bytes_add_number(out, info->scratch_bytes);
  bytes_add_number(out, info->keeps_scratch);
  bytes_add_number(out, (uint64_t)info->num_params);
  for (int i = 0; i < info->num_params; i++) write_param(&info->params[i], out);
  write_maps(info, out);
}
