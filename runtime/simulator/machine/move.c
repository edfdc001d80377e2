// move.c -- moves, selections, address conversions, control.
#include <stdio.h>
#include <string.h>

#include "runtime/simulator/machine/families.h"
#include "runtime/simulator/machine/run.h"
#include "runtime/simulator/memory/lanes.h"
#include "runtime/simulator/memory/memory.h"
#include "runtime/simulator/number/number.h"
#include "runtime/simulator/order/order.h"

#define MOVE(name, T)                                                          \
  static Step move_##name(Warp *warp, const Inst *inst, uint32_t mask) {       \
    T *d = reg(warp, inst->op[0]);                                             \
    const T *x = reg(warp, inst->op[1]);                                       \
    for (int lane = 0; lane < LANES; lane++)                                   \
      if (in_mask(mask, lane)) d[lane] = x[lane];                              \
    return STEP_NEXT;                                                          \
  }

MOVE(8, uint8_t)
MOVE(16, uint16_t)
MOVE(32, uint32_t)
MOVE(64, uint64_t)
MOVE(128, Uint128)

Step exec_mov32(Warp *warp, const Inst *inst, uint32_t mask) {
  return move_32(warp, inst, mask);
}

Step exec_mov64(Warp *warp, const Inst *inst, uint32_t mask) {
  return move_64(warp, inst, mask);
}

ExecFn pick_mov(const Form *form, Inst *inst) {
  (void)inst;
  switch (type_table[form->types[0]].bytes) {
  case 1: return move_8;
  case 2: return move_16;
  case 4: return move_32;
  case 8: return move_64;
  case 16: return move_128;
  default: return NULL;
  }
}

static Step exec_pack(Warp *warp, const Inst *inst, uint32_t mask) {
  const uint32_t size = type_table[inst->type].bytes, n = inst->num_dst;
  const uint32_t part = size / n;
  uint8_t *d = reg(warp, inst->op[0]);
  for (uint32_t i = 0; i < n; i++) {
    const uint8_t *x = reg(warp, inst->op[1 + i]);
    for (uint32_t lane = 0; lane < LANES; lane++) {
      if (in_mask(mask, (int)lane))
        memcpy(d + lane * size + i * part, x + lane * part, part);
    }
  }
  return STEP_NEXT;
}

// Reads the source before it writes, since the source may be one of the
// results.
static Step exec_unpack(Warp *warp, const Inst *inst, uint32_t mask) {
  const uint32_t size = type_table[inst->type].bytes, n = inst->num_dst;
  const uint32_t part = size / n;
  uint8_t copy[16 * LANES];
  memcpy(copy, reg(warp, inst->op[n]), (size_t)size * LANES);
  for (uint32_t i = 0; i < n; i++) {
    uint8_t *d = reg(warp, inst->op[i]);
    for (uint32_t lane = 0; lane < LANES; lane++) {
      if (in_mask(mask, (int)lane))
        memcpy(d + lane * part, copy + lane * size + i * part, part);
    }
  }
  return STEP_NEXT;
}

ExecFn pick_pack(const Form *form, Inst *inst) {
  return type_table[form->types[0]].class == CLASS_BITS && inst->num_dst <= 4
             ? exec_pack
             : NULL;
}

ExecFn pick_unpack(const Form *form, Inst *inst) {
  return pick_pack(form, inst) ? exec_unpack : NULL;
}

// A special register of four elements.
static Step exec_mov_special(Warp *warp, const Inst *inst, uint32_t mask) {
  for (int i = 0; i < 4; i++)
    for (int lane = 0; lane < LANES; lane++)
      if (in_mask(mask, lane))
        lane_set(warp, inst->op[i], inst->reg_size, lane,
                 lane_get(warp, inst->op[4 + i], inst->reg_size, lane));
  return STEP_NEXT;
}

ExecFn pick_mov_special(const Form *form, Inst *inst) {
  return WORD_OF(form, VEC) == WORD_V4 &&
                 inst->reg_size == type_table[form->types[0]].bytes
             ? exec_mov_special
             : NULL;
}

// All elements are read before one is written: `{v.y, v.x}` may go to `v`.
static Step exec_mov_vector(Warp *warp, const Inst *inst, uint32_t mask) {
  const uint32_t n = inst->num_dst, size = inst->reg_size;
  uint64_t copy[4];
  for (int lane = 0; lane < LANES; lane++) {
    if (!in_mask(mask, lane)) continue;
    for (uint32_t i = 0; i < n; i++)
      copy[i] = lane_get(warp, inst->op[n + i], size, lane);
    for (uint32_t i = 0; i < n; i++)
      lane_set(warp, inst->op[i], size, lane, copy[i]);
  }
  return STEP_NEXT;
}

ExecFn pick_mov_vector(const Form *form, Inst *inst) {
  const WordId vec = WORD_OF(form, VEC);
  const uint32_t size = type_table[form->types[0]].bytes;
  return (vec == WORD_V2 || vec == WORD_V4) && size == inst->reg_size &&
                 size * inst->num_dst <= 16
             ? exec_mov_vector
             : NULL;
}

// -- Selections --------------------------------------------------------------

static Step exec_selp(Warp *warp, const Inst *inst, uint32_t mask) {
  const uint32_t size = type_table[inst->type].bytes;
  const uint32_t chosen = source_pred(warp, inst, 3);
  uint8_t *d = reg(warp, inst->op[0]);
  const uint8_t *a = reg(warp, inst->op[1]), *b = reg(warp, inst->op[2]);
  for (uint32_t lane = 0; lane < LANES; lane++) {
    if (!in_mask(mask, (int)lane)) continue;
    const uint8_t *from = in_mask(chosen, (int)lane) ? a : b;
    memmove(d + lane * size, from + lane * size, size);
  }
  return STEP_NEXT;
}

ExecFn pick_selp(const Form *form, Inst *inst) {
  (void)inst;
  return type_table[form->types[0]].bytes >= 2 ? exec_selp : NULL;
}

static Step exec_slct(Warp *warp, const Inst *inst, uint32_t mask) {
  const uint32_t size = type_table[inst->type].bytes;
  for (int lane = 0; lane < LANES; lane++) {
    if (!in_mask(mask, lane)) continue;
    bool first;
    if (inst->type2 == TYPE_S32) {
      const int32_t *c = reg(warp, inst->op[3]);
      first = c[lane] >= 0;
    } else {
      const float *c = reg(warp, inst->op[3]);
      first = (inst->ftz ? flush_float(c[lane]) : c[lane]) >= 0;
    }
    lane_set(warp, inst->op[0], size, lane,
             lane_get(warp, inst->op[first ? 1 : 2], size, lane));
  }
  return STEP_NEXT;
}

ExecFn pick_slct(const Form *form, Inst *inst) {
  const TypeId by = (TypeId)form->types[1];
  return by == TYPE_F32 || (by == TYPE_S32 && !inst->ftz) ? exec_slct : NULL;
}

// -- Addresses ---------------------------------------------------------------

static uint64_t window_of(uint8_t space) {
  switch (space) {
  case SPACE_SHARED: return SHARED_WINDOW;
  case SPACE_LOCAL: return LOCAL_WINDOW;
  case SPACE_PARAM: return PARAM_WINDOW;
  default: return 0;
  }
}

static Step exec_cvta(Warp *warp, const Inst *inst, uint32_t mask) {
  const uint32_t size = type_table[inst->type].bytes;
  const uint64_t window = window_of(inst->space);
  for (int lane = 0; lane < LANES; lane++) {
    if (!in_mask(mask, lane)) continue;
    const uint64_t a = lane_get(warp, inst->op[1], size, lane);
    lane_set(warp, inst->op[0], size, lane,
             inst->sub ? a - window : a + window);
  }
  return STEP_NEXT;
}

// Parameters of functions have no generic address.
static bool has_window(const Form *form) {
  return WORD_OF(form, SPACE) && WORD_OF(form, SPACE) != WORD_PARAM_FUNC;
}

ExecFn pick_cvta(const Form *form, Inst *inst) {
  inst->sub = WORD_OF(form, TO) != WORD_NONE;
  return has_window(form) && form->types[0] == TYPE_U64 ? exec_cvta : NULL;
}

static Step exec_isspacep(Warp *warp, const Inst *inst, uint32_t mask) {
  const uint64_t *a = reg(warp, inst->op[2]);
  const uint64_t window = window_of(inst->space);
  uint32_t result = 0;
  for (int lane = 0; lane < LANES; lane++) {
    const uint64_t own = a[lane] & ~(WINDOW_SIZE - 1);
    const bool is_global =
        own != SHARED_WINDOW && own != LOCAL_WINDOW && own != PARAM_WINDOW;
    if (window ? own == window : is_global) result |= UINT32_C(1) << lane;
  }
  set_pred(warp, inst->op[0], mask, result);
  return STEP_NEXT;
}

static Step exec_is_const(Warp *warp, const Inst *inst, uint32_t mask) {
  const Memory *memory = warp->cta->launch->memory;
  const uint64_t *a = reg(warp, inst->op[2]);
  uint32_t result = 0;
  for (int lane = 0; lane < LANES; lane++) {
    const Allocation *found = memory_find(memory, a[lane]);
    if (found && found->is_const && memory_holds(memory, a[lane], 1))
      result |= UINT32_C(1) << lane;
  }
  set_pred(warp, inst->op[0], mask, result);
  return STEP_NEXT;
}

ExecFn pick_isspacep(const Form *form, Inst *inst) {
  (void)inst;
  if (WORD_OF(form, SPACE) == WORD_CONST) return exec_is_const;
  return has_window(form) ? exec_isspacep : NULL;
}

// -- Control -----------------------------------------------------------------

ExecFn pick_nothing(const Form *form, Inst *inst) {
  (void)form;
  (void)inst;
  return exec_nothing;
}

// A cache instruction, which changes no result.
ExecFn pick_line(const Form *form, Inst *inst) {
  enum { BYTES = 128 };
  return inst->imm == BYTES ? pick_nothing(form, inst) : NULL;
}

// Kernels run one after the other, so there is no wait.
ExecFn pick_griddepcontrol(const Form *form, Inst *inst) {
  const WordId mode = WORD_OF(form, MODE);
  const bool known = mode == WORD_WAIT || mode == WORD_LAUNCH_DEPENDENTS;
  return known ? pick_nothing(form, inst) : NULL;
}

// A prefetch has a level of the cache, or a priority, which is for global
// memory only.
ExecFn pick_prefetch(const Form *form, Inst *inst) {
  const bool has_priority = WORD_OF(form, EVICT2);
  const WordId space = WORD_OF(form, SPACE);
  (void)inst;
  if (has_priority == (WORD_OF(form, MODE) != WORD_NONE)) return NULL;
  if (space == WORD_PARAM || space == WORD_CONST) return NULL;
  return !has_priority || space == WORD_GLOBAL || !space ? exec_nothing : NULL;
}

Step exec_exit(Warp *warp, const Inst *inst, uint32_t mask) {
  (void)inst;
  return warp_exit(warp, mask);
}

ExecFn pick_exit(const Form *form, Inst *inst) {
  (void)form;
  (void)inst;
  return exec_exit;
}

static Step exec_trap(Warp *warp, const Inst *inst, uint32_t mask) {
  return report(warp, inst, __builtin_ctz(mask), KIND_TRAP, "trap");
}

ExecFn pick_trap(const Form *form, Inst *inst) {
  (void)form;
  (void)inst;
  return exec_trap;
}

// One target of brx.idx: the lanes with this index branch.
Step exec_indexed_branch(Warp *warp, const Inst *inst, uint32_t mask) {
  const uint32_t *index = reg(warp, inst->op[0]);
  uint32_t taken = 0;
  for (int lane = 0; lane < LANES; lane++) {
    if (in_mask(mask, lane) && index[lane] == inst->op[1])
      taken |= UINT32_C(1) << lane;
  }
  return warp_branch(warp, mask, taken, inst->target);
}

Step exec_forget(Warp *warp, const Inst *inst, uint32_t mask) {
  set_pred(warp, inst->op[1], mask, 0);
  return STEP_NEXT;
}

Step exec_is_function(Warp *warp, const Inst *inst, uint32_t mask) {
  const uint64_t *pointers = reg(warp, inst->op[2]);
  uint32_t same = 0;
  for (int lane = 0; lane < LANES; lane++)
    if (pointers[lane] == (uint64_t)inst->imm) same |= UINT32_C(1) << lane;
  set_pred(warp, inst->op[0], mask, same);
  set_pred(warp, inst->op[1], mask, same | *pred(warp, inst->op[1]));
  return STEP_NEXT;
}

Step exec_no_function(Warp *warp, const Inst *inst, uint32_t mask) {
  const uint64_t *pointers = reg(warp, inst->op[2]);
  const uint32_t lost = mask & ~*pred(warp, inst->op[1]);
  if (!lost) return STEP_NEXT;
  const int lane = __builtin_ctz(lost);
  return report(warp, inst, lane, KIND_INVALID,
                "a call of 0x%llx, which is no function that it may be",
                (unsigned long long)pointers[lane]);
}

static Step exec_fence(Warp *warp, const Inst *inst, uint32_t mask) {
  const bool is_sc = inst->order == WORD_NONE || inst->order == WORD_SC;
  order_fence(warp, mask, strength_of(inst, true).reach, is_sc);
  // One location updated by all threads, which sanitizers understand as a
  // fence.
  warp->cta->launch->fences++;
  return STEP_NEXT;
}

static Step exec_fence_init(Warp *warp, const Inst *inst, uint32_t mask) {
  (void)inst;
  order_proxy_fence(warp, mask, CLOCK_INITS);
  return STEP_NEXT;
}

// A fence between aliases orders nothing.
ExecFn pick_fence(const Form *form, Inst *inst) {
  (void)inst;
  if (WORD_OF(form, MODE) == WORD_PROXY)
    return WORD_OF(form, OP) == WORD_ALIAS && !WORD_OF(form, SCOPE) &&
                   !WORD_OF(form, ORDER)
               ? exec_nothing
               : NULL;
  if (WORD_OF(form, MODE) == WORD_MBARRIER_INIT)
    return WORD_OF(form, SCOPE) == WORD_CLUSTER && !WORD_OF(form, OP) &&
                   WORD_OF(form, ORDER) == WORD_RELEASE
               ? exec_fence_init
               : NULL;
  if (WORD_OF(form, MODE) || WORD_OF(form, OP)) return NULL;
  return WORD_OF(form, SCOPE) ? exec_fence : NULL;
}

// fence.proxy.async is in all memory or in one space.
static Step exec_fence_async(Warp *warp, const Inst *inst, uint32_t mask) {
  const bool is_all = inst->space == SPACE_GENERIC;
  if (is_all || inst->space == SPACE_SHARED)
    order_proxy_fence(warp, mask, CLOCK_PROXY_SHARED);
  if (is_all || inst->space == SPACE_GLOBAL)
    order_proxy_fence(warp, mask, CLOCK_PROXY_GLOBAL);
  return STEP_NEXT;
}

ExecFn pick_fence_async(const Form *form, Inst *inst) {
  const WordId space = WORD_OF(form, SPACE);
  (void)inst;
  return WORD_OF(form, MODE) == WORD_PROXY && WORD_OF(form, ASYNC) &&
                 (!space || space == WORD_GLOBAL || space == WORD_SHARED_CTA ||
                  space == WORD_SHARED_CLUSTER)
             ? exec_fence_async
             : NULL;
}

// Policies of the cache change no result.
static Step exec_createpolicy(Warp *warp, const Inst *inst, uint32_t mask) {
  uint64_t *d = reg(warp, inst->op[0]);
  for (int lane = 0; lane < LANES; lane++)
    if (in_mask(mask, lane)) d[lane] = 0;
  return STEP_NEXT;
}

// The first priority may be any, the second one of two.
static bool priorities_fit(const Form *form) {
  const WordId first = WORD_OF(form, OP), second = WORD_OF(form, EVICT2);
  if (!first) return second == WORD_L2_EVICT_NORMAL;
  return !second || second == WORD_L2_EVICT_FIRST ||
         second == WORD_L2_EVICT_UNCHANGED;
}

static ExecFn pick_policy(const Form *form, bool is_known) {
  return form->types[0] == TYPE_B64 && is_known ? exec_createpolicy : NULL;
}

ExecFn pick_policy_fraction(const Form *form, Inst *inst) {
  (void)inst;
  return pick_policy(form, WORD_OF(form, MODE) == WORD_FRACTIONAL &&
                               priorities_fit(form));
}

ExecFn pick_policy_range(const Form *form, Inst *inst) {
  const bool in_global =
      (inst->space == SPACE_GENERIC || inst->space == SPACE_GLOBAL) &&
      WORD_OF(form, SPACE) != WORD_CONST;
  return pick_policy(form, WORD_OF(form, MODE) == WORD_RANGE && in_global &&
                               priorities_fit(form));
}

ExecFn pick_policy_cvt(const Form *form, Inst *inst) {
  (void)inst;
  return pick_policy(form, WORD_OF(form, MODE) == WORD_CVT &&
                               WORD_OF(form, CACHE) == WORD_L2);
}

// The operand is the number of an event, or with .mask a set of 16 events.
ExecFn pick_pmevent(const Form *form, Inst *inst) {
  const int64_t most = WORD_OF(form, MODE) ? 0xffff : 15;
  return inst->imm >= 0 && inst->imm <= most ? exec_nothing : NULL;
}
