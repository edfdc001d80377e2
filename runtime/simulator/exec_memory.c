// exec_memory.c -- loads and stores.
#include <string.h>

#include "runtime/simulator/lanes.h"
#include "runtime/simulator/memory.h"
#include "runtime/simulator/shadow.h"

// Other CTAs may be writing: a value of up to eight bytes is read at once.
static uint64_t read_element(const uint8_t *host, uint32_t size) {
  switch (size) {
  case 1: return *host;
  case 2: return __atomic_load_n((const uint16_t *)(const void *)host, 0);
  case 4: return __atomic_load_n((const uint32_t *)(const void *)host, 0);
  default: return __atomic_load_n((const uint64_t *)(const void *)host, 0);
  }
}

static void write_element(uint8_t *host, uint32_t size, uint64_t value) {
  switch (size) {
  case 1: *host = (uint8_t)value; break;
  case 2: __atomic_store_n((uint16_t *)(void *)host, (uint16_t)value, 0); break;
  case 4: __atomic_store_n((uint32_t *)(void *)host, (uint32_t)value, 0); break;
  default: __atomic_store_n((uint64_t *)(void *)host, value, 0); break;
  }
}

static uint64_t sign_extend(const Inst *inst, uint64_t value, uint32_t size) {
  if (type_table[inst->type].class != CLASS_SIGNED) return value;
  const uint32_t unused = 64 - size * 8;
  return (uint64_t)((int64_t)(value << unused) >> unused);
}

static Step load_lane(Warp *warp, const Inst *inst, int lane) {
  const uint32_t size = type_table[inst->type].bytes, n = inst->num_dst;
  Place place;
  const uint64_t address = lane_address(warp, inst->op + n, lane);
  if (!memory_place(warp, inst, lane, inst->space, address, size * n,
                    ACCESS_READ, &place))
    return STEP_FAULT;
  if (place.space == SPACE_SHARED)
    shadow_read(warp, inst, lane, place.offset, size * n);
  uint64_t values[8];
  for (uint32_t i = 0; i < n; i++)
    values[i] = read_element(place.host + i * size, size);
  for (uint32_t i = 0; i < n; i++)
    lane_set(warp, inst->op[i], inst->reg_size, lane,
             sign_extend(inst, values[i], size));
  return STEP_NEXT;
}

static Step exec_load(Warp *warp, const Inst *inst, uint32_t mask) {
  for (int lane = 0; lane < LANES; lane++) {
    if (in_mask(mask, lane) && load_lane(warp, inst, lane) != STEP_NEXT)
      return STEP_FAULT;
  }
  if (inst->order == WORD_ACQUIRE) __atomic_thread_fence(__ATOMIC_ACQUIRE);
  return STEP_NEXT;
}

static Step store_lane(Warp *warp, const Inst *inst, int lane) {
  const uint32_t size = type_table[inst->type].bytes, n = inst->num_dst;
  Place place;
  const uint64_t address = lane_address(warp, inst->op, lane);
  if (!memory_place(warp, inst, lane, inst->space, address, size * n,
                    ACCESS_WRITE, &place))
    return STEP_FAULT;
  uint8_t bytes[32];
  for (uint32_t i = 0; i < n; i++) {
    const uint64_t value =
        lane_get(warp, inst->op[3 + i], inst->reg_size, lane);
    memcpy(bytes + i * size, &value, size);
  }
  if (place.space == SPACE_SHARED)
    shadow_write(warp, inst, lane, place.offset, size * n, bytes);
  for (uint32_t i = 0; i < n; i++) {
    uint64_t value = 0;
    memcpy(&value, bytes + i * size, size);
    write_element(place.host + i * size, size, value);
  }
  return STEP_NEXT;
}

static Step exec_store(Warp *warp, const Inst *inst, uint32_t mask) {
  if (inst->order == WORD_RELEASE) __atomic_thread_fence(__ATOMIC_RELEASE);
  for (int lane = 0; lane < LANES; lane++) {
    if (in_mask(mask, lane) && store_lane(warp, inst, lane) != STEP_NEXT)
      return STEP_FAULT;
  }
  return STEP_NEXT;
}

static bool fits(const Form *form, const Inst *inst) {
  const TypeInfo *type = &type_table[form->types[0]];
  return type->class < CLASS_PACKED && type->bytes >= 1 && type->bytes <= 8 &&
         type->bytes * inst->num_dst <= 32;
}

ExecFn pick_ld(const Form *form, Inst *inst) {
  const WordId order = WORD_OF(form, ORDER);
  if (order == WORD_RELEASE || order == WORD_ACQ_REL) return NULL;
  return fits(form, inst) ? exec_load : NULL;
}

ExecFn pick_st(const Form *form, Inst *inst) {
  const WordId order = WORD_OF(form, ORDER);
  if (order == WORD_ACQUIRE || order == WORD_ACQ_REL ||
      WORD_OF(form, SPACE) == WORD_CONST)
    return NULL;
  return fits(form, inst) ? exec_store : NULL;
}
