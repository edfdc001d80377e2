// mbarrier.c -- the instructions on mbarriers in shared memory.
//
// A phase is over when no arrival and no byte is pending.  The state that an
// arrival returns is the object's bits before it.
//
// For example, an mbarrier of 2 arrivals starts in phase 0 with 2 pending.  A
// plain arrival leaves 1.  An arrival with .expect_tx of 16 leaves 0, but the
// phase goes on, as 16 bytes are pending.  When a copy brings them, phase 1
// begins, again with 2 arrivals pending.
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/simulator/async/async.h"
#include "runtime/simulator/async/remote.h"
#include "runtime/simulator/memory/lanes.h"
#include "runtime/simulator/order/ledger.h"
#include "runtime/simulator/watch/watch.h"

// Finds the mbarrier and checks the access: initialising or invalidating it is
// a write like others, using it a strong access.
static bool locate(Warp *warp, const Inst *inst, int lane, const uint32_t *op,
                   bool is_write, MbarrierObject *o) {
  Place place;
  if (!memory_place(warp, inst, lane, inst->space, lane_address(warp, op, lane),
                    8, ACCESS_ATOMIC, &place))
    return false;
  if (place.space != SPACE_SHARED) {
    report(warp, inst, lane, KIND_INVALID, "an mbarrier in other memory");
    return false;
  }
  o->cta = place.cta;
  o->host = place.host;
  o->offset = (uint32_t)place.offset;
  shadow_mbarrier(warp, inst, lane, &place, is_write);
  return true;
}

static bool unpack(Warp *warp, const Inst *inst, int lane, const uint32_t *op,
                   MbarrierObject *o) {
  const bool ends = inst->mode == WORD_INVAL;
  if (!locate(warp, inst, lane, op, ends, o)) return false;
  if (mbarrier_read(o)) return true;
  report(warp, inst, lane, KIND_INVALID, "an mbarrier without mbarrier.init");
  return false;
}

static Step elsewhere(const Warp *warp, const Inst *inst, int lane,
                      const MbarrierObject *o) {
  return report(warp, inst, lane, KIND_INVALID,
                "the mbarrier is in shared memory of rank %u in the cluster; "
                "this can be done with one's own only",
                o->cta->rank);
}

static Step exec_init(Warp *warp, const Inst *inst, uint32_t mask) {
  const uint32_t *count = reg(warp, inst->op[3]);
  for (int lane = 0; lane < LANES; lane++) {
    MbarrierObject o;
    if (!in_mask(mask, lane)) continue;
    if (!locate(warp, inst, lane, inst->op, true, &o)) return STEP_FAULT;
    if (o.cta != warp->cta) return elsewhere(warp, inst, lane, &o);
    if (!count[lane] || count[lane] > MBARRIER_MOST)
      return report(warp, inst, lane, KIND_INVALID, "mbarrier of %u arrivals",
                    count[lane]);
    ledger_init(o.cta, o.offset);
    o.phase = 0;
    o.bytes = 0;
    o.count = o.pending = count[lane];
    mbarrier_pack(&o);
  }
  return STEP_NEXT;
}

static Step exec_inval(Warp *warp, const Inst *inst, uint32_t mask) {
  for (int lane = 0; lane < LANES; lane++) {
    MbarrierObject o;
    if (!in_mask(mask, lane)) continue;
    if (!unpack(warp, inst, lane, inst->op, &o)) return STEP_FAULT;
    memset(o.host, 0, 8);
  }
  return STEP_NEXT;
}

// Reports copies that are still running: their bytes would count for another
// phase.
static void check_under_way(Warp *warp, const Inst *inst, int lane,
                            const MbarrierObject *o) {
  const Book *book = ledger_book(o->cta, o->offset);
  char copy[480];
  MbarrierOwner owner;
  if (book && book->num_under_way &&
      async_describe(o->cta, o->offset, copy, sizeof copy))
    report(warp, inst, lane, KIND_PHASE_EARLY,
           "phase %u of the mbarrier at byte %u%s ends after %lld bytes, with "
           "%s under way",
           book->phase, o->offset, mbarrier_owner(o, warp->cta, owner),
           (long long)book->came, copy);
}

// Ends the phase if nothing is pending, and stores the object.
static void settle(Warp *warp, const Inst *inst, int lane, MbarrierObject *o) {
  o->cta->writes++;
  if (!o->pending && !o->bytes) {
    check_under_way(warp, inst, lane, o);
    o->pending = o->count;
    o->phase ^= 1;
    shadow_mbarrier_over(o->cta, o->offset);
    ledger_over(o->cta, o->offset);
  }
  mbarrier_pack(o);
}

// Adds to the pending bytes; a negative number is of bytes that came.
static Step await_bytes(Warp *warp, const Inst *inst, int lane,
                        MbarrierObject *o, int64_t bytes) {
  Book *book = ledger_book(o->cta, o->offset);
  MbarrierOwner owner;
  if (book) *(bytes < 0 ? &book->came : &book->expected) += llabs(bytes);
  o->bytes += bytes;
  if (o->bytes <= MBARRIER_MOST && o->bytes >= -MBARRIER_MOST) return STEP_NEXT;
  return report(warp, inst, lane, KIND_TX_COUNT,
                "the mbarrier at byte %u%s awaits %lld bytes; it counts from "
                "-%d to %d",
                o->offset, mbarrier_owner(o, warp->cta, owner),
                (long long)o->bytes, MBARRIER_MOST, MBARRIER_MOST);
}

static Step report_arrivals(Warp *warp, const Inst *inst, int lane,
                            const MbarrierObject *o, uint32_t arrivals) {
  char repeat[600];
  MbarrierOwner owner;
  ledger_describe_repeat(o->cta, repeat, sizeof repeat);
  return report(warp, inst, lane, KIND_BARRIER_COUNT,
                "%u arrivals at an mbarrier%s that awaits %u%s", arrivals,
                mbarrier_owner(o, warp->cta, owner), o->pending, repeat);
}

// Counts the arrivals, which must not be more than are pending.
static Step arrive(Warp *warp, const Inst *inst, int lane, MbarrierObject *o,
                   uint32_t arrivals, bool releases) {
  if (!arrivals || arrivals > o->pending)
    return report_arrivals(warp, inst, lane, o, arrivals);
  assert(o->offset + 8 <= o->cta->shared_end); // I6
  shadow_mbarrier_arrive(warp, UINT32_C(1) << lane, o->cta, o->offset,
                         releases);
  o->pending -= arrivals;
  settle(warp, inst, lane, o);
  return STEP_NEXT;
}

// .arrive_drop: the arriving lanes are not expected from the next phase on.
// With .expect_tx a lane arrives, after it adds to the pending bytes.
static Step arrive_lane(Warp *warp, const Inst *inst, int lane) {
  MbarrierObject o;
  uint64_t *state = reg(warp, inst->op[0]);
  const uint32_t *number = inst->given > 2 ? reg(warp, inst->op[4]) : NULL;
  const bool expects = inst->bool_op == WORD_EXPECT_TX;
  const uint32_t arrivals = number && !expects ? number[lane] : 1;
  if (!unpack(warp, inst, lane, inst->op + 1, &o)) return STEP_FAULT;
  const uint64_t before = mbarrier_bits(&o);
  if (expects && await_bytes(warp, inst, lane, &o, number[lane]) != STEP_NEXT)
    return STEP_FAULT;
  if (inst->mode == WORD_ARRIVE_DROP && arrivals <= o.count)
    o.count -= arrivals;
  const bool releases = inst->order != WORD_RELAXED;
  if (arrive(warp, inst, lane, &o, arrivals, releases) != STEP_NEXT)
    return STEP_FAULT;
  state[lane] = before;
  return STEP_NEXT;
}

// Whether the lanes give the same address.
static bool are_at_one(const Warp *warp, const uint32_t *op, uint32_t mask) {
  if (!mask) return false;
  const uint64_t first = lane_address(warp, op, __builtin_ctz(mask));
  for (; mask; mask &= mask - 1)
    if (lane_address(warp, op, __builtin_ctz(mask)) != first) return false;
  return true;
}

// A fast path: all lanes arrive at one mbarrier whose phase has that number of
// arrivals pending, so one clock is released for all of them.  Sets `mask` to
// the lanes that have not arrived: all or none.
static Step arrive_together(Warp *warp, const Inst *inst, uint32_t *mask) {
  const uint32_t lanes = *mask, *op = inst->op + 1;
  uint64_t *state = reg(warp, inst->op[0]);
  MbarrierObject o;
  if (inst->mode != WORD_ARRIVE || inst->given > 2 ||
      !are_at_one(warp, op, lanes))
    return STEP_NEXT;
  for (uint32_t left = lanes; left; left &= left - 1) {
    const int lane = __builtin_ctz(left);
    if (!unpack(warp, inst, lane, op, &o)) return STEP_FAULT;
    if (left == lanes && o.pending < (uint32_t)__builtin_popcount(lanes))
      return STEP_NEXT;
    state[lane] = mbarrier_bits(&o);
    if (--o.pending) mbarrier_pack(&o);
  }
  assert(o.offset + 8 <= o.cta->shared_end); // I6
  shadow_mbarrier_arrive(warp, lanes, o.cta, o.offset,
                         inst->order != WORD_RELAXED);
  settle(warp, inst, LANES - 1 - __builtin_clz(lanes), &o);
  *mask = 0;
  return STEP_NEXT;
}

static Step exec_arrive(Warp *warp, const Inst *inst, uint32_t mask) {
  if (arrive_together(warp, inst, &mask) != STEP_NEXT) return STEP_FAULT;
  for (int lane = 0; lane < LANES; lane++)
    if (in_mask(mask, lane) && arrive_lane(warp, inst, lane) != STEP_NEXT)
      return STEP_FAULT;
  order_written(warp);
  return STEP_NEXT;
}

bool mbarrier_place(Warp *warp, const Inst *inst, int lane, const uint32_t *op,
                    Place *place) {
  MbarrierObject o;
  if (!unpack(warp, inst, lane, op, &o)) return false;
  *place = (Place){o.host, SPACE_SHARED, o.offset, o.cta};
  return true;
}

bool mbarrier_may_tell(Warp *warp, const Inst *inst, int lane, Cta *at,
                       uint32_t offset) {
  MbarrierObject o = {.cta = at, .host = at->shared + offset, .offset = offset};
  const Place place = {o.host, SPACE_SHARED, offset, at};
  shadow_mbarrier(warp, inst, lane, &place, false);
  if (mbarrier_read(&o)) return true;
  report(warp, inst, lane, KIND_RACE,
         "a multicast tells the mbarrier at byte %u of shared memory of CTA "
         "%u,%u,%u, which has not been initialised yet",
         offset, at->index[0], at->index[1], at->index[2]);
  return false;
}

Step mbarrier_bytes_came(Cta *cta, AsyncId id, uint32_t bytes) {
  const AsyncStart by = async_start(cta, id);
  MbarrierObject o = {
      .cta = by.at, .host = by.at->shared + by.mbarrier, .offset = by.mbarrier};
  if (!mbarrier_read(&o))
    return report(by.warp, by.inst, by.lane, KIND_INVALID,
                  "the mbarrier has gone, with the copy under way");
  async_came(cta, id, bytes);
  if (await_bytes(by.warp, by.inst, by.lane, &o, -(int64_t)bytes) != STEP_NEXT)
    return STEP_FAULT;
  settle(by.warp, by.inst, by.lane, &o);
  return STEP_NEXT;
}

// .expect_tx and .complete_tx order nothing.
static Step exec_bytes(Warp *warp, const Inst *inst, uint32_t mask) {
  const uint32_t *number = reg(warp, inst->op[3]);
  const int sign = inst->mode == WORD_COMPLETE_TX ? -1 : 1;
  for (int lane = 0; lane < LANES; lane++) {
    MbarrierObject o;
    if (!in_mask(mask, lane)) continue;
    if (!unpack(warp, inst, lane, inst->op, &o) ||
        await_bytes(warp, inst, lane, &o, sign * (int64_t)number[lane]) !=
            STEP_NEXT)
      return STEP_FAULT;
    settle(warp, inst, lane, &o);
  }
  return STEP_NEXT;
}

LANES_1(pending, uint64_t, uint32_t, a &MBARRIER_MOST)

// -- Arrivals of copies ------------------------------------------------------

static AsyncArrival *add_arrival(Warp *warp) {
  if (warp->num_arrivals == warp->room_arrivals) {
    const size_t room = warp->room_arrivals ? warp->room_arrivals * 2 : 64;
    AsyncArrival *bigger = realloc(warp->arrivals, room * sizeof *bigger);
    if (!bigger) return NULL;
    warp->arrivals = bigger;
    warp->room_arrivals = room;
  }
  return &warp->arrivals[warp->num_arrivals++];
}

// Without .noinc the phase expects this arrival in addition to the others.
static Step exec_cp_arrive(Warp *warp, const Inst *inst, uint32_t mask) {
  for (int lane = 0; lane < LANES; lane++) {
    MbarrierObject o;
    if (!in_mask(mask, lane)) continue;
    if (!unpack(warp, inst, lane, inst->op, &o)) return STEP_FAULT;
    AsyncArrival *arrival = add_arrival(warp);
    if (!arrival)
      return report(warp, inst, lane, KIND_INVALID, "too many copies");
    *arrival = (AsyncArrival){o.offset, warp->copies_started, (uint8_t)lane};
    if (inst->bool_op != WORD_NOINC && o.pending++ == MBARRIER_MOST)
      return report(warp, inst, lane, KIND_BARRIER_COUNT,
                    "an mbarrier that awaits more than %d arrivals",
                    MBARRIER_MOST);
    mbarrier_pack(&o);
  }
  return STEP_NEXT;
}

// Ends the copies that the mbarrier waits for, when a warp tests it, or, with a
// random schedule, some time later.
static Step finish_arrivals(Warp *warp, const Inst *inst, MbarrierObject *o) {
  size_t kept = 0;
  for (size_t i = 0; i < warp->num_arrivals; i++) {
    const AsyncArrival arrival = warp->arrivals[i];
    if (arrival.offset != o->offset || cta_draw(warp->cta, 2)) {
      warp->arrivals[kept++] = arrival;
      continue;
    }
    if (async_finish(warp, arrival.lane, arrival.serial) != STEP_NEXT ||
        arrive(warp, inst, arrival.lane, o, 1, true) != STEP_NEXT)
      return STEP_FAULT;
  }
  assert(kept <= warp->num_arrivals && "one came meanwhile"); // I5
  warp->num_arrivals = kept;
  order_written(warp);
  return STEP_NEXT;
}

static Step finish_copies(const Warp *asker, const Inst *inst,
                          MbarrierObject *o) {
  Cta *cta = asker->cta;
  if (bulk_finish_at(cta, o->offset) != STEP_NEXT ||
      (cta->launch->code->stores_async &&
       remote_finish_at(cta, o->offset) != STEP_NEXT))
    return STEP_FAULT;
  mbarrier_read(o);
  for (uint32_t i = 0; i < cta->num_warps; i++) {
    Warp *warp = &cta->warps[i];
    if (warp->num_arrivals && finish_arrivals(warp, inst, o) != STEP_NEXT)
      return STEP_FAULT;
  }
  return STEP_NEXT;
}

// -- Waiting -----------------------------------------------------------------

static void note_question(Warp *warp, const Inst *inst, int lane,
                          const MbarrierObject *o, uint64_t phase) {
  const Question question = {.inst = inst,
                             .lane = (uint8_t)lane,
                             .parity = (uint8_t)phase,
                             .is_over = phase != o->phase};
  ledger_ask(o->cta, o->offset, warp, &question);
}

static uint32_t phase_asked(const Warp *warp, const Inst *inst, int lane) {
  const bool by_parity = inst->bool_op == WORD_PARITY;
  const uint64_t asked = lane_get(warp, inst->op[5], by_parity ? 4 : 8, lane);
  return (by_parity ? asked : asked >> MBARRIER_PHASE_AT) & 1;
}

// Tests whether the phase of the state, or of the parity, is over, and ends
// copies first if the lane would wait for them.
static Step test_lane(Warp *warp, const Inst *inst, int lane, uint32_t *over,
                      uint32_t *offset) {
  MbarrierObject o;
  const uint64_t phase = phase_asked(warp, inst, lane);
  if (!unpack(warp, inst, lane, inst->op + 2, &o)) return STEP_FAULT;
  if (o.cta != warp->cta) return elsewhere(warp, inst, lane, &o);
  if (phase == o.phase && finish_copies(warp, inst, &o) != STEP_NEXT)
    return STEP_FAULT;
  warp->cta->writes--; // the lane has only read
  note_question(warp, inst, lane, &o, phase);
  if (phase == o.phase) {
    poll_object(warp, inst, lane, o.host, mbarrier_bits(&o));
    return STEP_NEXT;
  }
  *over |= UINT32_C(1) << lane;
  *offset = o.offset;
  return STEP_NEXT;
}

// Whether the lanes ask for the same phase of one mbarrier.
static bool ask_alike(const Warp *warp, const Inst *inst, uint32_t mask) {
  if (!are_at_one(warp, inst->op + 2, mask)) return false;
  const uint32_t first = phase_asked(warp, inst, __builtin_ctz(mask));
  for (; mask; mask &= mask - 1)
    if (phase_asked(warp, inst, __builtin_ctz(mask)) != first) return false;
  return true;
}

static Step exec_test(Warp *warp, const Inst *inst, uint32_t mask) {
  const bool at_once = ask_alike(warp, inst, mask);
  const bool acquires = inst->order != WORD_RELAXED;
  uint32_t over = 0, passed = 0, offset = 0;
  for (uint32_t left = mask; left; left &= left - 1) {
    const int lane = __builtin_ctz(left);
    if (test_lane(warp, inst, lane, &over, &offset) != STEP_NEXT)
      return STEP_FAULT;
    const bool is_last = !(left & (left - 1));
    if (over == passed || (at_once && !is_last)) continue;
    shadow_mbarrier_passed(warp, over & ~passed, offset, acquires);
    passed = over;
  }
  set_pred(warp, inst->op[0], mask, over);
  return STEP_NEXT;
}

static bool in_shared(const Form *form, const Inst *inst) {
  return form->types[0] == TYPE_B64 &&
         (inst->space == SPACE_SHARED || inst->space == SPACE_GENERIC);
}

static bool is_of_cluster(const Form *form) {
  return WORD_OF(form, SPACE) == WORD_SHARED_CLUSTER;
}

static bool says_more(const Form *form) {
  return WORD_OF(form, OP) || WORD_OF(form, ORDER) || is_of_cluster(form);
}

ExecFn pick_mbarrier_init(const Form *form, Inst *inst) {
  return in_shared(form, inst) && !says_more(form) &&
                 WORD_OF(form, MODE) == WORD_INIT
             ? exec_init
             : NULL;
}

ExecFn pick_mbarrier_inval(const Form *form, Inst *inst) {
  return in_shared(form, inst) && !says_more(form) &&
                 WORD_OF(form, MODE) == WORD_INVAL
             ? exec_inval
             : NULL;
}

static bool may_arrive(const Form *form) {
  const WordId op = WORD_OF(form, OP);
  const bool has_number = form->num_operands == 3;
  if (op == WORD_NO_COMPLETE) return has_number && !is_of_cluster(form);
  return !op || (op == WORD_EXPECT_TX && has_number);
}

ExecFn pick_mbarrier_arrive(const Form *form, Inst *inst) {
  const WordId mode = WORD_OF(form, MODE);
  return in_shared(form, inst) && may_arrive(form) &&
                 WORD_OF(form, ORDER) != WORD_ACQUIRE &&
                 (mode == WORD_ARRIVE || mode == WORD_ARRIVE_DROP)
             ? exec_arrive
             : NULL;
}

ExecFn pick_mbarrier_bytes(const Form *form, Inst *inst) {
  const WordId mode = WORD_OF(form, MODE), op = WORD_OF(form, OP);
  const WordId order = WORD_OF(form, ORDER);
  const bool comes = mode == WORD_COMPLETE_TX && !op;
  return in_shared(form, inst) && (!order || order == WORD_RELAXED) &&
                 (comes || (!mode && op == WORD_EXPECT_TX))
             ? exec_bytes
             : NULL;
}

ExecFn pick_mbarrier_pending(const Form *form, Inst *inst) {
  (void)inst;
  return form->types[0] == TYPE_B64 && !says_more(form) &&
                 !WORD_OF(form, SPACE) &&
                 WORD_OF(form, MODE) == WORD_PENDING_COUNT
             ? exec_pending
             : NULL;
}

ExecFn pick_cp_arrive(const Form *form, Inst *inst) {
  const WordId op = WORD_OF(form, OP);
  return in_shared(form, inst) && !is_of_cluster(form) &&
                 WORD_OF(form, ASYNC) &&
                 WORD_OF(form, GROUP) == WORD_MBARRIER &&
                 WORD_OF(form, MODE) == WORD_ARRIVE && (!op || op == WORD_NOINC)
             ? exec_cp_arrive
             : NULL;
}

static bool is_wait(const Form *form, const Inst *inst) {
  const WordId mode = WORD_OF(form, MODE), order = WORD_OF(form, ORDER);
  // try_wait may have a time limit, which is ignored.
  if (form->num_operands > 3 && mode != WORD_TRY_WAIT) return false;
  return in_shared(form, inst) && !is_of_cluster(form) &&
         (!order || order == WORD_ACQUIRE || order == WORD_RELAXED) &&
         (mode == WORD_TEST_WAIT || mode == WORD_TRY_WAIT);
}

ExecFn pick_mbarrier_wait(const Form *form, Inst *inst) {
  return is_wait(form, inst) && !WORD_OF(form, OP) ? exec_test : NULL;
}

ExecFn pick_mbarrier_parity(const Form *form, Inst *inst) {
  return is_wait(form, inst) && WORD_OF(form, OP) == WORD_PARITY ? exec_test
                                                                 : NULL;
}
