// fields.c -- masks, bit fields and positions of bits; lop3 with a predicate.
#include "runtime/simulator/memory/lanes.h"

// `width` bits from `start` on.
static uint32_t make_mask(const Inst *inst, uint32_t start, uint32_t width) {
  const bool clamps = inst->mode == WORD_CLAMP;
  if (clamps && start >= 32) return 0;
  const uint32_t from = start & 31, to = from + (width & 31);
  const bool to_end = to >= 32 || (clamps && width >= 32);
  const uint32_t above = to_end ? 0 : UINT32_MAX << to;
  return (UINT32_MAX << from) & ~above;
}

// The lowest `width` bits as a number.
static uint32_t extend(const Inst *inst, uint32_t a, uint32_t width) {
  if (inst->mode == WORD_CLAMP && width >= 32) return a;
  const uint32_t bits = width & 31, above = UINT32_MAX << bits;
  const bool negative =
      inst->type == TYPE_S32 && bits && (a >> (bits - 1) & 1) != 0;
  return (a & ~above) | (negative ? above : 0);
}

// The position of the |n|-th set bit from `base` on, upwards or downwards.
static uint32_t find_nth(uint32_t mask, uint32_t base, int32_t n) {
  if (!n) return base < 32 && mask >> base & 1 ? base : UINT32_MAX;
  const int step = n > 0 ? 1 : -1;
  int64_t left = n > 0 ? n : -(int64_t)n;
  for (int64_t at = base; at >= 0 && at < 32; at += step)
    if (mask >> at & 1 && !--left) return (uint32_t)at;
  return UINT32_MAX;
}

LANES_2(bmsk, uint32_t, uint32_t, make_mask(inst, a, b))
LANES_2(szext, uint32_t, uint32_t, extend(inst, a, b))
LANES_3(fns, uint32_t, uint32_t, uint32_t, find_nth(a, b, (int32_t)c))

static bool has_limit(const Form *form) {
  return WORD_OF(form, MODE) == WORD_CLAMP || WORD_OF(form, MODE) == WORD_WRAP;
}

ExecFn pick_bmsk(const Form *form, Inst *inst) {
  (void)inst;
  return form->types[0] == TYPE_B32 && has_limit(form) ? exec_bmsk : NULL;
}

ExecFn pick_szext(const Form *form, Inst *inst) {
  const TypeId type = (TypeId)form->types[0];
  (void)inst;
  return (type == TYPE_S32 || type == TYPE_U32) && has_limit(form) ? exec_szext
                                                                   : NULL;
}

ExecFn pick_fns(const Form *form, Inst *inst) {
  (void)inst;
  return form->types[0] == TYPE_B32 ? exec_fns : NULL;
}

// d|p = lop3(a, b, c), (d != 0) op q
static Step exec_lop3_pred(Warp *warp, const Inst *inst, uint32_t mask) {
  const uint32_t with = source_pred(warp, inst, 5);
  uint32_t *d = reg(warp, inst->op[0]), some = 0;
  const uint32_t *a = reg(warp, inst->op[2]), *b = reg(warp, inst->op[3]);
  const uint32_t *c = reg(warp, inst->op[4]);
  for (int lane = 0; lane < LANES; lane++) {
    if (!in_mask(mask, lane)) continue;
    d[lane] = lop3(a[lane], b[lane], c[lane], inst->imm);
    if (d[lane]) some |= UINT32_C(1) << lane;
  }
  set_pred(warp, inst->op[1], mask,
           inst->bool_op == WORD_AND ? some & with : some | with);
  return STEP_NEXT;
}

ExecFn pick_lop3_pred(const Form *form, Inst *inst) {
  const WordId op = WORD_OF(form, OP);
  return form->types[0] == TYPE_B32 && inst->imm >= 0 && inst->imm < 256 &&
                 (op == WORD_AND || op == WORD_OR) && inst->has_pair
             ? exec_lop3_pred
             : NULL;
}
