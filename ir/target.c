// target.c -- the table of targets.
#include "ir/target.h"

#include <string.h>

const Target target_table[] = {
#define GPU_TARGET(name, cpu, ptx, block, sm, registers, warps, caps)          \
  {#name, true, cpu, ptx, 32, block, sm, registers, warps, caps},
#define HOST_TARGET(name) {#name, false, NULL, NULL, 1, 0, 0, 0, 0, 0},
#include "ir/targets.def"
};

const int target_count = sizeof target_table / sizeof target_table[0];

const Target *target_find(const char *name) {
  for (int i = 0; i < target_count; i++) {
    if (!strcmp(target_table[i].name, name)) return &target_table[i];
  }
  return NULL;
}
