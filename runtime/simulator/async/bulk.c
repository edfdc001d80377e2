// bulk.c -- cp.async.bulk: one thread copies many bytes.
//
// A copy to shared memory completes its bytes at an mbarrier, when a thread
// tests that or, with a random schedule, some time later.  A copy to global
// memory belongs to a group of its lane, which may wait until the source is
// read or until the target is written.  Until then the bytes are the copy's.
// Copies that still run when the CTA ends are over by its end.  All accesses of
// copies to memory are made by the piece functions here, for tensors, too.
//
// For example, a copy of 64 bytes completes at an mbarrier that expects 64.  At
// the start the source counts as being read and the target as being written.
// When a warp calls try_wait, the bytes are copied, the mbarrier's pending
// bytes become 0, and the phase ends.
#include "runtime/simulator/async/bulk.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/simulator/async/async.h"
#include "runtime/simulator/memory/lanes.h"
#include "runtime/simulator/watch/watch.h"

enum { UNIT = 16 };

static BulkCopy *add_copy(Warp *warp, const BulkCopy *plan) {
  if (warp->num_bulks == warp->room_bulks) {
    const size_t room = warp->room_bulks ? warp->room_bulks * 2 : 16;
    BulkCopy *bigger = realloc(warp->bulks, room * sizeof *bigger);
    if (!bigger) return NULL;
    warp->bulks = bigger;
    warp->room_bulks = room;
  }
  uint8_t *data = malloc(plan->room);
  CopiedBox *box = plan->box ? malloc(sizeof *box) : NULL;
  if (!data || (plan->box && !box)) {
    free(data);
    free(box);
    return NULL;
  }
  if (box) *box = *plan->box;
  BulkCopy *copy = &warp->bulks[warp->num_bulks++];
  *copy = *plan;
  copy->lanes = UINT32_C(1) << copy->lane;
  copy->data = data;
  copy->box = box;
  warp->num_loads += !copy->to_global;
  return copy;
}

static void forget(BulkCopy *copy) {
  free(copy->data);
  free(copy->box);
  copy->data = NULL;
  copy->box = NULL;
}

void bulk_reset(Warp *warp) {
  for (size_t i = 0; i < warp->num_bulks; i++) forget(&warp->bulks[i]);
  warp->num_bulks = warp->num_loads = 0;
  memset(warp->bulk_groups, 0, sizeof warp->bulk_groups);
}

// -- Pieces ------------------------------------------------------------------

void bulk_each_page(Warp *warp, const BulkCopy *copy, uint32_t at,
                    const Place *place, uint32_t size, PieceFn run) {
  const bool is_shared = place->space == SPACE_SHARED;
  const uint64_t base = is_shared ? 0 : warp->last->start;
  assert(place->offset >= base && "in front of its memory"); // I3
  Place piece = *place;
  while (size) {
    const uint32_t room =
        RACE_PAGE_BYTES - (uint32_t)((piece.offset - base) % RACE_PAGE_BYTES);
    const uint32_t now = size < room ? size : room;
    run(warp, copy, at, &piece, now);
    at += now;
    piece.host += now;
    piece.offset += now;
    size -= now;
  }
}

static bool each_global(Warp *warp, const BulkCopy *copy, Access access,
                        PieceFn run) {
  Place place;
  if (copy->box) return tensor_each_global(warp, copy, access, run);
  if (!memory_place_aligned(warp, copy->inst, copy->lane, SPACE_GLOBAL,
                            copy->global, copy->size, UNIT, access, &place))
    return false;
  bulk_each_page(warp, copy, 0, &place, copy->size, run);
  return true;
}

static void each_shared(Warp *warp, const BulkCopy *copy, SharedFn run) {
  if (copy->box && copy->room != copy->size)
    tensor_each_shared(warp, copy, run);
  else
    run(warp, copy, 0, copy->room);
}

static void take(const BulkCopy *copy, uint32_t at, const Place *place,
                 uint32_t size) {
  assert(at + size <= copy->room && "past its data"); // I3
  if (copy->box)
    tensor_take(copy, at, place->host, size);
  else
    memcpy(copy->data + at, place->host, size);
}

// The copy will read the bytes soon: rows of a tensor are far apart in memory.
static void prefetch(const uint8_t *bytes, uint32_t size) {
  enum { CACHE_LINE = 64 };
  for (uint32_t i = 0; i < size; i += CACHE_LINE) __builtin_prefetch(bytes + i);
}

static void start_reading(Warp *warp, const BulkCopy *copy, uint32_t at,
                          const Place *place, uint32_t size) {
  RacePage *page =
      shadow_copy_starts(warp, copy->inst, copy->lane, place, size);
  if (copy->taken)
    take(copy, at, place, size);
  else
    prefetch(place->host, size);
  shadow_exit(page);
}

static void finish_reading(Warp *warp, const BulkCopy *copy, uint32_t at,
                           const Place *place, uint32_t size) {
  RacePage *page = shadow_copy_ends(warp, copy->inst, copy->lane, place, size,
                                    copy->started);
  if (!copy->taken) take(copy, at, place, size);
  shadow_exit(page);
}

static void start_filling(Warp *warp, const BulkCopy *copy, uint32_t at,
                          uint32_t size) {
  (void)warp;
  async_writes(copy->at, copy->op, copy->shared + at, size);
}

static void start_emptying(Warp *warp, const BulkCopy *copy, uint32_t at,
                           uint32_t size) {
  (void)warp;
  async_reads(copy->at, copy->op, copy->shared + at, size);
}

static void fill(Warp *warp, const BulkCopy *copy, uint32_t at, uint32_t size) {
  (void)warp;
  assert(at + size <= copy->room && "past its data"); // I3
  memcpy(copy->at->shared + copy->shared + at, copy->data + at, size);
}

static void empty(Warp *warp, const BulkCopy *copy, uint32_t at,
                  uint32_t size) {
  (void)warp;
  assert(at + size <= copy->room && "past its data"); // I3
  memcpy(copy->data + at, copy->at->shared + copy->shared + at, size);
}

// Fills some of the bytes before the others, to show a reader that does not
// wait.
static void fill_some(Warp *warp, const BulkCopy *copy, uint32_t at,
                      uint32_t size) {
  for (uint32_t i = 0; i < size; i += UNIT)
    if (cta_draw(warp->cta, 2)) fill(warp, copy, at + i, UNIT);
}

// The target is this copy's until the wait, however early it is written: the
// race checker gets a write at both times.
static void write_global(Warp *warp, const BulkCopy *copy, uint32_t at,
                         const Place *place, uint32_t size) {
  uint8_t bytes[RACE_PAGE_BYTES];
  assert(size <= sizeof bytes && at + size <= copy->room); // I3
  const uint8_t *data = copy->data + at;
  if (copy->box) {
    tensor_give(copy, at, bytes, size);
    data = bytes;
  }
  if (copy->written && !memcmp(place->host, data, size)) data = place->host;
  RacePage *page = shadow_enter(warp, copy->inst, copy->lane, place, size,
                                ACCESS_WRITE, data);
  if (!copy->written) memcpy(place->host, data, size);
  shadow_exit(page);
}

// -- Starting ----------------------------------------------------------------

// Returns whether the source is read at once; `writes`: the target is written
// at once, too.
static bool draw_early(Warp *warp, bool *writes) {
  const bool early = warp->cta->launch->early;
  const uint32_t drawn = cta_draw(warp->cta, 3);
  *writes = early || drawn == 1;
  return early || drawn;
}

static Step too_many(const Warp *warp, const Inst *inst, int lane) {
  return report(warp, inst, lane, KIND_INVALID, "too many copies under way");
}

static bool start_source(Warp *warp, BulkCopy *copy) {
  if (!copy->from_shared)
    return each_global(warp, copy, ACCESS_READ, start_reading);
  async_reads(warp->cta, copy->op, copy->source, copy->size);
  if (copy->taken) bulk_take_own(warp, copy);
  return true;
}

static Step start_load(Warp *warp, BulkCopy *copy) {
  bool writes;
  copy->started = warp->now;
  copy->op = async_begin_at(warp, copy->inst, copy->lane, copy->at,
                            copy->mbarrier, copy->size);
  if (!copy->op) return too_many(warp, copy->inst, copy->lane);
  copy->taken = draw_early(warp, &writes);
  if (copy->box) tensor_fill(copy);
  if (copy->reduces) async_reduces(warp->cta, copy->op);
  if (!start_source(warp, copy)) return STEP_FAULT;
  each_shared(warp, copy, start_filling);
  if (copy->reduces) return STEP_NEXT;
  if (writes)
    each_shared(warp, copy, fill);
  else if (copy->taken && warp->cta->random)
    each_shared(warp, copy, fill_some);
  return STEP_NEXT;
}

static Step write_target(Warp *warp, BulkCopy *copy) {
  const Access access = copy->reduces ? ACCESS_ATOMIC : ACCESS_WRITE;
  if (!each_global(warp, copy, access,
                   copy->reduces ? bulk_reduce_global : write_global))
    return STEP_FAULT;
  copy->written = true;
  if (copy->reduces) order_written(warp);
  return STEP_NEXT;
}

static void find_target(Warp *warp, const BulkCopy *copy, uint32_t at,
                        const Place *place, uint32_t size) {
  (void)warp, (void)copy, (void)at, (void)place, (void)size;
}

static Step start_store(Warp *warp, BulkCopy *copy) {
  bool writes;
  if (!each_global(warp, copy, ACCESS_WRITE, find_target)) return STEP_FAULT;
  copy->op = async_begin(warp, copy->inst, copy->lane);
  if (!copy->op) return too_many(warp, copy->inst, copy->lane);
  copy->taken = draw_early(warp, &writes);
  each_shared(warp, copy, start_emptying);
  if (copy->taken) each_shared(warp, copy, empty);
  return writes ? write_target(warp, copy) : STEP_NEXT;
}

Step bulk_start(Warp *warp, const BulkCopy *plan) {
  if (bulk_joins(warp, plan)) return STEP_NEXT;
  BulkCopy *copy = add_copy(warp, plan);
  if (!copy) return too_many(warp, plan->inst, plan->lane);
  map_read_starts(warp, copy);
  return copy->to_global ? start_store(warp, copy) : start_load(warp, copy);
}

static Step start_lane(Warp *warp, const Inst *inst, int lane, uint32_t size) {
  const bool to_global = inst->space == SPACE_GLOBAL;
  const uint64_t first = lane_address(warp, inst->op, lane);
  const uint64_t second = lane_address(warp, inst->op + 3, lane);
  BulkCopy plan = {.global = to_global ? first : second,
                   .size = size,
                   .room = size,
                   .lane = (uint8_t)lane,
                   .inst = inst,
                   .reduces = inst->bool_op != WORD_NONE,
                   .type = inst->type,
                   .from_shared = inst->sub,
                   .to_global = to_global};
  Place place, told = {.cta = NULL};
  if (size % UNIT)
    return report(warp, inst, lane, KIND_INVALID,
                  "a bulk copy of %u bytes, which is no multiple of %d", size,
                  UNIT);
  if (!to_global && !mbarrier_place(warp, inst, lane, inst->op + 7, &told))
    return STEP_FAULT;
  if (!memory_place_aligned(warp, inst, lane, SPACE_SHARED,
                            to_global ? second : first, size, UNIT,
                            to_global ? ACCESS_READ : ACCESS_WRITE, &place))
    return STEP_FAULT;
  plan.at = place.cta;
  plan.shared = (uint32_t)place.offset;
  if (!to_global && !bulk_may_tell(warp, &plan, &told)) return STEP_FAULT;
  if (plan.from_shared && !bulk_find_own(warp, &plan)) return STEP_FAULT;
  return inst->is_multicast
             ? bulk_multicast(warp, &plan, bulk_ctas(warp, inst, 10, lane))
             : bulk_start(warp, &plan);
}

static Step exec_bulk(Warp *warp, const Inst *inst, uint32_t mask) {
  const uint32_t *size = reg(warp, inst->op[6]);
  warp->num_bulks_before = warp->num_bulks;
  for (int lane = 0; lane < LANES; lane++) {
    if (!in_mask(mask, lane) || !size[lane]) continue;
    const Step step = start_lane(warp, inst, lane, size[lane]);
    if (step != STEP_NEXT) return step;
  }
  order_written(warp);
  return STEP_NEXT;
}

bool bulk_copies(const Inst *inst) {
  return inst->exec == exec_bulk || tensor_copies(inst);
}

static BulkMeasure measure_bytes(const Warp *warp, const Inst *inst, int lane) {
  const uint64_t size = lane_get(warp, inst->op[6], 4, lane);
  const bool to_global = inst->space == SPACE_GLOBAL;
  if (inst->sub) return (BulkMeasure){.bytes = size}; // in shared memory
  const uint64_t address =
      lane_address(warp, inst->op + (to_global ? 0 : 3), lane);
  return (BulkMeasure){.bytes = size,
                       .global_bytes = size,
                       .sectors = bulk_sectors(address, size),
                       .multicast = bulk_ctas(warp, inst, 10, lane)};
}

BulkMeasure bulk_measure(const Warp *warp, const Inst *inst, int lane) {
  BulkMeasure measure = inst->exec == exec_bulk
                            ? measure_bytes(warp, inst, lane)
                            : tensor_measure(warp, inst, lane);
  const uint64_t to = lane_address(warp, inst->op, lane) & (WINDOW_SIZE - 1);
  measure.is_peers = inst->space == SPACE_SHARED && is_peers(warp->cta, to);
  return measure;
}

// -- Ending ------------------------------------------------------------------

static Step finish_load(Warp *warp, BulkCopy *copy) {
  if (copy->from_shared && !copy->taken) bulk_take_own(warp, copy);
  map_read_ends(warp, copy);
  if (!copy->from_shared &&
      !each_global(warp, copy, ACCESS_READ, finish_reading))
    return STEP_FAULT;
  each_shared(warp, copy, copy->reduces ? bulk_reduce_own : fill);
  return mbarrier_bytes_came(warp->cta, copy->op, copy->size);
}

// From now on the source may be written again.
static void finish_source(Warp *warp, BulkCopy *copy) {
  if (copy->read) return;
  if (!copy->taken) each_shared(warp, copy, empty);
  map_read_ends(warp, copy);
  async_awaited(warp, copy->op, UINT32_C(1) << copy->lane);
  copy->taken = copy->read = true;
}

static Step finish_store(Warp *warp, BulkCopy *copy) {
  finish_source(warp, copy);
  return write_target(warp, copy);
}

static Step finish(Warp *warp, BulkCopy *copy) {
  assert(copy->data && !(copy->awaited & ~copy->lanes) &&
         "a copy that is over ends again"); // I1
  const Step step =
      copy->to_global ? finish_store(warp, copy) : finish_load(warp, copy);
  assert((copy->to_global || warp->num_loads) && "not counted"); // I4
  warp->num_loads -= !copy->to_global;
  forget(copy);
  return step;
}

static void drop_finished(Warp *warp) {
  size_t kept = 0;
  for (size_t i = 0; i < warp->num_bulks; i++)
    if (warp->bulks[i].data) warp->bulks[kept++] = warp->bulks[i];
  assert(warp->num_loads <= kept && "a load is lost"); // I4
  warp->num_bulks = kept;
}

// Ends copies of a CTA's warps that complete at that mbarrier, with a random
// schedule some of them later; `mbarrier` NULL: all.
static Step finish_some(Cta *cta, const Cta *at, const uint32_t *mbarrier) {
  Step step = STEP_NEXT;
  for (uint32_t w = 0; w < cta->num_warps; w++) {
    Warp *warp = &cta->warps[w];
    if (mbarrier && !warp->num_loads) continue;
    for (size_t i = 0; i < warp->num_bulks && step == STEP_NEXT; i++) {
      BulkCopy *copy = &warp->bulks[i];
      if (!mbarrier || (!copy->to_global && copy->at == at &&
                        copy->mbarrier == *mbarrier && !cta_draw(cta, 2)))
        step = finish(warp, copy);
    }
    drop_finished(warp);
  }
  return step;
}

Step bulk_finish_at(Cta *cta, uint32_t mbarrier) {
  Step step = STEP_NEXT;
  for (uint32_t i = 0; i < cluster_size(cta) && step == STEP_NEXT; i++)
    step = finish_some(cluster_at(cta, i), cta, &mbarrier);
  return step;
}

Step bulk_finish_all(Cta *cta) {
  return finish_some(cta, cta, NULL);
}

// -- Groups ------------------------------------------------------------------

static Step exec_commit(Warp *warp, const Inst *inst, uint32_t mask) {
  (void)inst;
  for (int lane = 0; lane < LANES; lane++)
    if (in_mask(mask, lane)) warp->bulk_groups[lane]++;
  for (size_t i = 0; i < warp->num_bulks; i++)
    bulk_commit(warp, &warp->bulks[i], mask);
  return STEP_NEXT;
}

// Waits for all but the last `imm` groups of each lane; with `.read` for the
// sources only.  A load, which an mbarrier ends, has read its map then.
static Step exec_wait(Warp *warp, const Inst *inst, uint32_t mask) {
  Step step = STEP_NEXT;
  const bool reads = inst->bool_op == WORD_READ;
  for (size_t i = 0; i < warp->num_bulks && step == STEP_NEXT; i++) {
    BulkCopy *copy = &warp->bulks[i];
    const uint32_t lanes = bulk_lanes_past(warp, copy, mask, inst->imm);
    if (!lanes) continue;
    assert(!(lanes & ~copy->lanes) && "not theirs"); // I5
    if (!copy->to_global) {
      map_read_ends(warp, copy);
      continue;
    }
    copy->awaited_read |= lanes;
    if (!reads) copy->awaited |= lanes;
    if (copy->awaited_read == copy->lanes) finish_source(warp, copy);
    if (copy->awaited == copy->lanes) step = finish(warp, copy);
  }
  drop_finished(warp);
  return step;
}

// -- Forms -------------------------------------------------------------------

static bool is_bulk(const Form *form) {
  return WORD_OF(form, ASYNC) && WORD_OF(form, MODE) == WORD_BULK;
}

static ExecFn pick_load(const Form *form, Inst *inst, int operands) {
  const WordId to = WORD_OF(form, SPACE);
  inst->sub = WORD_OF(form, SPACE2) == WORD_SHARED_CTA;
  return is_bulk(form) && WORD_OF(form, GROUP) == WORD_BYTES_COMPLETE &&
                 (to == WORD_SHARED_CLUSTER ||
                  (to == WORD_SHARED_CTA && !inst->is_multicast)) &&
                 (WORD_OF(form, SPACE2) == WORD_GLOBAL ||
                  (inst->sub && to == WORD_SHARED_CLUSTER &&
                   !inst->is_multicast && !WORD_OF(form, HINT))) &&
                 operands_but_policy(form) == operands
             ? exec_bulk
             : NULL;
}

ExecFn pick_bulk_load(const Form *form, Inst *inst) {
  return pick_load(form, inst, 4);
}

ExecFn pick_bulk_multicast(const Form *form, Inst *inst) {
  return inst->is_multicast ? pick_load(form, inst, 5) : NULL;
}

ExecFn pick_bulk_reduce_shared(const Form *form, Inst *inst) {
  return bulk_may_reduce_shared(form) ? pick_load(form, inst, 4) : NULL;
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
