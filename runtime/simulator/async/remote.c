// remote.c -- st.async and red.async: delayed stores and reductions in shared
// memory of the cluster.
//
// A store happens, element by element, when a thread tests its mbarrier, or
// before; its bytes are completed then.
//
// For example, a lane of CTA 0 stores 8 bytes to CTA 1, and its warp keeps
// them. When a thread of CTA 1 tests the mbarrier there, they are written, and
// the mbarrier waits for 8 bytes less.  In a random schedule they may be
// written at once, or be completed at a later test.
#include "runtime/simulator/async/remote.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/simulator/async/async.h"
#include "runtime/simulator/code/pick.h"
#include "runtime/simulator/memory/memory.h"
#include "runtime/simulator/number/atomic.h"
#include "runtime/simulator/order/order.h"
#include "runtime/simulator/state/report.h"

// Its data come behind it, to multiples of four bytes.
typedef struct RemoteStore {
  AsyncId op;
  uint32_t offset : 24, size : 5, is_written : 1;
} RemoteStore;

_Static_assert(MAX_SHARED <= 1 << 24, "an offset fits");

static size_t bytes_of(const RemoteStore *store) {
  return sizeof *store + store->size;
}

static RemoteStore *store_at(const Warp *warp, size_t at) {
  return (RemoteStore *)(void *)(warp->stores + at);
}

// A copy of the store; NULL: no memory.
static RemoteStore *add_store(Warp *warp, const RemoteStore *store,
                              const void *data) {
  enum { MORE = 1024 };
  const size_t at = warp->num_stores, end = at + bytes_of(store);
  if (end > warp->room_stores) {
    const size_t room = end + end / 4 + MORE;
    uint8_t *bigger = realloc(warp->stores, room);
    if (!bigger) return NULL;
    warp->stores = bigger;
    warp->room_stores = room;
  }
  warp->num_stores = end;
  RemoteStore *added = store_at(warp, at);
  *added = *store;
  memcpy(added + 1, data, store->size);
  return added;
}

void remote_reset(Warp *warp) {
  warp->num_stores = 0;
}

void remote_destroy(Warp *warp) {
  free(warp->stores);
}

// -- Writing -----------------------------------------------------------------

// Writes the store of that instruction to the CTA's shared memory.
static void write_store(RemoteStore *store, const Cta *at, const Inst *inst) {
  uint8_t *host = at->shared + store->offset;
  if (store->is_written) return;
  store->is_written = true;
  if (!inst->sub) {
    memcpy(host, store + 1, store->size);
    return;
  }
  uint64_t by = 0;
  memcpy(&by, store + 1, store->size);
  atomic_apply((WordId)inst->bool_op, (TypeId)inst->type, false, host, by);
}

// -- Starting ----------------------------------------------------------------

// Finds the place that the lane stores to, and that of the mbarrier at which
// the store completes; false after a report.
static bool find_target(Warp *warp, const Inst *inst, int lane, uint32_t size,
                        const uint32_t *mbarrier, Place *place, Place *at) {
  if (!memory_place(warp, inst, lane, SPACE_SHARED,
                    lane_address(warp, inst->op, lane), size, ACCESS_WRITE,
                    place) ||
      !mbarrier_place(warp, inst, lane, mbarrier, at))
    return false;
  if (place->cta == at->cta) return true;
  report(warp, inst, lane, KIND_INVALID,
         "a store to the memory of rank %u that tells an mbarrier of rank %u",
         place->cta->rank, at->cta->rank);
  return false;
}

static Step start_lane(Warp *warp, const Inst *inst, int lane) {
  const uint32_t each = type_table[inst->type].bytes;
  const uint32_t count = inst->sub ? 1 : inst->num_dst, size = each * count;
  uint8_t data[16];
  Place place, at;
  for (uint32_t i = 0; i < count; i++) {
    const uint64_t value = lane_get(warp, inst->op[3 + i], each, lane);
    memcpy(data + i * each, &value, each);
  }
  if (!find_target(warp, inst, lane, size, inst->op + 3 + count, &place, &at))
    return STEP_FAULT;
  const AsyncId op = async_store_at(warp, inst, lane, at.cta,
                                    (uint32_t)at.offset, size, inst->sub);
  const RemoteStore store = {
      .op = op, .offset = (uint32_t)place.offset & 0xffffff, .size = size & 31};
  RemoteStore *added = op ? add_store(warp, &store, data) : NULL;
  if (!added)
    return report(warp, inst, lane, KIND_INVALID, "too many stores under way");
  async_writes(place.cta, op, store.offset, store.size);
  if (warp->cta->launch->early || cta_draw(warp->cta, 2))
    write_store(added, place.cta, inst);
  return STEP_NEXT;
}

static Step exec_store(Warp *warp, const Inst *inst, uint32_t mask) {
  for (int lane = 0; lane < LANES; lane++)
    if (in_mask(mask, lane) && start_lane(warp, inst, lane) != STEP_NEXT)
      return STEP_FAULT;
  order_written(warp);
  return STEP_NEXT;
}

// -- Ending ------------------------------------------------------------------

// Ends the warp's stores that complete at that mbarrier; `at` NULL: all its
// stores.
static Step finish_some(Warp *warp, const Cta *at, uint32_t mbarrier) {
  size_t kept = 0;
  Step step = STEP_NEXT;
  for (size_t i = 0, bytes; i < warp->num_stores; i += bytes) {
    RemoteStore *store = store_at(warp, i);
    const AsyncStart start = async_start(warp->cta, store->op);
    const bool is_one = !at || (start.at == at && start.mbarrier == mbarrier);
    bytes = bytes_of(store);
    if (step != STEP_NEXT || !is_one || (at && cta_draw(warp->cta, 2))) {
      memmove(warp->stores + kept, store, bytes);
      kept += bytes;
      continue;
    }
    write_store(store, start.at, start.inst);
    step = mbarrier_bytes_came(warp->cta, store->op, store->size);
  }
  warp->num_stores = kept;
  return step;
}

Step remote_finish_at(Cta *cta, uint32_t mbarrier) {
  Step step = STEP_NEXT;
  for (uint32_t i = 0; i < cluster_size(cta); i++) {
    Cta *from = cluster_at(cta, i);
    for (uint32_t j = 0; j < from->num_warps && step == STEP_NEXT; j++)
      if (from->warps[j].num_stores)
        step = finish_some(&from->warps[j], cta, mbarrier);
  }
  return step;
}

Step remote_finish_all(Cta *cta) {
  Step step = STEP_NEXT;
  for (uint32_t i = 0; i < cta->num_warps && step == STEP_NEXT; i++)
    if (cta->warps[i].num_stores) step = finish_some(&cta->warps[i], NULL, 0);
  return step;
}

// -- Forms -------------------------------------------------------------------

static bool is_async(const Form *form, const Inst *inst) {
  return WORD_OF(form, ASYNC) &&
         (inst->space == SPACE_SHARED || inst->space == SPACE_GENERIC);
}

// In a CTA's own shared memory .mbarrier::complete_tx::bytes may be left out.
static bool tells(const Form *form) {
  const WordId space = WORD_OF(form, SPACE), how = WORD_OF(form, GROUP);
  return how == WORD_BYTES_COMPLETE ||
         (!how && (space == WORD_SHARED || space == WORD_SHARED_CTA));
}

// Without a space, the address is in the cluster's shared memory.
static ExecFn store_if(Inst *inst, bool is_form) {
  inst->space = SPACE_SHARED;
  return is_form ? exec_store : NULL;
}

ExecFn pick_st_async(const Form *form, Inst *inst) {
  const TypeInfo *type = &type_table[form->types[0]];
  const WordId order = WORD_OF(form, ORDER);
  return store_if(inst, is_async(form, inst) && tells(form) &&
                            (!order || order == WORD_WEAK) &&
                            type->bytes >= 4 && type->class != CLASS_PACKED &&
                            type->bytes * inst->num_dst <= 16);
}

static bool may_reduce(TypeId type, WordId op) {
  switch (op) {
  case WORD_ADD:
    return type == TYPE_U32 || type == TYPE_S32 || type == TYPE_U64 ||
           type == TYPE_S64;
  case WORD_MIN:
  case WORD_MAX: return type == TYPE_U32 || type == TYPE_S32;
  case WORD_INC:
  case WORD_DEC: return type == TYPE_U32;
  case WORD_AND:
  case WORD_OR:
  case WORD_XOR: return type == TYPE_B32;
  default: return false;
  }
}

ExecFn pick_red_async(const Form *form, Inst *inst) {
  const WordId space = WORD_OF(form, SPACE);
  inst->sub = 1;
  return store_if(inst,
                  is_async(form, inst) &&
                      WORD_OF(form, GROUP) == WORD_BYTES_COMPLETE &&
                      (!space || space == WORD_SHARED_CLUSTER) &&
                      WORD_OF(form, ORDER) == WORD_RELAXED &&
                      WORD_OF(form, SCOPE) == WORD_CLUSTER &&
                      may_reduce((TypeId)form->types[0], WORD_OF(form, OP)));
}
