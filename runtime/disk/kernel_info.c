// kernel_info.c -- what a compiled kernel is, as bytes: every field of
// KernelInfo and KernelParam, once to be written and once to be read.
#include "runtime/disk/kernel_info.h"

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

void kernel_info_write(const KernelInfo *info, Str *out) {
  bytes_add_block(out, bytes_of_text(info->symbol));
  bytes_add_number(out, (uint64_t)info->num_warps);
  bytes_add_number(out, info->shared_bytes);
  bytes_add_number(out, info->scratch_bytes);
  bytes_add_number(out, (uint64_t)info->num_params);
  for (int i = 0; i < info->num_params; i++) write_param(&info->params[i], out);
}

void kernel_info_read(ByteReader *from, Arena *arena, KernelInfo *out) {
  out->symbol = bytes_read_block(from).data;
  out->num_warps = (int)bytes_read_number(from);
  out->shared_bytes = (size_t)bytes_read_number(from);
  out->scratch_bytes = (size_t)bytes_read_number(from);
  const size_t count = bytes_read_count(from, sizeof(uint64_t));
  KernelParam *params = arena_array(arena, KernelParam, count + 1);
  for (size_t i = 0; i < count; i++) read_param(from, &params[i]);
  out->params = params;
  out->num_params = (int)count;
}
