// bulk.c -- cp.async.bulk: one thread copies many bytes.
//
// A copy to shared memory tells an mbarrier how many bytes have come, when
// somebody asks that or, with a schedule, some time later; one to global memory
// belongs to a group of its lane, which may await that it has been read or that
// it is there.  Until then the bytes are the copy's.  What is still under way
// when the CTA ends is there at its end.
#include <stdlib.h>
#include <string.h>

#include "runtime/simulator/code/async.h"
#include "runtime/simulator/memory/lanes.h"
#include "runtime/simulator/watch/shadow.h"

enum { UNIT = 16 };

static BulkCopy *add_copy(Warp *warp, uint32_t size) {
  if (warp->num_bulks == warp->room_bulks) {
    const size_t room = warp->room_bulks ? warp->room_bulks * 2 : 16;
    BulkCopy *bigger = realloc(warp->bulks, room * sizeof *bigger);
    if (!bigger) return NULL;
    warp->bulks = bigger;
    warp->room_bulks = room;
  }
  uint8_t *data = malloc(size);
  if (!data) return NULL;
  BulkCopy *copy = &warp->bulks[warp->num_bulks++];
  *copy = (BulkCopy){.data = data, .size = size};
  return copy;
}

void bulk_reset(Warp *warp) {
  for (size_t i = 0; i < warp->num_bulks; i++) free(warp->bulks[i].data);
  warp->num_bulks = 0;
  memset(warp->bulk_groups, 0, sizeof warp->bulk_groups);
}

// -- Pieces ------------------------------------------------------------------

static bool find_global(Warp *warp, const BulkCopy *copy, Access access,
                        Place *place) {
  return memory_place_aligned(warp, copy->inst, copy->lane, SPACE_GLOBAL,
                              copy->global, copy->size, UNIT, access, place);
}

// A step of the copy for its UNIT bytes from `at` on, which are within one page
// of the race checker.
typedef void (*PieceFn)(Warp *warp, const BulkCopy *copy, uint32_t at,
                        const Place *place);

static void each_piece(Warp *warp, const BulkCopy *copy, const Place *place,
                       PieceFn run) {
  for (uint32_t at = 0; at < copy->size; at += UNIT) {
    const Place piece = {place->host + at, place->space, place->offset + at,
                         place->cta};
    run(warp, copy, at, &piece);
  }
}

static void start_reading(Warp *warp, const BulkCopy *copy, uint32_t at,
                          const Place *place) {
  RacePage *page =
      shadow_copy_starts(warp, copy->inst, copy->lane, place, UNIT);
  if (copy->taken) memcpy(copy->data + at, place->host, UNIT);
  shadow_exit(page);
}

static void finish_reading(Warp *warp, const BulkCopy *copy, uint32_t at,
                           const Place *place) {
  RacePage *page = shadow_copy_ends(warp, copy->inst, copy->lane, place, UNIT,
                                    copy->started);
  if (!copy->taken) memcpy(copy->data + at, place->host, UNIT);
  shadow_exit(page);
}

// The target is this copy's until the wait, however early it is written: the
// race checker hears of a write at both times.
static void write_global(Warp *warp, const BulkCopy *copy, uint32_t at,
                         const Place *place) {
  const uint8_t *data = copy->data + at;
  RacePage *page = shadow_enter(warp, copy->inst, copy->lane, place, UNIT,
                                ACCESS_WRITE, copy->written ? NULL : data);
  if (!copy->written) memcpy(place->host, data, UNIT);
  shadow_exit(page);
}

// -- Starting ----------------------------------------------------------------

static Step too_many(const Warp *warp, const Inst *inst, int lane) {
  return report(warp, inst, lane, KIND_INVALID, "too many copies under way");
}

static BulkCopy *begin(Warp *warp, const Inst *inst, int lane, uint32_t size) {
  const bool to_global = inst->space == SPACE_GLOBAL;
  const uint64_t first = lane_address(warp, inst->op, lane);
  const uint64_t second = lane_address(warp, inst->op + 3, lane);
  Place place;
  if (size % UNIT) {
    report(warp, inst, lane, KIND_INVALID,
           "a bulk copy of %u bytes, which is no multiple of %d", size, UNIT);
    return NULL;
  }
  if (!memory_place_aligned(warp, inst, lane, SPACE_SHARED,
                            to_global ? second : first, size, UNIT,
                            to_global ? ACCESS_READ : ACCESS_WRITE, &place))
    return NULL;
  BulkCopy *copy = add_copy(warp, size);
  if (!copy) {
    too_many(warp, inst, lane);
    return NULL;
  }
  copy->global = to_global ? first : second;
  copy->shared = (uint32_t)place.offset;
  copy->lane = (uint8_t)lane;
  copy->inst = inst;
  copy->to_global = to_global;
  return copy;
}

// Returns whether the source is read at once; `writes`: the target is written
// at once, too.
static bool draw_early(Warp *warp, bool *writes) {
  const bool early = warp->cta->launch->early;
  const uint32_t drawn = cta_draw(warp->cta, 3);
  *writes = early || drawn == 1;
  return early || drawn;
}

static Step start_load(Warp *warp, const Inst *inst, int lane, uint32_t size) {
  uint32_t mbarrier;
  Place from;
  bool writes;
  if (!mbarrier_find(warp, inst, lane, inst->op + 7, &mbarrier))
    return STEP_FAULT;
  BulkCopy *copy = begin(warp, inst, lane, size);
  if (!copy || !find_global(warp, copy, ACCESS_READ, &from)) return STEP_FAULT;
  copy->mbarrier = mbarrier;
  copy->started = warp->now;
  copy->op = async_begin_at(warp, inst, lane, warp->cta, mbarrier, size);
  if (!copy->op) return too_many(warp, inst, lane);
  copy->taken = draw_early(warp, &writes);
  each_piece(warp, copy, &from, start_reading);
  async_writes(warp->cta, copy->op, copy->shared, size);
  if (writes) memcpy(warp->cta->shared + copy->shared, copy->data, size);
  return STEP_NEXT;
}

static Step write_target(Warp *warp, BulkCopy *copy) {
  Place to;
  if (!find_global(warp, copy, ACCESS_WRITE, &to)) return STEP_FAULT;
  each_piece(warp, copy, &to, write_global);
  copy->written = true;
  return STEP_NEXT;
}

static Step start_store(Warp *warp, const Inst *inst, int lane, uint32_t size) {
  Place to;
  bool writes;
  BulkCopy *copy = begin(warp, inst, lane, size);
  if (!copy || !find_global(warp, copy, ACCESS_WRITE, &to)) return STEP_FAULT;
  copy->op = async_begin(warp, inst, lane);
  if (!copy->op) return too_many(warp, inst, lane);
  copy->taken = draw_early(warp, &writes);
  async_reads(warp->cta, copy->op, copy->shared, size);
  if (copy->taken) memcpy(copy->data, warp->cta->shared + copy->shared, size);
  return writes ? write_target(warp, copy) : STEP_NEXT;
}

static Step exec_bulk(Warp *warp, const Inst *inst, uint32_t mask) {
  const uint32_t *size = reg(warp, inst->op[6]);
  for (int lane = 0; lane < LANES; lane++) {
    if (!in_mask(mask, lane) || !size[lane]) continue;
    const Step step = inst->space == SPACE_GLOBAL
                          ? start_store(warp, inst, lane, size[lane])
                          : start_load(warp, inst, lane, size[lane]);
    if (step != STEP_NEXT) return step;
  }
  order_written(warp);
  return STEP_NEXT;
}

// -- Ending ------------------------------------------------------------------

static Step finish_load(Warp *warp, BulkCopy *copy) {
  Place from;
  if (!find_global(warp, copy, ACCESS_READ, &from)) return STEP_FAULT;
  each_piece(warp, copy, &from, finish_reading);
  memcpy(warp->cta->shared + copy->shared, copy->data, copy->size);
  return mbarrier_bytes_came(warp->cta, copy->op, copy->size);
}

// The source may be written again.
static void finish_source(Warp *warp, BulkCopy *copy) {
  if (copy->read) return;
  if (!copy->taken)
    memcpy(copy->data, warp->cta->shared + copy->shared, copy->size);
  async_awaited(warp, copy->op, UINT32_C(1) << copy->lane);
  copy->taken = copy->read = true;
}

static Step finish_store(Warp *warp, BulkCopy *copy) {
  finish_source(warp, copy);
  return write_target(warp, copy);
}

static Step finish(Warp *warp, BulkCopy *copy) {
  const Step step =
      copy->to_global ? finish_store(warp, copy) : finish_load(warp, copy);
  free(copy->data);
  copy->data = NULL;
  return step;
}

static void drop_finished(Warp *warp) {
  size_t kept = 0;
  for (size_t i = 0; i < warp->num_bulks; i++)
    if (warp->bulks[i].data) warp->bulks[kept++] = warp->bulks[i];
  warp->num_bulks = kept;
}

// Copies of all warps: those that tell the mbarrier, some of them later with a
// schedule; NULL: every one.
static Step finish_some(Cta *cta, const uint32_t *mbarrier) {
  Step step = STEP_NEXT;
  for (uint32_t w = 0; w < cta->num_warps; w++) {
    Warp *warp = &cta->warps[w];
    for (size_t i = 0; i < warp->num_bulks && step == STEP_NEXT; i++) {
      BulkCopy *copy = &warp->bulks[i];
      if (!mbarrier || (!copy->to_global && copy->mbarrier == *mbarrier &&
                        !cta_draw(cta, 2)))
        step = finish(warp, copy);
    }
    drop_finished(warp);
  }
  return step;
}

Step bulk_finish_at(Cta *cta, uint32_t mbarrier) {
  return finish_some(cta, &mbarrier);
}

Step bulk_finish_all(Cta *cta) {
  return finish_some(cta, NULL);
}

// -- Groups ------------------------------------------------------------------

static Step exec_commit(Warp *warp, const Inst *inst, uint32_t mask) {
  (void)inst;
  for (int lane = 0; lane < LANES; lane++)
    if (in_mask(mask, lane)) warp->bulk_groups[lane]++;
  for (size_t i = 0; i < warp->num_bulks; i++) {
    BulkCopy *copy = &warp->bulks[i];
    if (copy->to_global && !copy->group && in_mask(mask, copy->lane))
      copy->group = warp->bulk_groups[copy->lane];
  }
  return STEP_NEXT;
}

// All but the last `imm` groups of each lane; of `.read` the sources only.
static Step exec_wait(Warp *warp, const Inst *inst, uint32_t mask) {
  Step step = STEP_NEXT;
  for (size_t i = 0; i < warp->num_bulks && step == STEP_NEXT; i++) {
    BulkCopy *copy = &warp->bulks[i];
    const uint32_t committed = warp->bulk_groups[copy->lane];
    if (!in_mask(mask, copy->lane) || !copy->group ||
        copy->group + (uint64_t)inst->imm > committed)
      continue;
    if (inst->bool_op == WORD_READ)
      finish_source(warp, copy);
    else
      step = finish(warp, copy);
  }
  drop_finished(warp);
  return step;
}

// -- Forms -------------------------------------------------------------------

static bool is_bulk(const Form *form) {
  return WORD_OF(form, ASYNC) && WORD_OF(form, MODE) == WORD_BULK;
}

ExecFn pick_bulk_load(const Form *form, Inst *inst) {
  const WordId to = WORD_OF(form, SPACE);
  (void)inst;
  return is_bulk(form) && WORD_OF(form, GROUP) == WORD_BYTES_COMPLETE &&
                 (to == WORD_SHARED_CLUSTER || to == WORD_SHARED_CTA) &&
                 WORD_OF(form, SPACE2) == WORD_GLOBAL &&
                 operands_but_policy(form) == 4
             ? exec_bulk
             : NULL;
}

ExecFn pick_bulk_store(const Form *form, Inst *inst) {
  (void)inst;
  return is_bulk(form) && WORD_OF(form, GROUP) == WORD_BULK_GROUP &&
                 WORD_OF(form, SPACE) == WORD_GLOBAL &&
                 WORD_OF(form, SPACE2) == WORD_SHARED_CTA &&
                 operands_but_policy(form) == 3
             ? exec_bulk
             : NULL;
}

// A prefetch fills the cache, which changes no result.
ExecFn pick_bulk_prefetch(const Form *form, Inst *inst) {
  (void)inst;
  return is_bulk(form) && WORD_OF(form, GROUP) == WORD_PREFETCH &&
                 WORD_OF(form, CACHE) == WORD_L2 &&
                 WORD_OF(form, SPACE) == WORD_GLOBAL &&
                 !WORD_OF(form, SPACE2) && operands_but_policy(form) == 2
             ? exec_nothing
             : NULL;
}

ExecFn pick_bulk_group(const Form *form, Inst *inst) {
  const WordId group = WORD_OF(form, GROUP), op = WORD_OF(form, OP);
  if (!is_bulk(form)) return NULL;
  if (group == WORD_COMMIT_GROUP)
    return form->num_operands || op ? NULL : exec_commit;
  return group == WORD_WAIT_GROUP && form->num_operands && inst->imm >= 0 &&
                 (!op || op == WORD_READ)
             ? exec_wait
             : NULL;
}
