// exec.h -- the state of a run, and the registers of its warps.
#ifndef TILE_SIMULATOR_EXEC_H
#define TILE_SIMULATOR_EXEC_H

#include <string.h>

#include "runtime/simulator/state/launch.h"

// Whether the lanes may execute a .sync instruction for `members`: all living
// members have come.  If not, STEP_BLOCK.
bool warp_converged(const Warp *warp, uint32_t mask, uint32_t members);
// Reports members that have passed the instruction to which these lanes came.
Step warp_skipped(const Warp *warp, const Inst *inst, uint32_t mask,
                  uint32_t members);
// For an aligned instruction: STEP_NEXT once all living lanes of the warp have
// come, STEP_BLOCK before; reports lanes that its guard or a branch keeps away.
Step warp_assemble(const Warp *warp, const Inst *inst, uint32_t mask);
// The same for a barrier that may be aligned; lanes at any other go on.
static inline Step warp_assemble_if_aligned(const Warp *warp, const Inst *inst,
                                            uint32_t mask) {
  return inst->trans ? warp_assemble(warp, inst, mask) : STEP_NEXT;
}

// -- Registers ---------------------------------------------------------------

static inline void *reg(const Warp *warp, uint32_t offset) {
  assert(offset <= warp->cta->launch->code->file_size); // I4
  return warp->file + offset;
}

static inline uint32_t *pred(const Warp *warp, uint32_t offset) {
  assert(offset <= warp->cta->launch->code->file_size && offset % 4 == 0); // I4
  return (uint32_t *)(void *)(warp->file + offset);
}

// The only predicate operand, or the one of that number.
static inline uint32_t nth_pred(const Warp *warp, const Inst *inst, int operand,
                                int number) {
  const uint32_t mask = *pred(warp, inst->op[operand]);
  return inst->negated >> number & 1 ? ~mask : mask;
}

static inline uint32_t source_pred(const Warp *warp, const Inst *inst,
                                   int operand) {
  return nth_pred(warp, inst, operand, 0);
}

static inline void set_pred(const Warp *warp, uint32_t offset, uint32_t mask,
                            uint32_t value) {
  uint32_t *place = pred(warp, offset);
  *place = (*place & ~mask) | (value & mask);
}

static inline bool in_mask(uint32_t mask, int lane) {
  return mask >> lane & 1;
}

// One lane's value in a register of `size` bytes, of which eight count.
static inline uint64_t lane_get(const Warp *warp, uint32_t offset,
                                uint32_t size, int lane) {
  const uint8_t *place = warp->file + offset + (size_t)lane * size;
  assert(lane >= 0 && lane < LANES &&
         offset + LANES * size <= warp->cta->launch->code->file_size); // I4
  uint64_t value = 0;
  switch (size) {
  case 1: memcpy(&value, place, 1); break;
  case 2: memcpy(&value, place, 2); break;
  case 4: memcpy(&value, place, 4); break;
  default: memcpy(&value, place, 8); break;
  }
  return value;
}

static inline void lane_set(const Warp *warp, uint32_t offset, uint32_t size,
                            int lane, uint64_t value) {
  uint8_t *place = warp->file + offset + (size_t)lane * size;
  assert(lane >= 0 && lane < LANES &&
         offset + LANES * size <= warp->cta->launch->code->file_size); // I4
  switch (size) {
  case 1: memcpy(place, &value, 1); break;
  case 2: memcpy(place, &value, 2); break;
  case 4: memcpy(place, &value, 4); break;
  default: memcpy(place, &value, 8); break;
  }
}

#endif
