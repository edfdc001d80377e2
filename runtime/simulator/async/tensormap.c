// tensormap.c -- changing tensor maps, and publishing the changes.
//
// A map is changed field by field in place; tensor_map.h defines the fields.
#include <string.h>

#include "runtime/simulator/async/async.h"
#include "runtime/simulator/async/map_notes.h"
#include "runtime/simulator/memory/lanes.h"
#include "runtime/simulator/tensor/map.h"
#include "runtime/simulator/watch/watch.h"

// -- tensormap.replace -------------------------------------------------------

// `index` is the dimension.
static void replace(TensorMap *map, WordId field, uint64_t index,
                    uint64_t value) {
  switch (field) {
  case WORD_GLOBAL_ADDRESS: map->address = value; break;
  case WORD_RANK:
    map->last_dim = (uint8_t)tensor_narrow(value, UINT8_MAX);
    break;
  case WORD_BOX_DIM: map->box[index] = tensor_narrow(value, UINT16_MAX); break;
  case WORD_GLOBAL_DIM: map->dims[index] = value; break;
  case WORD_GLOBAL_STRIDE:
    if (index < TENSOR_DIMS - 1) map->strides[index] = value;
    break;
  case WORD_ELEMENT_STRIDE:
    map->steps[index] = (uint8_t)tensor_narrow(value, UINT8_MAX);
    break;
  case WORD_ELEMTYPE: map->type = (uint8_t)value; break;
  case WORD_INTERLEAVE_LAYOUT: map->interleave = (uint8_t)value; break;
  case WORD_SWIZZLE_MODE: map->swizzle = (uint8_t)value; break;
  default: map->fill = (uint8_t)value; break;
  }
}

static bool is_wide(WordId field) {
  return field == WORD_GLOBAL_ADDRESS || field == WORD_GLOBAL_STRIDE;
}

// Reads and writes the whole map, 64 bytes at a time, since it may be in two
// pages of the race checker.
static bool open_map(Warp *warp, const Inst *inst, int lane, uint8_t space,
                     uint64_t address, Access access, uint8_t *bytes) {
  enum { HALF = TENSOR_MAP_BYTES / 2 };
  for (uint32_t i = 0; i < TENSOR_MAP_BYTES; i += HALF) {
    Place place;
    if (!memory_place_aligned(warp, inst, lane, space, address + i, HALF,
                              TENSOR_MAP_ALIGN, access, &place))
      return false;
    if (place.space != SPACE_SHARED && place.space != SPACE_GLOBAL) {
      report(warp, inst, lane, KIND_TENSOR_MAP,
             "a tensor map that is changed in neither global nor shared "
             "memory");
      return false;
    }
    const bool is_write = access == ACCESS_WRITE;
    if (is_write && !i && place.space == SPACE_GLOBAL)
      map_changed(warp, inst, lane, place.offset);
    RacePage *page = shadow_enter(warp, inst, lane, &place, HALF, access,
                                  is_write ? bytes + i : NULL);
    memcpy(is_write ? place.host : bytes + i, is_write ? bytes + i : place.host,
           HALF);
    shadow_exit(page);
  }
  return true;
}

static Step replace_lane(Warp *warp, const Inst *inst, int lane) {
  uint8_t bytes[TENSOR_MAP_BYTES];
  TensorMap map;
  const WordId field = (WordId)inst->bool_op;
  const uint64_t address = lane_address(warp, inst->op, lane);
  const uint64_t value =
      inst->sub ? (uint64_t)inst->imm
                : lane_get(warp, inst->op[3], is_wide(field) ? 8 : 4, lane);
  if (!open_map(warp, inst, lane, inst->space, address, ACCESS_READ, bytes))
    return STEP_FAULT;
  memcpy(&map, bytes, sizeof map);
  replace(&map, field, (uint64_t)inst->imm, value);
  memcpy(bytes, &map, sizeof map);
  return open_map(warp, inst, lane, inst->space, address, ACCESS_WRITE, bytes)
             ? STEP_NEXT
             : STEP_FAULT;
}

static Step exec_replace(Warp *warp, const Inst *inst, uint32_t mask) {
  for (int lane = 0; lane < LANES; lane++)
    if (in_mask(mask, lane) && replace_lane(warp, inst, lane) != STEP_NEXT)
      return STEP_FAULT;
  return STEP_NEXT;
}

static bool is_replace(const Form *form, const Inst *inst) {
  const WordId space = WORD_OF(form, SPACE);
  return WORD_OF(form, MODE) == WORD_REPLACE &&
         WORD_OF(form, WALK) == WORD_TILE &&
         WORD_OF(form, SHAPE) == WORD_B1024 &&
         (!space || space == WORD_GLOBAL || space == WORD_SHARED_CTA) &&
         form->types[0] ==
             (is_wide((WordId)inst->bool_op) ? TYPE_B64 : TYPE_B32);
}

// Fields that occur once, with a value in a register.
ExecFn pick_replace(const Form *form, Inst *inst) {
  const WordId field = WORD_OF(form, OP);
  inst->imm = 0;
  return is_replace(form, inst) &&
                 (field == WORD_GLOBAL_ADDRESS || field == WORD_RANK)
             ? exec_replace
             : NULL;
}

// Fields of each dimension.
ExecFn pick_replace_dim(const Form *form, Inst *inst) {
  const WordId field = WORD_OF(form, OP);
  return is_replace(form, inst) && inst->imm >= 0 && inst->imm < TENSOR_DIMS &&
                 (field == WORD_BOX_DIM || field == WORD_GLOBAL_DIM ||
                  field == WORD_GLOBAL_STRIDE || field == WORD_ELEMENT_STRIDE)
             ? exec_replace
             : NULL;
}

// Replaces a field by a value that is a constant of the instruction.
ExecFn pick_replace_mode(const Form *form, Inst *inst) {
  static const struct {
    WordId field;
    int most;
  } fields[] = {{WORD_ELEMTYPE, 12},
                {WORD_INTERLEAVE_LAYOUT, INTERLEAVE_32B},
                {WORD_SWIZZLE_MODE, SWIZZLE_128B},
                {WORD_FILL_MODE, FILL_NAN}};
  const int64_t value = inst->imm;
  inst->sub = 1;
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
    if (WORD_OF(form, OP) == fields[i].field && value >= 0 &&
        value <= fields[i].most)
      return is_replace(form, inst) ? exec_replace : NULL;
  return NULL;
}

// -- Making maps known -------------------------------------------------------

// Copies a map; all lanes of the warp take part.
static Step exec_cp_fenceproxy(Warp *warp, const Inst *inst, uint32_t mask) {
  uint8_t bytes[TENSOR_MAP_BYTES];
  const Step step = warp_assemble(warp, inst, mask);
  if (step != STEP_NEXT) return step;
  order_together(warp, mask);
  const int lane = __builtin_ctz(mask);
  if (!open_map(warp, inst, lane, SPACE_SHARED,
                lane_address(warp, inst->op + 3, lane), ACCESS_READ, bytes) ||
      !open_map(warp, inst, lane, SPACE_GLOBAL,
                lane_address(warp, inst->op, lane), ACCESS_WRITE, bytes))
    return STEP_FAULT;
  map_released(warp, lane);
  order_together(warp, mask);
  return STEP_NEXT;
}

ExecFn pick_cp_fenceproxy(const Form *form, Inst *inst) {
  return WORD_OF(form, MODE) == WORD_CP_FENCEPROXY &&
                 WORD_OF(form, SPACE) == WORD_GLOBAL &&
                 WORD_OF(form, SPACE2) == WORD_SHARED_CTA &&
                 WORD_OF(form, OP) == WORD_TENSORMAP_GENERIC &&
                 WORD_OF(form, ORDER) == WORD_RELEASE && WORD_OF(form, SCOPE) &&
                 WORD_OF(form, SYNC) && WORD_OF(form, ALIGNED) &&
                 inst->imm == TENSOR_MAP_BYTES
             ? exec_cp_fenceproxy
             : NULL;
}

static Step exec_acquire(Warp *warp, const Inst *inst, uint32_t mask) {
  for (int lane = 0; lane < LANES; lane++)
    if (in_mask(mask, lane))
      map_acquired(warp, lane, lane_address(warp, inst->op, lane));
  return STEP_NEXT;
}

static Step exec_release(Warp *warp, const Inst *inst, uint32_t mask) {
  (void)inst;
  for (int lane = 0; lane < LANES; lane++)
    if (in_mask(mask, lane)) map_released(warp, lane);
  return STEP_NEXT;
}

static bool is_fence(const Form *form, WordId order) {
  return WORD_OF(form, MODE) == WORD_PROXY &&
         WORD_OF(form, OP) == WORD_TENSORMAP_GENERIC &&
         WORD_OF(form, ORDER) == order && WORD_OF(form, SCOPE);
}

ExecFn pick_fence_tensormap(const Form *form, Inst *inst) {
  return is_fence(form, WORD_ACQUIRE) && inst->imm == TENSOR_MAP_BYTES
             ? exec_acquire
             : NULL;
}

ExecFn pick_fence_tensormap_release(const Form *form, Inst *inst) {
  (void)inst;
  return is_fence(form, WORD_RELEASE) ? exec_release : NULL;
}

ExecFn pick_prefetch_tensormap(const Form *form, Inst *inst) {
  const WordId space = WORD_OF(form, SPACE);
  (void)inst;
  return WORD_OF(form, TENSOR) == WORD_TENSORMAP &&
                 (!space || space == WORD_PARAM || space == WORD_CONST)
             ? exec_nothing
             : NULL;
}
