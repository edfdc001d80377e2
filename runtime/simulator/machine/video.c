// video.c -- the video instructions, on parts of 32-bit integers.
//
// The scalar ones (vadd, ...) use a byte, a half or the whole of each operand;
// the others (vadd2, vadd4, ...) use two halves or four bytes of the eight
// bytes of both operands.  A selector follows its operand in inst->op.
//
// For example, vadd.u32.u32.u32.add of byte 0 of 0x01020304, half 1 of
// 0x10203040 and 5 is 0x04 + 0x1020 + 5 = 0x1029.
#include "runtime/simulator/machine/families.h"
#include "runtime/simulator/memory/lanes.h"

typedef enum {
  VIDEO_ADD,
  VIDEO_SUB,
  VIDEO_ABSDIFF,
  VIDEO_MIN,
  VIDEO_MAX,
  VIDEO_AVERAGE,
  VIDEO_SHL,
  VIDEO_SHR,
  VIDEO_MAD,
  VIDEO_SET,
} VideoOp;

// Operands in inst->op.
enum { D, D_PARTS, A, A_PARTS, B, B_PARTS, C, WITH_C = C + 1 };

static bool is_signed(uint8_t type) {
  return type == TYPE_S32;
}

// The part at `shift` of `bits` bits, as a number.
static Int128 part_of(uint64_t both, uint32_t shift, uint32_t bits,
                      bool signs) {
  const uint64_t part = (both >> shift) & ((UINT64_C(1) << bits) - 1);
  const bool negative = signs && part >> (bits - 1);
  return (Int128)part - (negative ? (Int128)1 << bits : 0);
}

static Int128 clamp(Int128 value, bool signs, uint32_t bits) {
  const Int128 least = signs ? -((Int128)1 << (bits - 1)) : 0;
  const Int128 most = ((Int128)1 << (signs ? bits - 1 : bits)) - 1;
  return value < least ? least : value > most ? most : value;
}

static bool compares(WordId word, Int128 a, Int128 b) {
  switch (word) {
  case WORD_EQ: return a == b;
  case WORD_NE: return a != b;
  case WORD_LT: return a < b;
  case WORD_LE: return a <= b;
  case WORD_GT: return a > b;
  default: return a >= b;
  }
}

static Int128 shift_count(const Inst *inst, Int128 count) {
  if (inst->mode == WORD_WRAP) return count & 31;
  return count > LANES ? LANES : count;
}

static Int128 compute(const Inst *inst, Int128 a, Int128 b) {
  switch ((VideoOp)inst->sub) {
  case VIDEO_ADD: return a + b;
  case VIDEO_SUB: return a - b;
  case VIDEO_ABSDIFF: return a < b ? b - a : a - b;
  case VIDEO_MIN: return a < b ? a : b;
  case VIDEO_MAX: return a > b ? a : b;
  case VIDEO_AVERAGE: return (a + b + 1) >> 1;
  case VIDEO_SHL: return a * ((Int128)1 << shift_count(inst, b));
  case VIDEO_SHR: return a >> shift_count(inst, b);
  case VIDEO_MAD: return a * b;
  case VIDEO_SET: return compares((WordId)inst->cmp, a, b);
  }
  return 0;
}

// -- Scalar ------------------------------------------------------------------

typedef struct {
  uint32_t shift, bits;
} VideoPart;

// b0 to b3, h0, h1, or the whole.
static VideoPart scalar_part(uint32_t selector) {
  const uint32_t bits = selector_bits(selector);
  return (VideoPart){selector_digit(selector, 0) * bits, bits};
}

static uint32_t second_op(const Inst *inst, uint32_t value, uint32_t c) {
  const bool signs = is_signed(inst->type);
  const Int128 x = part_of(value, 0, 32, signs), y = part_of(c, 0, 32, signs);
  switch (inst->bool_op) {
  case WORD_ADD: return value + c;
  case WORD_MIN: return x < y ? value : c;
  case WORD_MAX: return x > y ? value : c;
  default: return value;
  }
}

static uint32_t merged(VideoPart to, uint32_t value, uint32_t c) {
  if (to.bits == 32) return value;
  const uint32_t mask = ((1u << to.bits) - 1) << to.shift;
  return ((value << to.shift) & mask) | (c & ~mask);
}

static Step exec_scalar(Warp *warp, const Inst *inst, uint32_t mask) {
  uint32_t *d = reg(warp, inst->op[D]);
  const uint32_t *a = reg(warp, inst->op[A]), *b = reg(warp, inst->op[B]);
  const uint32_t *c = inst->num_ops < WITH_C ? NULL : reg(warp, inst->op[C]);
  const VideoPart to = scalar_part(inst->op[D_PARTS]);
  const VideoPart from_a = scalar_part(inst->op[A_PARTS]);
  const VideoPart from_b = scalar_part(inst->op[B_PARTS]);
  for (int lane = 0; lane < LANES; lane++) {
    if (!in_mask(mask, lane)) continue;
    Int128 value = compute(
        inst,
        part_of(a[lane], from_a.shift, from_a.bits, is_signed(inst->type2)),
        part_of(b[lane], from_b.shift, from_b.bits, is_signed(inst->type3)));
    if (inst->sat) value = clamp(value, is_signed(inst->type), to.bits);
    const uint32_t narrow = (uint32_t)value, other = c ? c[lane] : 0;
    d[lane] = inst->bool_op ? second_op(inst, narrow, other)
                            : merged(to, narrow, other);
  }
  return STEP_NEXT;
}

// a b + c, plus 1 with .po; then the bits from the scale on.
static Step exec_mad(Warp *warp, const Inst *inst, uint32_t mask) {
  uint32_t *d = reg(warp, inst->op[D]);
  const uint32_t *a = reg(warp, inst->op[A]), *b = reg(warp, inst->op[B]);
  const uint32_t *c = reg(warp, inst->op[C]);
  const VideoPart from_a = scalar_part(inst->op[A_PARTS]);
  const VideoPart from_b = scalar_part(inst->op[B_PARTS]);
  const bool signs = is_signed(inst->type2) || is_signed(inst->type3);
  const int scale = inst->mode == WORD_SHR7 ? 7 : inst->mode ? 15 : 0;
  for (int lane = 0; lane < LANES; lane++) {
    if (!in_mask(mask, lane)) continue;
    const Int128 product = compute(
        inst,
        part_of(a[lane], from_a.shift, from_a.bits, is_signed(inst->type2)),
        part_of(b[lane], from_b.shift, from_b.bits, is_signed(inst->type3)));
    Int128 value = product + part_of(c[lane], 0, 32, signs) +
                   (inst->bool_op == WORD_PO ? 1 : 0);
    value >>= scale;
    if (inst->sat) value = clamp(value, signs, 32);
    d[lane] = (uint32_t)value;
  }
  return STEP_NEXT;
}

// -- Two and four at once ----------------------------------------------------

// The parts of the destination that are written; all without a selector.
static uint32_t written_parts(uint32_t selector, uint32_t parts) {
  if (!selector) return (1u << parts) - 1;
  uint32_t set = 0;
  for (uint32_t i = 0; i < selector_count(selector); i++)
    set |= 1u << selector_digit(selector, i);
  return set;
}

// The number of the part that part i comes from, among those of a and then of
// b.
static uint32_t source_part(uint32_t selector, uint32_t i, uint32_t first) {
  return selector ? selector_digit(selector, i) : first + i;
}

static uint32_t combine_parts(const Inst *inst, uint64_t both, uint32_t c) {
  const uint32_t parts = inst->num_dst, bits = 32 / parts;
  const uint32_t written = written_parts(inst->op[D_PARTS], parts);
  const bool adds = inst->bool_op == WORD_ADD;
  uint32_t result = c;
  for (uint32_t i = 0; i < parts; i++) {
    if (!(written >> i & 1)) continue;
    const uint32_t x = source_part(inst->op[A_PARTS], i, 0);
    const uint32_t y = source_part(inst->op[B_PARTS], i, parts);
    Int128 value =
        compute(inst, part_of(both, x * bits, bits, is_signed(inst->type2)),
                part_of(both, y * bits, bits, is_signed(inst->type3)));
    if (inst->sat) value = clamp(value, is_signed(inst->type), bits);
    result = adds
                 ? result + (uint32_t)value
                 : merged((VideoPart){i * bits, bits}, (uint32_t)value, result);
  }
  return result;
}

static Step exec_parts(Warp *warp, const Inst *inst, uint32_t mask) {
  uint32_t *d = reg(warp, inst->op[D]);
  const uint32_t *a = reg(warp, inst->op[A]), *b = reg(warp, inst->op[B]);
  const uint32_t *c = reg(warp, inst->op[C]);
  for (int lane = 0; lane < LANES; lane++) {
    if (!in_mask(mask, lane)) continue;
    const uint64_t both = (uint64_t)b[lane] << 32 | a[lane];
    d[lane] = combine_parts(inst, both, c[lane]);
  }
  return STEP_NEXT;
}

// -- Forms -------------------------------------------------------------------

static void note_types(const Form *form, Inst *inst) {
  if (form->num_types == 3) return;
  inst->type3 = inst->type2;
  inst->type2 = inst->type;
  inst->type = TYPE_U32;
}

// One part of the four bytes or two halves, or none.
static bool is_scalar_part(uint32_t selector) {
  return selector_count(selector) < 2 &&
         selector_digit(selector, 0) * selector_bits(selector) < 32;
}

static bool has_scalar_parts(const Inst *inst) {
  return is_scalar_part(inst->op[D_PARTS]) &&
         is_scalar_part(inst->op[A_PARTS]) && is_scalar_part(inst->op[B_PARTS]);
}

static ExecFn pick_scalar(const Form *form, Inst *inst, VideoOp op) {
  inst->sub = (uint8_t)op;
  note_types(form, inst);
  const bool shifts = op == VIDEO_SHL || op == VIDEO_SHR;
  const bool has_c = inst->num_ops == WITH_C;
  const bool merges = inst->op[D_PARTS];
  const WordId second = WORD_OF(form, OP);
  if (!is_word(inst->type) || !is_word(inst->type2) || !is_word(inst->type3) ||
      !has_scalar_parts(inst) || (shifts && inst->type3 != TYPE_U32) ||
      shifts != (WORD_OF(form, MODE) != WORD_NONE) ||
      has_c != (merges || second) || (merges && second))
    return NULL;
  return second == WORD_NONE || second == WORD_ADD || second == WORD_MIN ||
                 second == WORD_MAX
             ? exec_scalar
             : NULL;
}

static bool parts_fit(uint32_t selector, uint32_t parts, uint32_t limit) {
  if (!selector) return true;
  if (selector_bits(selector) != 32 / parts) return false;
  for (uint32_t i = 0; i < selector_count(selector); i++)
    if (selector_digit(selector, i) >= limit) return false;
  return true;
}

static bool selects_all(uint32_t selector, uint32_t parts) {
  return parts_fit(selector, parts, 2 * parts) &&
         (!selector || selector_count(selector) == parts);
}

static ExecFn pick_parts(const Form *form, Inst *inst, VideoOp op, int parts) {
  const uint32_t count = (uint32_t)parts;
  inst->sub = (uint8_t)op;
  inst->num_dst = (uint8_t)parts;
  note_types(form, inst);
  const bool signs = is_signed(inst->type2) || is_signed(inst->type3);
  const WordId second = WORD_OF(form, OP);
  return is_word(inst->type) && is_word(inst->type2) && is_word(inst->type3) &&
                 (!second || (second == WORD_ADD && !inst->sat)) &&
                 !(op == VIDEO_AVERAGE && signs) &&
                 parts_fit(inst->op[D_PARTS], count, count) &&
                 selects_all(inst->op[A_PARTS], count) &&
                 selects_all(inst->op[B_PARTS], count)
             ? exec_parts
             : NULL;
}

ExecFn pick_vmad(const Form *form, Inst *inst) {
  inst->sub = VIDEO_MAD;
  const WordId plus = WORD_OF(form, OP), scale = WORD_OF(form, MODE);
  return is_word(inst->type) && is_word(inst->type2) && is_word(inst->type3) &&
                 has_scalar_parts(inst) && !inst->op[D_PARTS] &&
                 (!plus || plus == WORD_PO) &&
                 (!scale || scale == WORD_SHR7 || scale == WORD_SHR15)
             ? exec_mad
             : NULL;
}

#define SCALAR(name, op)                                                       \
  ExecFn pick_##name(const Form *form, Inst *inst) {                           \
    return pick_scalar(form, inst, op);                                        \
  }
#define PARTS(name, op)                                                        \
  ExecFn pick_##name##2(const Form *form, Inst *inst) {                        \
    return pick_parts(form, inst, op, 2);                                      \
  }                                                                            \
  ExecFn pick_##name##4(const Form *form, Inst *inst) {                        \
    return pick_parts(form, inst, op, 4);                                      \
  }

SCALAR(vadd, VIDEO_ADD)
SCALAR(vsub, VIDEO_SUB)
SCALAR(vabsdiff, VIDEO_ABSDIFF)
SCALAR(vmin, VIDEO_MIN)
SCALAR(vmax, VIDEO_MAX)
SCALAR(vshl, VIDEO_SHL)
SCALAR(vshr, VIDEO_SHR)
SCALAR(vset, VIDEO_SET)
PARTS(vadd, VIDEO_ADD)
PARTS(vsub, VIDEO_SUB)
PARTS(vabsdiff, VIDEO_ABSDIFF)
PARTS(vmin, VIDEO_MIN)
PARTS(vmax, VIDEO_MAX)
PARTS(vavrg, VIDEO_AVERAGE)
PARTS(vset, VIDEO_SET)
