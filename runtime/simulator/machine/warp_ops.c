// warp_ops.c -- instructions that the lanes of a warp execute together.
//
// All lanes in the member mask must come to the same instruction; an incomplete
// group waits for the rest.  Lanes that have exited need not come; lanes that
// passed the instruction before they exited are reported.
//
// For example, lanes 0 to 15 execute shfl.sync with the member mask 0xffff, and
// the others the same instruction with 0xffff0000: each half executes it when
// it is complete.  A lane 16 with the mask 0x30000 waits for lane 17.
#include "runtime/simulator/machine/families.h"
#include "runtime/simulator/machine/run.h"
#include "runtime/simulator/memory/lanes.h"
#include "runtime/simulator/order/order.h"

#include <assert.h>

// Lanes of the mask whose member mask, the last operand, is `members`.
static uint32_t lanes_asking(const Warp *warp, const Inst *inst, uint32_t mask,
                             uint32_t members) {
  const uint32_t *asked = reg(warp, inst->op[inst->num_ops - 1]);
  uint32_t lanes = 0;
  for (int lane = 0; lane < LANES; lane++)
    if (in_mask(mask, lane) && asked[lane] == members)
      lanes |= UINT32_C(1) << lane;
  return lanes;
}

static uint32_t members_of(const Warp *warp, const Inst *inst, int lane) {
  const uint32_t *asked = reg(warp, inst->op[inst->num_ops - 1]);
  return asked[lane];
}

// Reports a lane that executes the instruction without being a member.
static Step check_members(Warp *warp, const Inst *inst, uint32_t lanes,
                          uint32_t members) {
  const uint32_t strangers = lanes & ~members;
  if (!strangers) return STEP_NEXT;
  return report(warp, inst, __builtin_ctz(strangers), KIND_INVALID,
                "the lane is not in its member mask 0x%08x", members);
}

// The operation of the members, once all of them have come.
typedef Step (*TogetherFn)(Warp *warp, const Inst *inst, uint32_t lanes);

// Lanes with several member masks may be at the instruction: each set of
// members executes it when it is complete.
static Step together(Warp *warp, const Inst *inst, uint32_t mask,
                     TogetherFn run) {
  uint32_t waiting = 0;
  for (uint32_t rest = mask; rest;) {
    const uint32_t members = members_of(warp, inst, __builtin_ctz(rest));
    const uint32_t lanes = lanes_asking(warp, inst, rest, members);
    assert(lanes && !(lanes & ~rest) && "nobody of them asks"); // I1
    rest &= ~lanes;
    if (check_members(warp, inst, lanes, members) ||
        warp_skipped(warp, inst, lanes, members))
      return STEP_FAULT;
    if (!warp_converged(warp, lanes, members)) {
      waiting |= lanes;
      continue;
    }
    order_together(warp, lanes);
    if (run(warp, inst, lanes) == STEP_FAULT) return STEP_FAULT;
  }
  if (!waiting) return STEP_NEXT;
  warp_split(warp, waiting);
  return STEP_BLOCK;
}

// -- shfl --------------------------------------------------------------------

// The source lane, or -1: the lane keeps its own value.
static int shuffle_source(WordId mode, int lane, uint32_t b, uint32_t c) {
  const int bval = (int)(b & 31), cval = (int)(c & 31);
  const int segment = (int)(c >> 8 & 31);
  const int max_lane = (lane & segment) | (cval & ~segment);
  const int min_lane = lane & segment;
  int from = lane;
  bool ok = false;
  switch (mode) {
  case WORD_UP:
    from = lane - bval;
    ok = from >= max_lane;
    break;
  case WORD_DOWN:
    from = lane + bval;
    ok = from <= max_lane;
    break;
  case WORD_BFLY:
    from = lane ^ bval;
    ok = from <= max_lane;
    break;
  default:
    from = min_lane | (bval & ~segment & 31);
    ok = from <= max_lane;
    break;
  }
  return ok ? from : -1;
}

// The value of a lane that does not take part is undefined.
static const uint32_t unknown_value = 0xdbdbdbdb;

// shfl.idx from a lane that is no member gives an undefined value, which is
// reported.  In the other modes programs often discard the results at the ends,
// so these are not reported.
static Step check_sources(Warp *warp, const Inst *inst, uint32_t mask,
                          const int source[LANES]) {
  for (int lane = 0; lane < LANES; lane++)
    if (in_mask(mask, lane) && in_mask(mask, source[lane])) return STEP_NEXT;
  const int first = __builtin_ctz(mask);
  if (inst->mode != WORD_IDX) return STEP_NEXT;
  return report(warp, inst, first, KIND_INVALID,
                "lanes 0x%08x want the value of lane %d, which takes no part",
                mask, source[first]);
}

static Step shuffle(Warp *warp, const Inst *inst, uint32_t mask) {
  const uint32_t *a = reg(warp, inst->op[2]), *b = reg(warp, inst->op[3]);
  const uint32_t *c = reg(warp, inst->op[4]);
  uint32_t result[LANES] = {0}, in_range = 0;
  int source[LANES] = {0};
  for (int lane = 0; lane < LANES; lane++) {
    if (!in_mask(mask, lane)) continue;
    const int from = shuffle_source((WordId)inst->mode, lane, b[lane], c[lane]);
    if (from >= 0) in_range |= UINT32_C(1) << lane;
    source[lane] = from >= 0 ? from : lane;
    assert(source[lane] < LANES && "no lane of the warp"); // I1
    result[lane] =
        in_mask(mask, source[lane]) ? a[source[lane]] : unknown_value;
  }
  uint32_t *d = reg(warp, inst->op[0]);
  for (int lane = 0; lane < LANES; lane++)
    if (in_mask(mask, lane)) d[lane] = result[lane];
  set_pred(warp, inst->op[1], mask, in_range);
  return check_sources(warp, inst, mask, source);
}

static Step exec_shfl(Warp *warp, const Inst *inst, uint32_t mask) {
  return together(warp, inst, mask, shuffle);
}

ExecFn pick_shfl(const Form *form, Inst *inst) {
  (void)inst;
  const WordId mode = WORD_OF(form, MODE);
  if (!WORD_OF(form, SYNC) || form->types[0] != TYPE_B32) return NULL;
  return mode >= WORD_UP && mode <= WORD_IDX ? exec_shfl : NULL;
}

// -- vote, match, redux ------------------------------------------------------

static Step vote(Warp *warp, const Inst *inst, uint32_t mask) {
  const bool is_ballot = inst->mode == WORD_BALLOT;
  const uint32_t yes = source_pred(warp, inst, is_ballot ? 1 : 2) & mask;
  if (is_ballot) {
    uint32_t *d = reg(warp, inst->op[0]);
    for (int lane = 0; lane < LANES; lane++)
      if (in_mask(mask, lane)) d[lane] = yes;
    return STEP_NEXT;
  }
  const bool result = inst->mode == WORD_ALL   ? yes == mask
                      : inst->mode == WORD_ANY ? yes != 0
                                               : !yes || yes == mask;
  set_pred(warp, inst->op[0], mask, result ? ALL_LANES : 0);
  return STEP_NEXT;
}

static Step exec_vote(Warp *warp, const Inst *inst, uint32_t mask) {
  return together(warp, inst, mask, vote);
}

ExecFn pick_ballot(const Form *form, Inst *inst) {
  (void)inst;
  return WORD_OF(form, SYNC) && WORD_OF(form, MODE) == WORD_BALLOT &&
                 form->types[0] == TYPE_B32
             ? exec_vote
             : NULL;
}

ExecFn pick_vote(const Form *form, Inst *inst) {
  (void)inst;
  const WordId mode = WORD_OF(form, MODE);
  return WORD_OF(form, SYNC) && form->types[0] == TYPE_PRED &&
                 (mode == WORD_ANY || mode == WORD_ALL || mode == WORD_UNI)
             ? exec_vote
             : NULL;
}

static Step match(Warp *warp, const Inst *inst, uint32_t mask) {
  uint32_t result[LANES] = {0};
  const uint32_t size = type_table[inst->type].bytes;
  for (int lane = 0; lane < LANES; lane++) {
    for (int other = 0; in_mask(mask, lane) && other < LANES; other++) {
      if (in_mask(mask, other) && lane_get(warp, inst->op[2], size, lane) ==
                                      lane_get(warp, inst->op[2], size, other))
        result[lane] |= UINT32_C(1) << other;
    }
  }
  uint32_t *d = reg(warp, inst->op[0]), all = 0;
  for (int lane = 0; lane < LANES; lane++) {
    if (!in_mask(mask, lane)) continue;
    const bool same = result[lane] == mask;
    if (same) all = ALL_LANES;
    d[lane] = inst->mode == WORD_ALL && !same ? 0 : result[lane];
  }
  set_pred(warp, inst->op[1], mask, all);
  return STEP_NEXT;
}

static Step exec_match(Warp *warp, const Inst *inst, uint32_t mask) {
  return together(warp, inst, mask, match);
}

ExecFn pick_match(const Form *form, Inst *inst) {
  const WordId mode = WORD_OF(form, MODE);
  if (mode == WORD_ANY && inst->has_pair) return NULL;
  return WORD_OF(form, SYNC) && (mode == WORD_ANY || mode == WORD_ALL) &&
                 (form->types[0] == TYPE_B32 || form->types[0] == TYPE_B64)
             ? exec_match
             : NULL;
}

static uint32_t reduce_pair(const Inst *inst, uint32_t a, uint32_t b) {
  const bool less = inst->type == TYPE_S32 ? (int32_t)a < (int32_t)b : a < b;
  switch (inst->bool_op) {
  case WORD_ADD: return a + b;
  case WORD_AND: return a & b;
  case WORD_OR: return a | b;
  case WORD_XOR: return a ^ b;
  case WORD_MIN: return less ? a : b;
  default: return less ? b : a;
  }
}

static Step reduce(Warp *warp, const Inst *inst, uint32_t mask) {
  const uint32_t *a = reg(warp, inst->op[1]);
  uint32_t *d = reg(warp, inst->op[0]);
  const int first = __builtin_ctz(mask);
  uint32_t result = a[first];
  for (int lane = first + 1; lane < LANES; lane++)
    if (in_mask(mask, lane)) result = reduce_pair(inst, result, a[lane]);
  for (int lane = 0; lane < LANES; lane++)
    if (in_mask(mask, lane)) d[lane] = result;
  return STEP_NEXT;
}

static Step exec_redux(Warp *warp, const Inst *inst, uint32_t mask) {
  return together(warp, inst, mask, reduce);
}

ExecFn pick_redux(const Form *form, Inst *inst) {
  const TypeId type = (TypeId)form->types[0];
  const WordId op = WORD_OF(form, OP);
  const bool is_bits = op == WORD_AND || op == WORD_OR || op == WORD_XOR;
  const bool is_sum = op == WORD_ADD || op == WORD_MIN || op == WORD_MAX;
  (void)inst;
  if (!WORD_OF(form, SYNC) || WORD_OF(form, ABS) || WORD_OF(form, NAN))
    return NULL;
  return (is_bits && type == TYPE_B32) ||
                 (is_sum && (type == TYPE_U32 || type == TYPE_S32))
             ? exec_redux
             : NULL;
}

// The lowest of those that are left.
static Step elect(Warp *warp, const Inst *inst, uint32_t mask) {
  const uint32_t leader = (uint32_t)__builtin_ctz(mask);
  uint32_t *d = reg(warp, inst->op[0]);
  for (int lane = 0; lane < LANES; lane++)
    if (in_mask(mask, lane)) d[lane] = leader;
  set_pred(warp, inst->op[1], mask, UINT32_C(1) << leader);
  return STEP_NEXT;
}

static Step exec_elect(Warp *warp, const Inst *inst, uint32_t mask) {
  return together(warp, inst, mask, elect);
}

ExecFn pick_elect(const Form *form, Inst *inst) {
  return WORD_OF(form, SYNC) && inst->has_pair ? exec_elect : NULL;
}

// -- activemask, bar.warp.sync -----------------------------------------------

static Step exec_activemask(Warp *warp, const Inst *inst, uint32_t mask) {
  uint32_t *d = reg(warp, inst->op[0]);
  for (int lane = 0; lane < LANES; lane++)
    if (in_mask(mask, lane)) d[lane] = mask;
  return STEP_NEXT;
}

ExecFn pick_activemask(const Form *form, Inst *inst) {
  (void)inst;
  return form->types[0] == TYPE_B32 ? exec_activemask : NULL;
}

static Step exec_warp_sync(Warp *warp, const Inst *inst, uint32_t mask);

// Lanes of group i that wait at a bar.warp.sync for these members.
static uint32_t waiting_in(const Warp *warp, int i, uint32_t members) {
  const Group *group = &warp->groups[i];
  const Inst *inst = &warp->cta->launch->code->insts[group->place];
  return group->state == GROUP_WAITING && inst->exec == exec_warp_sync
             ? lanes_asking(warp, inst, group->mask, members)
             : 0;
}

// The members may be at different bar.warp.sync of one mask.
static uint32_t all_waiting(const Warp *warp, uint32_t members) {
  uint32_t lanes = 0;
  for (int i = 0; i < warp->num_groups; i++)
    lanes |= waiting_in(warp, i, members);
  return lanes;
}

static void let_go(Warp *warp, uint32_t members) {
  for (int i = 0; i < warp->num_groups; i++)
    warp_pass(warp, i, waiting_in(warp, i, members));
}

static Step exec_warp_sync(Warp *warp, const Inst *inst, uint32_t mask) {
  uint32_t waiting = 0;
  for (uint32_t rest = mask; rest;) {
    const uint32_t members = members_of(warp, inst, __builtin_ctz(rest));
    const uint32_t lanes = lanes_asking(warp, inst, rest, members);
    rest &= ~lanes;
    if (check_members(warp, inst, lanes, members)) return STEP_FAULT;
    const uint32_t here = lanes | all_waiting(warp, members);
    if (!warp_converged(warp, here, members)) {
      waiting |= lanes;
      continue;
    }
    if (warp_skipped(warp, inst, here, members)) return STEP_FAULT;
    let_go(warp, members);
    order_sync(warp, here);
  }
  if (!waiting) return STEP_NEXT;
  warp_split(warp, waiting);
  return STEP_BLOCK;
}

ExecFn pick_warp_sync(const Form *form, Inst *inst) {
  (void)inst;
  return WORD_OF(form, WARP) && WORD_OF(form, SYNC) && !WORD_OF(form, MODE) &&
                 !WORD_OF(form, OP) && !WORD_OF(form, SCOPE)
             ? exec_warp_sync
             : NULL;
}

bool has_members(const Inst *inst) {
  const ExecFn exec = inst->exec;
  return exec == exec_shfl || exec == exec_vote || exec == exec_match ||
         exec == exec_redux || exec == exec_elect || exec == exec_warp_sync;
}
