// copy.c -- ldmatrix, stmatrix and cp.async.
//
// A cp.async reads global memory and writes shared memory at the wait, as late
// as is allowed; until then the source counts as being read and the target as
// being written.
//
// For example, a lane copies 4 bytes to byte 0 by cp.async, and reads them
// before cp.async.wait_all: async-read, as cp.async is filling them.  Behind
// the wait it gets the value.
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/simulator/async/async.h"
#include "runtime/simulator/memory/lanes.h"
#include "runtime/simulator/watch/watch.h"

// -- ldmatrix and stmatrix ---------------------------------------------------

static Step rows_here(Warp *warp, const Inst *inst, uint32_t mask) {
  if (!warp_converged(warp, mask, ALL_LANES)) return STEP_BLOCK;
  order_together(warp, mask);
  if (mask == ALL_LANES) return STEP_NEXT;
  return report(warp, inst, __builtin_ctz(mask), KIND_BARRIER_DIVERGENCE,
                "lanes 0x%08x of the warp have exited", ~mask);
}

// Finds a row of 16 bytes, which must be in shared memory.
static bool place_row(Warp *warp, const Inst *inst, int lane,
                      const uint32_t *op, Access access, Place *place) {
  if (!memory_place(warp, inst, lane, inst->space, lane_address(warp, op, lane),
                    16, access, place))
    return false;
  if (place->space == SPACE_SHARED) return true;
  report(warp, inst, lane, KIND_INVALID, "the row is not in shared memory");
  return false;
}

static Step exec_ldmatrix(Warp *warp, const Inst *inst, uint32_t mask) {
  uint16_t rows[LANES][8];
  const Step step = rows_here(warp, inst, mask);
  if (step != STEP_NEXT) return step;
  const int n = inst->num_dst;
  assert(n >= 1 && 8 * n <= LANES && "more rows than lanes"); // I6
  for (int lane = 0; lane < 8 * n; lane++) {
    Place place;
    if (!place_row(warp, inst, lane, inst->op + n, ACCESS_READ, &place))
      return STEP_FAULT;
    shadow_enter(warp, inst, lane, &place, 16, ACCESS_READ, NULL);
    memcpy(rows[lane], place.host, 16);
  }
  for (int i = 0; i < n; i++) {
    uint32_t *d = reg(warp, inst->op[i]);
    for (int lane = 0; lane < LANES; lane++) {
      const int row = lane / 4, column = lane % 4 * 2;
      const uint16_t low =
          inst->trans ? rows[8 * i + column][row] : rows[8 * i + row][column];
      const uint16_t high = inst->trans ? rows[8 * i + column + 1][row]
                                        : rows[8 * i + row][column + 1];
      d[lane] = (uint32_t)high << 16 | low;
    }
  }
  return STEP_NEXT;
}

static Step exec_stmatrix(Warp *warp, const Inst *inst, uint32_t mask) {
  uint16_t rows[LANES][8];
  const Step step = rows_here(warp, inst, mask);
  if (step != STEP_NEXT) return step;
  const int n = inst->num_dst;
  assert(n >= 1 && 8 * n <= LANES && "more rows than lanes"); // I6
  for (int i = 0; i < n; i++) {
    const uint32_t *s = reg(warp, inst->op[3 + i]);
    for (int lane = 0; lane < LANES; lane++) {
      const int row = lane / 4, column = lane % 4 * 2;
      const uint16_t low = (uint16_t)s[lane], high = (uint16_t)(s[lane] >> 16);
      *(inst->trans ? &rows[8 * i + column][row] : &rows[8 * i + row][column]) =
          low;
      *(inst->trans ? &rows[8 * i + column + 1][row]
                    : &rows[8 * i + row][column + 1]) = high;
    }
  }
  for (int lane = 0; lane < 8 * n; lane++) {
    Place place;
    if (!place_row(warp, inst, lane, inst->op, ACCESS_WRITE, &place))
      return STEP_FAULT;
    shadow_enter(warp, inst, lane, &place, 16, ACCESS_WRITE,
                 (const uint8_t *)rows[lane]);
    memcpy(place.host, rows[lane], 16);
  }
  return STEP_NEXT;
}

// One 8x8 matrix among the registers of a warp, transposed.
static Step exec_movmatrix(Warp *warp, const Inst *inst, uint32_t mask) {
  uint16_t rows[8][8];
  const Step step = rows_here(warp, inst, mask);
  if (step != STEP_NEXT) return step;
  const uint32_t *a = reg(warp, inst->op[1]);
  for (int lane = 0; lane < LANES; lane++) {
    rows[lane / 4][lane % 4 * 2] = (uint16_t)a[lane];
    rows[lane / 4][lane % 4 * 2 + 1] = (uint16_t)(a[lane] >> 16);
  }
  uint32_t *d = reg(warp, inst->op[0]);
  for (int lane = 0; lane < LANES; lane++) {
    const int row = lane / 4, column = lane % 4 * 2;
    d[lane] = (uint32_t)rows[column + 1][row] << 16 | rows[column][row];
  }
  return STEP_NEXT;
}

ExecFn pick_movmatrix(const Form *form, Inst *inst) {
  return WORD_OF(form, SYNC) && WORD_OF(form, ALIGNED) && inst->trans &&
                 WORD_OF(form, SHAPE) == WORD_M8N8 && form->types[0] == TYPE_B16
             ? exec_movmatrix
             : NULL;
}

static bool is_matrix(const Form *form, const Inst *inst) {
  const WordId num = WORD_OF(form, NUM);
  const int n = num == WORD_X4 ? 4 : num == WORD_X2 ? 2 : num == WORD_X1;
  return n && inst->num_dst == n && form->types[0] == TYPE_B16 &&
         inst->reg_size == 4 && WORD_OF(form, SYNC) && WORD_OF(form, ALIGNED) &&
         WORD_OF(form, SHAPE) == WORD_M8N8 &&
         (inst->space == SPACE_SHARED || inst->space == SPACE_GENERIC);
}

ExecFn pick_ldmatrix(const Form *form, Inst *inst) {
  return is_matrix(form, inst) ? exec_ldmatrix : NULL;
}

ExecFn pick_stmatrix(const Form *form, Inst *inst) {
  return is_matrix(form, inst) ? exec_stmatrix : NULL;
}

// -- cp.async ----------------------------------------------------------------

static AsyncCopy *add_copy(Warp *warp) {
  if (warp->num_copies == warp->room_copies) {
    const size_t room = warp->room_copies ? warp->room_copies * 2 : 64;
    AsyncCopy *bigger = realloc(warp->copies, room * sizeof *bigger);
    if (!bigger) return NULL;
    warp->copies = bigger;
    warp->room_copies = room;
  }
  AsyncCopy *copy = &warp->copies[warp->num_copies++];
  *copy = (AsyncCopy){.serial = ++warp->copies_started};
  return copy;
}

// The bytes that come from the source; the rest of the target becomes zero.
static uint32_t source_bytes(const Warp *warp, const Inst *inst, int lane) {
  const uint32_t size = (uint32_t)inst->imm;
  if (inst->num_ops <= 6) return size;
  if (inst->sub) return in_mask(source_pred(warp, inst, 6), lane) ? 0 : size;
  const uint32_t *asked = reg(warp, inst->op[6]);
  return asked[lane] < size ? asked[lane] : size;
}

static bool find_source(Warp *warp, const AsyncCopy *copy, Place *from) {
  return memory_place_aligned(warp, copy->inst, copy->lane, SPACE_GLOBAL,
                              copy->from, copy->bytes, copy->size, ACCESS_READ,
                              from);
}

// From now on the source counts as being read; `take`: it is read now.
static bool start_reading(Warp *warp, AsyncCopy *copy, bool take) {
  Place from;
  if (!copy->bytes) return true;
  if (!find_source(warp, copy, &from)) return false;
  RacePage *page =
      shadow_copy_starts(warp, copy->inst, copy->lane, &from, copy->bytes);
  if (take) memcpy(copy->data, from.host, copy->bytes);
  copy->taken = take;
  shadow_exit(page);
  return true;
}

static Step start_copy(Warp *warp, const Inst *inst, int lane) {
  Place to;
  const uint32_t size = (uint32_t)inst->imm;
  if (!memory_place(warp, inst, lane, SPACE_SHARED,
                    lane_address(warp, inst->op, lane), size, ACCESS_WRITE,
                    &to))
    return STEP_FAULT;
  AsyncCopy *copy = add_copy(warp);
  if (!copy)
    return report(warp, inst, lane, KIND_INVALID, "too many copies under way");
  copy->from = lane_address(warp, inst->op + 3, lane);
  copy->to = (uint32_t)to.offset;
  copy->size = (uint8_t)size;
  copy->bytes = (uint8_t)source_bytes(warp, inst, lane);
  copy->lane = (uint8_t)lane;
  copy->inst = inst;
  // The read or the write, or both, may happen early.
  const bool early = warp->cta->launch->early;
  const uint32_t drawn = cta_draw(warp->cta, 3);
  if (!start_reading(warp, copy, early || drawn)) return STEP_FAULT;
  shadow_async(warp, inst, lane, &to, size);
  if (early || drawn == 1) memcpy(to.host, copy->data, size);
  return STEP_NEXT;
}

static Step exec_cp_async(Warp *warp, const Inst *inst, uint32_t mask) {
  for (int lane = 0; lane < LANES; lane++) {
    if (in_mask(mask, lane) && start_copy(warp, inst, lane) != STEP_NEXT)
      return STEP_FAULT;
  }
  return STEP_NEXT;
}

static ExecFn pick_copy(const Form *form, const Inst *inst) {
  const WordId cache = WORD_OF(form, CACHE);
  const int64_t size = inst->imm;
  const bool fits =
      size == 16 || (cache == WORD_CA && (size == 4 || size == 8));
  return WORD_OF(form, ASYNC) && (cache == WORD_CA || cache == WORD_CG) &&
                 fits && inst->space == SPACE_SHARED &&
                 WORD_OF(form, SPACE2) == WORD_GLOBAL
             ? exec_cp_async
             : NULL;
}

ExecFn pick_cp_async(const Form *form, Inst *inst) {
  return pick_copy(form, inst);
}

ExecFn pick_cp_async_unless(const Form *form, Inst *inst) {
  inst->sub = 1;
  return pick_copy(form, inst);
}

// The policy of the cache, which is the last operand, changes no result.
ExecFn pick_cp_async_hint(const Form *form, Inst *inst) {
  inst->num_ops--;
  return WORD_OF(form, HINT) ? pick_copy(form, inst) : NULL;
}

ExecFn pick_cp_async_unless_hint(const Form *form, Inst *inst) {
  inst->sub = 1;
  return pick_cp_async_hint(form, inst);
}

static Step exec_commit(Warp *warp, const Inst *inst, uint32_t mask) {
  (void)inst;
  for (int lane = 0; lane < LANES; lane++)
    if (in_mask(mask, lane)) warp->committed[lane]++;
  for (size_t i = 0; i < warp->num_copies; i++) {
    AsyncCopy *copy = &warp->copies[i];
    if (!copy->group && in_mask(mask, copy->lane))
      copy->group = warp->committed[copy->lane];
  }
  return STEP_NEXT;
}

static bool finish_reading(Warp *warp, AsyncCopy *copy) {
  Place from;
  if (!copy->bytes) return true;
  if (!find_source(warp, copy, &from)) return false;
  RacePage *page =
      shadow_copy_ends(warp, copy->inst, copy->lane, &from, copy->bytes, 0);
  if (!copy->taken) memcpy(copy->data, from.host, copy->bytes);
  shadow_exit(page);
  return true;
}

static Step finish_copy(Warp *warp, AsyncCopy *copy) {
  assert(copy->bytes <= copy->size && copy->size <= sizeof copy->data); // I3
  assert(copy->to + copy->size <= warp->cta->shared_end);               // I6
  if (!finish_reading(warp, copy)) return STEP_FAULT;
  memcpy(warp->cta->shared + copy->to, copy->data, copy->size);
  shadow_arrived(warp, copy->inst, copy->lane, copy->to, copy->size);
  return STEP_NEXT;
}

Step async_finish(Warp *warp, int lane, uint32_t serial) {
  size_t kept = 0;
  for (size_t i = 0; i < warp->num_copies; i++) {
    AsyncCopy copy = warp->copies[i];
    if (copy.lane != lane || copy.serial > serial)
      warp->copies[kept++] = copy;
    else if (finish_copy(warp, &copy) != STEP_NEXT)
      return STEP_FAULT;
  }
  warp->num_copies = kept;
  return STEP_NEXT;
}

// Waits for all but the last `imm` groups of each lane; for all copies if
// `sub`.
static Step exec_wait(Warp *warp, const Inst *inst, uint32_t mask) {
  size_t kept = 0;
  for (size_t i = 0; i < warp->num_copies; i++) {
    AsyncCopy copy = warp->copies[i];
    const uint32_t committed = warp->committed[copy.lane];
    assert(copy.group <= committed && "a group of the future"); // I5
    const bool in_time =
        copy.group && copy.group + (uint64_t)inst->imm <= committed;
    if (!in_mask(mask, copy.lane) || !(inst->sub || in_time))
      warp->copies[kept++] = copy;
    else if (finish_copy(warp, &copy) != STEP_NEXT)
      return STEP_FAULT;
  }
  warp->num_copies = kept;
  return STEP_NEXT;
}

ExecFn pick_cp_group(const Form *form, Inst *inst) {
  if (!WORD_OF(form, ASYNC)) return NULL;
  switch (WORD_OF(form, GROUP)) {
  case WORD_COMMIT_GROUP: return form->num_operands ? NULL : exec_commit;
  case WORD_WAIT_GROUP:
    return form->num_operands && inst->imm >= 0 ? exec_wait : NULL;
  case WORD_WAIT_ALL:
    inst->sub = 1;
    return form->num_operands ? NULL : exec_wait;
  default: return NULL;
  }
}

// A prefetch fills the cache, which changes no result.
ExecFn pick_bulk_prefetch(const Form *form, Inst *inst) {
  (void)inst;
  return WORD_OF(form, ASYNC) && WORD_OF(form, MODE) == WORD_BULK &&
                 WORD_OF(form, GROUP) == WORD_PREFETCH &&
                 WORD_OF(form, CACHE) == WORD_L2 &&
                 WORD_OF(form, SPACE) == WORD_GLOBAL &&
                 !WORD_OF(form, SPACE2) && operands_but_policy(form) == 2
             ? exec_nothing
             : NULL;
}
