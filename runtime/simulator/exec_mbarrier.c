// exec_mbarrier.c -- mbarrier objects in shared memory, without transactions.
//
// The 64 bits are ours to lay out: the phase, how many arrivals a phase takes,
// and how many are still to come.  The state that an arrival returns is the
// phase it took part in.
#include <string.h>

#include "runtime/simulator/lanes.h"
#include "runtime/simulator/memory.h"
#include "runtime/simulator/shadow.h"

enum { MOST_COUNT = (1 << 20) - 1 };
static const uint64_t valid_mark = UINT64_C(0x5) << 60;

typedef struct {
  uint8_t *host;
  uint32_t phase, count, pending;
} Object;

static void pack(const Object *o) {
  const uint64_t bits = valid_mark | (uint64_t)(o->phase & 1) << 40 |
                        (uint64_t)o->count << 20 | o->pending;
  memcpy(o->host, &bits, sizeof bits);
}

static bool locate(Warp *warp, const Inst *inst, int lane, const uint32_t *op,
                   Object *o) {
  Place place;
  if (!memory_place(warp, inst, lane, inst->space, lane_address(warp, op, lane),
                    8, ACCESS_ATOMIC, &place))
    return false;
  if (place.space != SPACE_SHARED) {
    report(warp, inst, lane, KIND_INVALID, "an mbarrier in other memory");
    return false;
  }
  o->host = place.host;
  shadow_mbarrier(warp, (uint32_t)place.offset, 8);
  return true;
}

static bool unpack(Warp *warp, const Inst *inst, int lane, const uint32_t *op,
                   Object *o) {
  uint64_t bits;
  if (!locate(warp, inst, lane, op, o)) return false;
  memcpy(&bits, o->host, sizeof bits);
  o->pending = bits & MOST_COUNT;
  o->count = bits >> 20 & MOST_COUNT;
  o->phase = bits >> 40 & 1;
  if ((bits & UINT64_C(0xf) << 60) == valid_mark) return true;
  report(warp, inst, lane, KIND_INVALID, "an mbarrier without mbarrier.init");
  return false;
}

static Step exec_init(Warp *warp, const Inst *inst, uint32_t mask) {
  const uint32_t *count = reg(warp, inst->op[3]);
  for (int lane = 0; lane < LANES; lane++) {
    Object o;
    if (!in_mask(mask, lane)) continue;
    if (!locate(warp, inst, lane, inst->op, &o)) return STEP_FAULT;
    if (!count[lane] || count[lane] > MOST_COUNT)
      return report(warp, inst, lane, KIND_INVALID, "mbarrier of %u arrivals",
                    count[lane]);
    o.phase = 0;
    o.count = o.pending = count[lane];
    pack(&o);
  }
  return STEP_NEXT;
}

static Step exec_inval(Warp *warp, const Inst *inst, uint32_t mask) {
  for (int lane = 0; lane < LANES; lane++) {
    Object o;
    if (!in_mask(mask, lane)) continue;
    if (!unpack(warp, inst, lane, inst->op, &o)) return STEP_FAULT;
    memset(o.host, 0, 8);
  }
  return STEP_NEXT;
}

static Step exec_arrive(Warp *warp, const Inst *inst, uint32_t mask) {
  uint64_t *state = reg(warp, inst->op[0]);
  const uint32_t *count = inst->given > 2 ? reg(warp, inst->op[4]) : NULL;
  for (int lane = 0; lane < LANES; lane++) {
    Object o;
    if (!in_mask(mask, lane)) continue;
    if (!unpack(warp, inst, lane, inst->op + 1, &o)) return STEP_FAULT;
    const uint32_t arrivals = count ? count[lane] : 1;
    if (arrivals > o.pending)
      return report(warp, inst, lane, KIND_BARRIER_COUNT,
                    "%u arrivals at an mbarrier that awaits %u", arrivals,
                    o.pending);
    state[lane] = o.phase;
    o.pending -= arrivals;
    if (!o.pending) {
      o.pending = o.count;
      o.phase ^= 1;
    }
    pack(&o);
  }
  return STEP_NEXT;
}

// Whether the phase of the state, or of the parity, is over.
static Step exec_test(Warp *warp, const Inst *inst, uint32_t mask) {
  uint32_t over = 0;
  const bool by_parity = inst->bool_op == WORD_PARITY;
  for (int lane = 0; lane < LANES; lane++) {
    Object o;
    if (!in_mask(mask, lane)) continue;
    if (!unpack(warp, inst, lane, inst->op + 2, &o)) return STEP_FAULT;
    const uint64_t phase =
        lane_get(warp, inst->op[5], by_parity ? 4 : 8, lane) & 1;
    if (phase != o.phase) over |= UINT32_C(1) << lane;
  }
  set_pred(warp, inst->op[0], mask, over);
  return STEP_NEXT;
}

static bool in_shared(const Form *form, const Inst *inst) {
  return form->types[0] == TYPE_B64 &&
         (inst->space == SPACE_SHARED || inst->space == SPACE_GENERIC);
}

ExecFn pick_mbarrier_init(const Form *form, Inst *inst) {
  return in_shared(form, inst) && WORD_OF(form, MODE) == WORD_INIT ? exec_init
                                                                   : NULL;
}

ExecFn pick_mbarrier_inval(const Form *form, Inst *inst) {
  return in_shared(form, inst) && WORD_OF(form, MODE) == WORD_INVAL ? exec_inval
                                                                    : NULL;
}

ExecFn pick_mbarrier_arrive(const Form *form, Inst *inst) {
  return in_shared(form, inst) && WORD_OF(form, MODE) == WORD_ARRIVE &&
                 WORD_OF(form, OP) != WORD_PARITY
             ? exec_arrive
             : NULL;
}

static bool is_wait(const Form *form, const Inst *inst) {
  const WordId mode = WORD_OF(form, MODE);
  return in_shared(form, inst) &&
         (mode == WORD_TEST_WAIT || mode == WORD_TRY_WAIT);
}

ExecFn pick_mbarrier_wait(const Form *form, Inst *inst) {
  return is_wait(form, inst) && !WORD_OF(form, OP) ? exec_test : NULL;
}

ExecFn pick_mbarrier_parity(const Form *form, Inst *inst) {
  return is_wait(form, inst) && WORD_OF(form, OP) == WORD_PARITY ? exec_test
                                                                 : NULL;
}
