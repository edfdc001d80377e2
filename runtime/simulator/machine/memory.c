// memory.c -- loads and stores.
#include <string.h>

#include "runtime/simulator/memory/lanes.h"
#include "runtime/simulator/watch/watch.h"

// Other CTAs may access the same bytes: a value of up to eight bytes is read
// and written at once, and in the order that a release requires.
static uint64_t read_element(const uint8_t *host, uint32_t size) {
  const void *at = host;
  switch (size) {
  case 1: return __atomic_load_n(host, __ATOMIC_ACQUIRE);
  case 2: return __atomic_load_n((const uint16_t *)at, __ATOMIC_ACQUIRE);
  case 4: return __atomic_load_n((const uint32_t *)at, __ATOMIC_ACQUIRE);
  default: return __atomic_load_n((const uint64_t *)at, __ATOMIC_ACQUIRE);
  }
}

static void write_element(uint8_t *host, uint32_t size, uint64_t value) {
  void *at = host;
  const int order = __ATOMIC_RELEASE;
  switch (size) {
  case 1: __atomic_store_n(host, (uint8_t)value, order); break;
  case 2: __atomic_store_n((uint16_t *)at, (uint16_t)value, order); break;
  case 4: __atomic_store_n((uint32_t *)at, (uint32_t)value, order); break;
  default: __atomic_store_n((uint64_t *)at, value, order); break;
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
  uint64_t values[8];
  RacePage *page =
      shadow_enter(warp, inst, lane, &place, size * n, ACCESS_READ, NULL);
  for (uint32_t i = 0; i < n; i++)
    values[i] = read_element(place.host + i * size, size);
  shadow_exit(page);
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
  return STEP_NEXT;
}

// The bytes that a store will write, for the checks.
static const uint8_t *store_bytes(const uint64_t *values, uint32_t n,
                                  uint32_t size, uint8_t out[32]) {
  for (uint32_t i = 0; i < n; i++) {
    switch (size) {
    case 1: memcpy(out + i, &values[i], 1); break;
    case 2: memcpy(out + i * 2, &values[i], 2); break;
    case 4: memcpy(out + i * 4, &values[i], 4); break;
    default: memcpy(out + i * 8, &values[i], 8); break;
    }
  }
  return out;
}

static Step store_lane(Warp *warp, const Inst *inst, int lane) {
  const uint32_t size = type_table[inst->type].bytes, n = inst->num_dst;
  Place place;
  const uint64_t address = lane_address(warp, inst->op, lane);
  if (!memory_place(warp, inst, lane, inst->space, address, size * n,
                    ACCESS_WRITE, &place))
    return STEP_FAULT;
  uint64_t values[32];
  uint8_t bytes[32];
  for (uint32_t i = 0; i < n; i++)
    values[i] = lane_get(warp, inst->op[3 + i], inst->reg_size, lane);
  RacePage *page = NULL;
  if (warp->cta->launch->checks)
    page = shadow_check(warp, inst, lane, &place, size * n, ACCESS_WRITE,
                        store_bytes(values, n, size, bytes));
  for (uint32_t i = 0; i < n; i++)
    write_element(place.host + i * size, size, values[i]);
  shadow_exit(page);
  return STEP_NEXT;
}

static Step exec_store(Warp *warp, const Inst *inst, uint32_t mask) {
  for (int lane = 0; lane < LANES; lane++) {
    if (in_mask(mask, lane) && store_lane(warp, inst, lane) != STEP_NEXT)
      return STEP_FAULT;
  }
  order_written(warp);
  return STEP_NEXT;
}

// -- b128 --------------------------------------------------------------------

// A register of 128 bits is accessed as two elements of 64 at once.
static Step copy_wide(Warp *warp, const Inst *inst, int lane, bool is_store) {
  uint8_t *own = (uint8_t *)reg(warp, inst->op[is_store ? 3 : 0]) + 16 * lane;
  const Access access = is_store ? ACCESS_WRITE : ACCESS_READ;
  Place place;
  uint64_t halves[2];
  if (!memory_place(warp, inst, lane, inst->space,
                    lane_address(warp, inst->op + !is_store, lane), 16, access,
                    &place))
    return STEP_FAULT;
  memcpy(halves, own, sizeof halves);
  RacePage *page =
      shadow_enter(warp, inst, lane, &place, 16, access, is_store ? own : NULL);
  for (int i = 0; i < 2; i++) {
    if (is_store)
      write_element(place.host + 8 * i, 8, halves[i]);
    else
      halves[i] = read_element(place.host + 8 * i, 8);
  }
  shadow_exit(page);
  memcpy(own, halves, sizeof halves);
  return STEP_NEXT;
}

static Step exec_load_wide(Warp *warp, const Inst *inst, uint32_t mask) {
  for (int lane = 0; lane < LANES; lane++) {
    if (in_mask(mask, lane) && copy_wide(warp, inst, lane, false) != STEP_NEXT)
      return STEP_FAULT;
  }
  return STEP_NEXT;
}

static Step exec_store_wide(Warp *warp, const Inst *inst, uint32_t mask) {
  for (int lane = 0; lane < LANES; lane++) {
    if (in_mask(mask, lane) && copy_wide(warp, inst, lane, true) != STEP_NEXT)
      return STEP_FAULT;
  }
  order_written(warp);
  return STEP_NEXT;
}

static bool is_wide(const Form *form, const Inst *inst) {
  return form->types[0] == TYPE_B128 && inst->num_dst == 1;
}

static bool fits(const Form *form, const Inst *inst) {
  const TypeInfo *type = &type_table[form->types[0]];
  return type->class < CLASS_PACKED && type->bytes >= 1 && type->bytes <= 8 &&
         type->bytes * inst->num_dst <= 16;
}

// Strong accesses must have a scope; others must not.
static bool scope_fits(const Form *form) {
  const WordId order = WORD_OF(form, ORDER);
  const bool is_strong = order && order != WORD_WEAK && order != WORD_VOLATILE;
  return is_strong == (WORD_OF(form, SCOPE) != WORD_NONE);
}

// Cache operators are for global memory; strong accesses are not for constants,
// parameters and local variables.
static bool space_fits(const Form *form) {
  const WordId space = WORD_OF(form, SPACE), order = WORD_OF(form, ORDER);
  const bool is_global = !space || space == WORD_GLOBAL;
  const bool is_shared = space == WORD_SHARED || space == WORD_SHARED_CTA ||
                         space == WORD_SHARED_CLUSTER;
  const WordId path = WORD_OF(form, NC);
  if (path == WORD_NC && (space != WORD_GLOBAL || order)) return false;
  if (path == WORD_MMIO &&
      (order != WORD_RELAXED || WORD_OF(form, SCOPE) != WORD_SYS ||
       WORD_OF(form, VEC) || WORD_OF(form, EVICT) || WORD_OF(form, PREFETCH)))
    return false;
  if (order && order != WORD_WEAK && !is_global && !is_shared) return false;
  return is_global || (!WORD_OF(form, EVICT) && !WORD_OF(form, PREFETCH) &&
                       !WORD_OF(form, NC));
}

// An access with a memory order has no cache operator.
static bool cache_fits(const Form *form) {
  const WordId order = WORD_OF(form, ORDER), cache = WORD_OF(form, CACHE);
  if (WORD_OF(form, NC) == WORD_NC && (cache == WORD_LU || cache == WORD_CV))
    return false;
  return !cache || !order || order == WORD_WEAK;
}

// The cache's policy is a third operand.
static bool policy_fits(const Form *form) {
  const WordId space = WORD_OF(form, SPACE);
  const bool has_hint = WORD_OF(form, HINT);
  if (has_hint && space && space != WORD_GLOBAL) return false;
  if (WORD_OF(form, ORDER) == WORD_VOLATILE &&
      (has_hint || WORD_OF(form, EVICT)))
    return false;
  return operands_but_policy(form) == 2;
}

ExecFn pick_ld(const Form *form, Inst *inst) {
  const WordId cache = WORD_OF(form, CACHE);
  if (!scope_fits(form) || !space_fits(form) || !cache_fits(form) ||
      cache == WORD_WB || cache == WORD_WT || cache == WORD_L2 ||
      !policy_fits(form))
    return NULL;
  if (is_wide(form, inst)) return exec_load_wide;
  return fits(form, inst) ? exec_load : NULL;
}

ExecFn pick_st(const Form *form, Inst *inst) {
  if (!scope_fits(form) || !space_fits(form) || !cache_fits(form) ||
      WORD_OF(form, SPACE) == WORD_CONST || WORD_OF(form, PREFETCH) ||
      WORD_OF(form, SPACE) == WORD_PARAM_ENTRY ||
      WORD_OF(form, NC) == WORD_NC || !policy_fits(form))
    return NULL;
  if (is_wide(form, inst)) return exec_store_wide;
  return fits(form, inst) ? exec_store : NULL;
}
