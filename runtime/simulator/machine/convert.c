// convert.c -- cvt.
//
// Integers pass through 64 bits, floats through double; an integer that double
// cannot hold is rounded to odd first.
//
// For example, 2^53 + 2^29 + 1 as a double is 2^53 + 2^29, halfway between two
// floats, and would become the even one, 2^53.  Rounded to odd it stays above
// the half, so that cvt.rn.f32.s64 gives 2^53 + 2^30.
#include <fenv.h>
#include <math.h>
#include <string.h>

#include "runtime/simulator/machine/families.h"
#include "runtime/simulator/memory/lanes.h"
#include "runtime/simulator/number/number.h"

static bool is_signed(TypeId type) {
  return type_table[type].class == CLASS_SIGNED;
}

static int64_t extend(uint64_t bits, TypeId type) {
  const uint32_t unused = 64 - type_table[type].bytes * 8u;
  if (is_signed(type)) return (int64_t)(bits << unused) >> unused;
  return (int64_t)(bits << unused >> unused);
}

static double load_float(uint64_t bits, TypeId type) {
  if (type == TYPE_F64) return double_from_bits(bits);
  return format_decode(format_of(type), (uint32_t)bits);
}

static double flush(double x, TypeId type) {
  const bool single = type == TYPE_F32 || type == TYPE_F64;
  return fabs(x) < (single ? 0x1p-126 : 0x1p-14) ? copysign(0, x) : x;
}

static uint64_t store_float(const Inst *inst, double x) {
  const TypeId type = (TypeId)inst->type;
  if (inst->sat) x = x > 0 ? (x < 1 ? x : 1) : 0;
  if (inst->sub & 2 && !(x > 0) && !isnan(x)) x = 0; // relu
  if (type == TYPE_F64) return bits_from_double(x);
  const bool is_plain = inst->round == WORD_NONE || inst->round >= WORD_RNI;
  const WordId round = is_plain ? WORD_RN : (WordId)inst->round;
  const uint32_t bits = format_encode(format_of(type), x, round, inst->sub & 1);
  if (type == TYPE_TF32) return (uint64_t)bits << 13;
  if (type == TYPE_F32 && inst->ftz)
    return bits_from_float(flush_float(float_from_bits(bits)));
  return bits;
}

// -- Integer to integer ------------------------------------------------------

static int64_t clamp_to(TypeId to, TypeId from, int64_t x) {
  const uint32_t bits = type_table[to].bytes * 8u;
  const bool huge = !is_signed(from) && x < 0; // at least 2^63
  if (is_signed(to)) {
    const int64_t most = (int64_t)(UINT64_MAX >> (65 - bits));
    if (huge || x > most) return most;
    return x < -most - 1 ? -most - 1 : x;
  }
  const uint64_t most = UINT64_MAX >> (64 - bits);
  if (is_signed(from) && x < 0) return 0;
  return (uint64_t)x > most ? (int64_t)most : x;
}

static uint64_t int_to_int(const Inst *inst, uint64_t bits) {
  const TypeId to = (TypeId)inst->type, from = (TypeId)inst->type2;
  int64_t x = extend(bits, from);
  if (inst->sat) x = clamp_to(to, from, x);
  // A register wider than the type is sign- or zero-extended by the type.
  return (uint64_t)extend((uint64_t)x, to);
}

static uint64_t int_to_float(const Inst *inst, uint64_t bits) {
  const TypeId from = (TypeId)inst->type2;
  const int64_t x = extend(bits, from);
  const bool negative = is_signed(from) && x < 0;
  const uint64_t magnitude = negative ? 0 - (uint64_t)x : (uint64_t)x;
  if (inst->type != TYPE_F64)
    return store_float(inst, odd_integer(magnitude, negative));
  static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD,
                              FE_UPWARD};
  fesetround(modes[inst->round ? inst->round - WORD_RN : 0]);
  volatile uint64_t whole = magnitude;
  volatile int64_t whole_signed = x;
  volatile double result =
      is_signed(from) ? (double)whole_signed : (double)whole;
  fesetround(FE_TONEAREST);
  return bits_from_double(result);
}

// -- Float to something ------------------------------------------------------

static uint64_t float_to_int(const Inst *inst, uint64_t bits) {
  const TypeId to = (TypeId)inst->type, from = (TypeId)inst->type2;
  double x = load_float(bits, from);
  if (inst->ftz) x = flush(x, from);
  if (isnan(x)) return 0;
  x = round_integral(x, (WordId)inst->round);
  const int width = type_table[to].bytes * 8;
  if (is_signed(to)) {
    const double limit = ldexp(1, width - 1);
    const int64_t most = (int64_t)(UINT64_MAX >> (65 - width));
    if (x >= limit) return (uint64_t)most;
    return x < -limit ? (uint64_t)(-most - 1) : (uint64_t)(int64_t)x;
  }
  if (x <= 0) return 0;
  return x >= ldexp(1, width) ? UINT64_MAX >> (64 - width) : (uint64_t)x;
}

static uint64_t float_to_float(const Inst *inst, uint64_t bits) {
  const TypeId from = (TypeId)inst->type2;
  double x = load_float(bits, from);
  if (inst->ftz && from == TYPE_F32) x = flush(x, from);
  if (inst->round >= WORD_RNI) x = round_integral(x, (WordId)inst->round);
  return store_float(inst, x);
}

static Step exec_cvt(Warp *warp, const Inst *inst, uint32_t mask) {
  const bool from_float = is_float_type((TypeId)inst->type2);
  const bool to_float = is_float_type((TypeId)inst->type);
  for (int lane = 0; lane < LANES; lane++) {
    if (!in_mask(mask, lane)) continue;
    uint64_t bits = lane_get(warp, inst->op[1], inst->src_size, lane);
    const uint32_t size = type_table[inst->type2].bytes;
    if (size < 8) bits &= (UINT64_C(1) << size * 8) - 1;
    const uint64_t result = from_float ? (to_float ? float_to_float(inst, bits)
                                                   : float_to_int(inst, bits))
                            : to_float ? int_to_float(inst, bits)
                                       : int_to_int(inst, bits);
    lane_set(warp, inst->op[0], inst->reg_size, lane, result);
  }
  return STEP_NEXT;
}

// The plain conversions to a wider or narrower type, which are the most
// frequent.
#define CONVERT(name, from, to) LANES_1(name, from, to, a)
CONVERT(cvt_s64_s32, int32_t, int64_t)
CONVERT(cvt_u64_u32, uint32_t, uint64_t)
CONVERT(cvt_32_64, uint64_t, uint32_t)
CONVERT(cvt_f32_s32, int32_t, float)

static ExecFn common(const Form *form, const Inst *inst) {
  const TypeId to = (TypeId)form->types[0], from = (TypeId)form->types[1];
  if (inst->sat || inst->ftz || inst->sub ||
      inst->reg_size != type_table[to].bytes ||
      inst->src_size != type_table[from].bytes)
    return NULL;
  if (from == TYPE_S32 && (to == TYPE_S64 || to == TYPE_U64))
    return exec_cvt_s64_s32;
  if (from == TYPE_U32 && (to == TYPE_U64 || to == TYPE_S64))
    return exec_cvt_u64_u32;
  if (is_int_type(to) && is_int_type(from) && type_table[to].bytes == 4 &&
      type_table[from].bytes == 8)
    return exec_cvt_32_64;
  if (from == TYPE_S32 && to == TYPE_F32 && inst->round == WORD_RN)
    return exec_cvt_f32_s32;
  return NULL;
}

// -- Pairs -------------------------------------------------------------------

// cvt.f16x2.f32 d, a, b: a is the upper half.
static Step exec_cvt_pair(Warp *warp, const Inst *inst, uint32_t mask) {
  const uint32_t half = type_table[inst->type].bytes * 4u;
  for (int lane = 0; lane < LANES; lane++) {
    if (!in_mask(mask, lane)) continue;
    const uint64_t a = lane_get(warp, inst->op[1], inst->src_size, lane);
    const uint64_t b = lane_get(warp, inst->op[2], inst->src_size, lane);
    const uint64_t high = store_float(inst, load_float(a, TYPE_F32));
    const uint64_t low = store_float(inst, load_float(b, TYPE_F32));
    lane_set(warp, inst->op[0], inst->reg_size, lane, high << half | low);
  }
  return STEP_NEXT;
}

// cvt.f16x2.e4m3x2 d, a and back: both halves in one register.
static Step exec_cvt_packed(Warp *warp, const Inst *inst, uint32_t mask) {
  const uint32_t to = type_table[inst->type].bytes * 4u;
  const uint32_t from = type_table[inst->type2].bytes * 4u;
  const Format *format = format_of((TypeId)inst->type2);
  for (int lane = 0; lane < LANES; lane++) {
    if (!in_mask(mask, lane)) continue;
    const uint64_t a = lane_get(warp, inst->op[1], inst->src_size, lane);
    const uint32_t part = (1u << from) - 1;
    const double low = format_decode(format, (uint32_t)a & part);
    const double high = format_decode(format, (uint32_t)(a >> from) & part);
    lane_set(warp, inst->op[0], inst->reg_size, lane,
             store_float(inst, high) << to | store_float(inst, low));
  }
  return STEP_NEXT;
}

static bool is_eighth(TypeId type) {
  return type == TYPE_E4M3X2 || type == TYPE_E5M2X2;
}

static bool pair_fits(const Form *form) {
  const TypeId to = (TypeId)form->types[0], from = (TypeId)form->types[1];
  const WordId round = WORD_OF(form, ROUND);
  if (WORD_OF(form, FTZ) || WORD_OF(form, SAT)) return false;
  if (is_eighth(to))
    return round == WORD_RN && WORD_OF(form, SATFINITE) &&
           (from == TYPE_F32 || from == TYPE_F16X2);
  if (from == TYPE_F32) return round == WORD_RN || round == WORD_RZ;
  return to == TYPE_F16X2 && is_eighth(from) && round == WORD_RN &&
         !WORD_OF(form, SATFINITE);
}

static ExecFn pick_pair(const Form *form) {
  const bool is_joined = form->types[1] == TYPE_F32;
  if (!pair_fits(form) || form->num_operands != (is_joined ? 3 : 2))
    return NULL;
  return is_joined ? exec_cvt_pair : exec_cvt_packed;
}

// cvt.pack: a and b saturated, a above b, and above them the low part of c.
static Step exec_cvt_pack(Warp *warp, const Inst *inst, uint32_t mask) {
  const TypeId to = (TypeId)inst->type;
  const uint32_t bits = inst->sub;
  const uint32_t part = (UINT32_C(1) << bits) - 1;
  uint32_t *d = reg(warp, inst->op[0]);
  const int32_t *a = reg(warp, inst->op[1]), *b = reg(warp, inst->op[2]);
  const uint32_t *c = inst->given > 3 ? reg(warp, inst->op[3]) : NULL;
  const int64_t least = is_signed(to) ? -(INT64_C(1) << (bits - 1)) : 0;
  const int64_t most = (INT64_C(1) << (bits - is_signed(to))) - 1;
  for (int lane = 0; lane < LANES; lane++) {
    if (!in_mask(mask, lane)) continue;
    const int64_t x = a[lane] < least ? least : a[lane];
    const int64_t y = b[lane] < least ? least : b[lane];
    const uint32_t high = (uint32_t)(x > most ? most : x) & part;
    const uint32_t low = (uint32_t)(y > most ? most : y) & part;
    const uint32_t rest = c ? c[lane] << (2 * bits) : 0;
    d[lane] = rest | high << bits | low;
  }
  return STEP_NEXT;
}

ExecFn pick_cvt_pack(const Form *form, Inst *inst) {
  const TypeId to = (TypeId)form->types[0];
  const bool is_four = to == TYPE_S4 || to == TYPE_U4;
  const bool is_two = to == TYPE_S2 || to == TYPE_U2;
  inst->sub = is_two ? 2 : is_four ? 4 : type_table[to].bytes * 8;
  const bool is_known = is_two || is_four || to == TYPE_S8 || to == TYPE_U8 ||
                        to == TYPE_S16 || to == TYPE_U16;
  return is_known && form->types[1] == TYPE_S32 && inst->sat &&
                 WORD_OF(form, MODE) == WORD_PACK &&
                 (inst->sub == 16 ? form->num_operands == 3
                                  : form->types[2] == TYPE_B32)
             ? exec_cvt_pack
             : NULL;
}

// Whether one integer type has values that the other lacks.
static bool may_clamp(TypeId to, TypeId from) {
  const bool to_signed = type_table[to].class == CLASS_SIGNED;
  const bool from_signed = type_table[from].class == CLASS_SIGNED;
  const int more = type_table[to].bytes - type_table[from].bytes;
  if (from_signed && !to_signed) return true;
  return to_signed == from_signed ? more < 0 : more <= 0;
}

// A conversion between bf16 and f16, which rounds to nearest without a rounding
// mode.
static bool are_halves(TypeId to, TypeId from) {
  return (to == TYPE_F16 && from == TYPE_BF16) ||
         (to == TYPE_BF16 && from == TYPE_F16);
}

// A rounding mode must be given exactly if bits can be lost.
static bool rounding_fits(const Form *form) {
  const TypeId to = (TypeId)form->types[0], from = (TypeId)form->types[1];
  const WordId round = WORD_OF(form, ROUND);
  const bool integral = round >= WORD_RNI;
  if (to == TYPE_TF32)
    return from == TYPE_F32 &&
           (round == WORD_RNA || round == WORD_RN || round == WORD_RZ);
  if (round == WORD_RNA) return false;
  if (!is_float_type(to) && !is_float_type(from))
    return !round && (!WORD_OF(form, SAT) || may_clamp(to, from));
  if (!is_float_type(to)) return integral;
  if (!is_float_type(from)) return round && !integral;
  if (to == from) return !round || integral;
  if (are_halves(to, from)) return !integral;
  if (type_table[to].bytes > type_table[from].bytes)
    return !round || (from == TYPE_BF16 && !integral);
  return round && !integral;
}

// The other words of floats: .ftz needs f32 on one side, .satfinite and .relu
// are for conversions from f32 alone, and .sat is not for bf16.
static bool words_fit(const Form *form) {
  const TypeId to = (TypeId)form->types[0], from = (TypeId)form->types[1];
  const WordId round = WORD_OF(form, ROUND);
  const bool is_narrowed =
      from == TYPE_F32 && type_table[to].class >= CLASS_FLOAT && to != from;
  const bool limits = WORD_OF(form, SATFINITE) || WORD_OF(form, RELU);
  if (to == TYPE_TF32 && (WORD_OF(form, FTZ) || WORD_OF(form, SAT) ||
                          (round == WORD_RNA && WORD_OF(form, RELU))))
    return false;
  if (WORD_OF(form, FTZ) && from != TYPE_F32 && to != TYPE_F32) return false;
  if (WORD_OF(form, SAT) &&
      (to == TYPE_BF16 || from == TYPE_BF16 || WORD_OF(form, SATFINITE)))
    return false;
  if (to == TYPE_TF32 && WORD_OF(form, SATFINITE) && round != WORD_RNA)
    return false;
  return !limits || (!WORD_OF(form, FTZ) && is_narrowed && round &&
                     round != WORD_RM && round != WORD_RP);
}

// Registers may be wider than the types, except for newer types.
static bool sizes_fit(const Form *form, const Inst *inst) {
  const TypeId to = (TypeId)form->types[0], from = (TypeId)form->types[1];
  const bool may_differ = to <= TYPE_F16X2 && from <= TYPE_F16X2;
  return may_differ || (inst->reg_size == type_table[to].bytes &&
                        inst->src_size == type_table[from].bytes);
}

static bool is_scalar(TypeId type) {
  return is_int_type(type) || type == TYPE_U8 || type == TYPE_S8 ||
         type == TYPE_F16 || type == TYPE_BF16 || type == TYPE_F32 ||
         type == TYPE_F64;
}

ExecFn pick_cvt(const Form *form, Inst *inst) {
  const TypeId to = (TypeId)form->types[0], from = (TypeId)form->types[1];
  inst->sub = (uint8_t)((WORD_OF(form, SATFINITE) != WORD_NONE) |
                        (WORD_OF(form, RELU) != WORD_NONE) << 1);
  if (!sizes_fit(form, inst)) return NULL;
  if (type_table[to].class == CLASS_PACKED)
    return format_of(to) ? pick_pair(form) : NULL;
  if ((!is_scalar(to) && to != TYPE_TF32) || !is_scalar(from) ||
      form->num_operands != 2 || !rounding_fits(form) || !words_fit(form))
    return NULL;
  const ExecFn fast = common(form, inst);
  return fast ? fast : exec_cvt;
}
