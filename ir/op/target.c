// target.c -- the table of targets.
#include "ir/target.h"

#include <assert.h>
#include <string.h>

const Target target_table[] = {
#define GPU_TARGET(name, compute, cpu, ptx, block, sm, unit, registers, warps, \
                   blocks, caps)                                               \
  {#name, true, compute,   cpu,   ptx,    32,  block,                          \
   sm,    unit, registers, warps, blocks, caps},
#define HOST_TARGET(name) {#name, false, 0, NULL, 0, 1, 0, 0, 0, 0, 0, 0, 0},
#include "ir/op/targets.def"
};

const int target_count = sizeof target_table / sizeof target_table[0];

const Target *target_find(const char *name) {
  for (int i = 0; i < target_count; i++) {
    if (!strcmp(target_table[i].name, name)) return &target_table[i];
  }
  return NULL;
}

const Target *target_of_chip(int compute) {
  const Target *best = NULL;
  for (int i = 0; i < target_count; i++) {
    const Target *t = &target_table[i];
    if (!t->is_gpu) continue;
    assert(t->compute && (!best || best->compute <= t->compute)); // I12
    const bool runs = target_can(t, CAP_ONE_CHIP) ? t->compute == compute
                                                  : t->compute <= compute;
    if (runs) best = t;
  }
  return best;
}

#ifdef __x86_64__
#define HAS(feature) __builtin_cpu_supports(feature)
#if defined __clang__ && __clang_major__ < 18
// The names of the levels are not known.  Each processor with these features
// has the level's others, too.
static bool has_level_2(void) {
  return HAS("sse4.2") && HAS("popcnt");
}

static bool has_level_3(void) {
  return has_level_2() && HAS("avx2") && HAS("fma") && HAS("bmi") &&
         HAS("bmi2");
}

static bool has_level_4(void) {
  return has_level_3() && HAS("avx512f") && HAS("avx512bw") &&
         HAS("avx512cd") && HAS("avx512dq") && HAS("avx512vl");
}
#else
static bool has_level_2(void) {
  return HAS("x86-64-v2");
}

static bool has_level_3(void) {
  return HAS("x86-64-v3");
}

static bool has_level_4(void) {
  return HAS("x86-64-v4");
}
#endif
#endif

int target_own_level(void) {
#ifdef __x86_64__
  __builtin_cpu_init();
  if (has_level_4()) return 4;
  if (has_level_3()) return 3;
  return has_level_2() ? 2 : 1;
#else
  return 0;
#endif
}

// -- Residency ---------------------------------------------------------------

// Numbers from NVIDIA's occupancy calculator, for capability 7 and later.
enum {
  SM_PARTS = 4,        // each warp's registers are in one of them
  REGISTER_UNIT = 256, // for each warp
};

static int round_up(int x, int unit) {
  return (x + unit - 1) / unit * unit;
}

int target_thread_registers(const Target *target, int num_warps) {
  assert(target->is_gpu && num_warps > 0 && "runs on no SM"); // I12
  const int of_warp = target->registers_sm / round_up(num_warps, SM_PARTS) /
                      REGISTER_UNIT * REGISTER_UNIT;
  const int share = of_warp / target->warp_size;
  return share < TARGET_MAX_REGISTERS ? share : TARGET_MAX_REGISTERS;
}

static int by_registers(const Target *target, const Footprint *program) {
  if (!program->registers) return target->blocks_sm;
  if (program->registers > TARGET_MAX_REGISTERS) return 0;
  const int of_warp =
      round_up(program->registers * target->warp_size, REGISTER_UNIT);
  // The launch check assumes that the parts are filled evenly.
  if (of_warp * round_up(program->num_warps, SM_PARTS) > target->registers_sm)
    return 0;
  const int warps = target->registers_sm / SM_PARTS / of_warp * SM_PARTS;
  return warps / program->num_warps;
}

// The driver reserves some memory of each block: the difference between an SM's
// size and the most that a block may request.
static int by_shared(const Target *target, const Footprint *program) {
  const size_t reserved =
      (size_t)(target->max_shared_sm - target->max_shared_block);
  const size_t unit = (size_t)target->shared_unit;
  if (program->shared_bytes > (size_t)target->max_shared_block) return 0;
  const size_t taken =
      (program->shared_bytes + reserved + unit - 1) / unit * unit;
  if (!taken) return target->blocks_sm;
  return (int)((size_t)target->max_shared_sm / taken);
}

int target_residency(const Target *target, const Footprint *program,
                     Limit *limit) {
  assert(target->is_gpu && program->num_warps > 0 && "runs on no SM"); // I12
  const int counts[] = {
      [BY_WARPS] = target->warps_sm / program->num_warps,
      [BY_BLOCKS] = target->blocks_sm,
      [BY_REGISTERS] = by_registers(target, program),
      [BY_SHARED] = by_shared(target, program),
  };
  *limit = BY_WARPS;
  for (Limit i = BY_BLOCKS; i <= BY_SHARED; i++) {
    if (counts[i] < counts[*limit]) *limit = i;
  }
  return counts[*limit];
}
