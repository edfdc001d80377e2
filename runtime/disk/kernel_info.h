// kernel_info.h -- a compiled kernel as bytes.
#ifndef TILE_RUNTIME_KERNEL_INFO_H
#define TILE_RUNTIME_KERNEL_INFO_H

#include "codegen/codegen.h"
#include "runtime/disk/bytes.h"

void kernel_info_write(const KernelInfo *info, Str *out);
// Texts point into the input, parameters lie in the arena.
void kernel_info_read(ByteReader *from, Arena *arena, KernelInfo *out);

#endif
