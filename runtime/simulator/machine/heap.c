// heap.c -- malloc() and free() in kernels.
#include "runtime/simulator/code/pick.h"
#include "runtime/simulator/memory/lanes.h"
#include "runtime/simulator/memory/memory.h"
#include "runtime/simulator/state/report.h"

// An argument or the result: 64 bits of local memory, at the operand's address.
static uint8_t *slot(const Warp *warp, const Inst *inst, int i, int lane) {
  const uint32_t *offset = reg(warp, inst->op[i]);
  return memory_local(warp, lane, offset[lane], 8);
}

static uint64_t get(const Warp *warp, const Inst *inst, int i, int lane) {
  uint64_t value = 0;
  const uint8_t *from = slot(warp, inst, i, lane);
  if (from) memcpy(&value, from, sizeof value);
  return value;
}

static void set(const Warp *warp, const Inst *inst, int i, int lane,
                uint64_t value) {
  uint8_t *to = slot(warp, inst, i, lane);
  if (to) memcpy(to, &value, sizeof value);
}

// The result is the last operand, after `num_args` arguments.
static Step allocate(Warp *warp, const Inst *inst, uint32_t mask,
                     int num_args) {
  const Launch *launch = warp->cta->launch;
  if (inst->num_ops != num_args + 1)
    return report(warp, inst, __builtin_ctz(mask), KIND_INVALID,
                  "malloc() with other arguments than it has");
  for (int lane = 0; lane < LANES; lane++) {
    if (!in_mask(mask, lane)) continue;
    const uint64_t align = num_args > 1 ? get(warp, inst, 1, lane) : 1;
    const bool ok = align && !(align & (align - 1));
    const uint64_t size = get(warp, inst, 0, lane);
    set(warp, inst, num_args, lane,
        ok ? heap_alloc(launch->heap, size, align, launch->stamp) : 0);
  }
  return STEP_NEXT;
}

Step exec_malloc(Warp *warp, const Inst *inst, uint32_t mask) {
  return allocate(warp, inst, mask, 1);
}

Step exec_aligned_malloc(Warp *warp, const Inst *inst, uint32_t mask) {
  return allocate(warp, inst, mask, 2);
}

static Step release(Warp *warp, const Inst *inst, int lane, uint64_t address) {
  const Launch *launch = warp->cta->launch;
  const unsigned long long at = address;
  switch (heap_free(launch->heap, address, launch->stamp)) {
  case HEAP_FREED: return STEP_NEXT;
  case HEAP_FREED_BEFORE:
    return report(warp, inst, lane, KIND_BAD_FREE,
                  "free() of 0x%llx, which was freed before", at);
  default:
    return report(warp, inst, lane, KIND_BAD_FREE,
                  "free() of 0x%llx, which malloc() did not give", at);
  }
}

Step exec_free(Warp *warp, const Inst *inst, uint32_t mask) {
  for (int lane = 0; lane < LANES; lane++) {
    const uint64_t address =
        in_mask(mask, lane) && inst->num_ops ? get(warp, inst, 0, lane) : 0;
    if (address && release(warp, inst, lane, address) == STEP_FAULT)
      return STEP_FAULT;
  }
  return STEP_NEXT;
}
