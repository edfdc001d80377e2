// atomic.c -- atom and red.
//
// The lanes of a warp take their turns in order, or in random order with a
// seed.
#include "runtime/simulator/number/atomic.h"
#include "runtime/simulator/memory/lanes.h"
#include "runtime/simulator/watch/watch.h"

// One element's atomic operation by a lane; false after a report.
static bool update_element(Warp *warp, const Inst *inst, int lane,
                           uint64_t address, uint32_t align, uint64_t b,
                           uint64_t c, uint64_t *old) {
  const uint32_t size = type_table[inst->type].bytes;
  Place place;
  bool changed;
  if (!memory_place_aligned(warp, inst, lane, inst->space, address, size, align,
                            ACCESS_ATOMIC, &place))
    return false;
  if (place.space == SPACE_LOCAL) {
    report(warp, inst, lane, KIND_INVALID, "an atomic update of local memory");
    return false;
  }
  warp->cta->writes--; // if it changes nothing
  RacePage *page =
      shadow_enter(warp, inst, lane, &place, size, ACCESS_ATOMIC, NULL);
  *old = atomic_update(inst, place.host, b, c, place.space == SPACE_GLOBAL,
                       &changed);
  shadow_exit(page);
  warp->cta->writes += changed;
  return true;
}

// The elements of a vector are atomic one by one.
static bool update_lane(Warp *warp, const Inst *inst, int lane) {
  const uint32_t size = type_table[inst->type].bytes;
  const uint32_t count = inst->num_dst;
  const uint32_t *to = inst->op, *at = to + (inst->sub ? count : 0);
  const uint32_t *from = at + 3;
  const uint64_t address = lane_address(warp, at, lane);
  for (uint32_t i = 0; i < count; i++) {
    uint64_t old;
    const uint64_t b = lane_get(warp, from[i], size, lane);
    const uint64_t c =
        inst->bool_op == WORD_CAS ? lane_get(warp, from[1], size, lane) : 0;
    if (!update_element(warp, inst, lane, address + i * size,
                        i ? size : size * count, b, c, &old))
      return false;
    if (inst->sub) lane_set(warp, to[i], size, lane, old);
  }
  return true;
}

static Step exec_atom(Warp *warp, const Inst *inst, uint32_t mask) {
  const uint32_t first = cta_draw(warp->cta, LANES);
  const uint32_t step = 2 * cta_draw(warp->cta, LANES / 2) + 1;
  for (uint32_t i = 0; i < LANES; i++) {
    const int lane = (int)((first + i * step) % LANES);
    if (in_mask(mask, lane) && !update_lane(warp, inst, lane))
      return STEP_FAULT;
  }
  order_written(warp);
  return STEP_NEXT;
}

static bool is_small_float(TypeId type) {
  return type == TYPE_F16 || type == TYPE_BF16 || type == TYPE_F16X2 ||
         type == TYPE_BF16X2;
}

// 16-bit elements are floats, which are summed if the form has .noftz, or bits,
// for cas and exch.
static bool can_update(const Form *form) {
  const TypeId type = (TypeId)form->types[0];
  const int size = type_table[type].bytes;
  const bool is_bits = type_table[type].class == CLASS_BITS;
  const bool is_int = is_int_type(type) && (size == 4 || size == 8);
  const bool is_small = is_small_float(type);
  const bool is_float = type == TYPE_F32 || type == TYPE_F64 || is_small;
  const bool keeps = WORD_OF(form, NOFTZ);
  if (keeps && !(is_small && WORD_OF(form, OP) == WORD_ADD)) return false;
  switch (WORD_OF(form, OP)) {
  case WORD_ADD:
    return (is_int || is_float) && keeps == is_small && type != TYPE_S64;
  case WORD_MIN:
  case WORD_MAX: return is_int;
  case WORD_INC:
  case WORD_DEC: return type == TYPE_U32;
  case WORD_AND:
  case WORD_OR:
  case WORD_XOR: return is_bits && (size == 4 || size == 8);
  case WORD_EXCH: return is_bits && (size == 4 || size == 8);
  case WORD_CAS: return is_bits && size >= 2 && size <= 8;
  default: return false;
  }
}

// Vectors of at most 16 bytes, in global memory: sums of f32, and of the small
// floats sums and extremes.
static bool can_update_vector(const Form *form, const Inst *inst) {
  const TypeId type = (TypeId)form->types[0];
  const WordId op = WORD_OF(form, OP);
  const bool is_small = is_small_float(type), keeps = WORD_OF(form, NOFTZ);
  const WordId space = WORD_OF(form, SPACE);
  if ((inst->space != SPACE_GENERIC && space != WORD_GLOBAL) ||
      space == WORD_CONST)
    return false;
  if (type_table[type].bytes * inst->num_dst > 16 || keeps != is_small)
    return false;
  return op == WORD_ADD ? type == TYPE_F32 || is_small
                        : is_small && (op == WORD_MIN || op == WORD_MAX);
}

static bool is_updatable(const Inst *inst) {
  return inst->space == SPACE_GENERIC || inst->space == SPACE_GLOBAL ||
         inst->space == SPACE_SHARED;
}

// Constants are never written, and a cache policy is for global memory.
static bool space_fits(const Form *form, const Inst *inst) {
  return WORD_OF(form, SPACE) != WORD_CONST && is_updatable(inst) &&
         !(WORD_OF(form, HINT) && inst->space == SPACE_SHARED);
}

ExecFn pick_atom(const Form *form, Inst *inst) {
  inst->sub = inst->num_dst = 1;
  const int wanted = WORD_OF(form, OP) == WORD_CAS ? 4 : 3;
  if (operands_but_policy(form) != wanted || WORD_OF(form, VEC)) return NULL;
  return can_update(form) && space_fits(form, inst) ? exec_atom : NULL;
}

// The last operand is a cache policy.
ExecFn pick_atom_hint(const Form *form, Inst *inst) {
  return WORD_OF(form, HINT) ? pick_atom(form, inst) : NULL;
}

static bool is_reduction(const Form *form) {
  const WordId op = WORD_OF(form, OP), order = WORD_OF(form, ORDER);
  return op != WORD_CAS && op != WORD_EXCH && operands_but_policy(form) == 2 &&
         order != WORD_ACQUIRE && order != WORD_ACQ_REL;
}

ExecFn pick_red(const Form *form, Inst *inst) {
  inst->num_dst = 1;
  if (!is_reduction(form) || WORD_OF(form, VEC)) return NULL;
  return can_update(form) && space_fits(form, inst) ? exec_atom : NULL;
}

ExecFn pick_atom_vector(const Form *form, Inst *inst) {
  inst->sub = 1;
  if (operands_but_policy(form) != 3 || !WORD_OF(form, VEC)) return NULL;
  return can_update_vector(form, inst) ? exec_atom : NULL;
}

ExecFn pick_red_vector(const Form *form, Inst *inst) {
  if (!is_reduction(form) || !WORD_OF(form, VEC)) return NULL;
  return can_update_vector(form, inst) ? exec_atom : NULL;
}
