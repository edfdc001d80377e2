// integer.c -- integer arithmetic.
//
// Sums and products are computed with unsigned numbers, which wrap.  Results
// that the manual leaves undefined are those of the hardware: x/0 is all ones.
#include "runtime/simulator/machine/families.h"
#include "runtime/simulator/memory/lanes.h"

#define WRAP(x) ((uint64_t)(x))

// The executors of one name for the integer types of 16, 32 and 64 bits.
#define EACH_INT_2(name, result)                                               \
  LANES_2(name##_u16, uint16_t, uint16_t, result)                              \
  LANES_2(name##_s16, int16_t, int16_t, result)                                \
  LANES_2(name##_u32, uint32_t, uint32_t, result)                              \
  LANES_2(name##_s32, int32_t, int32_t, result)                                \
  LANES_2(name##_u64, uint64_t, uint64_t, result)                              \
  LANES_2(name##_s64, int64_t, int64_t, result)                                \
  CHOOSE_INT(name)

#define EACH_INT_3(name, result)                                               \
  LANES_3(name##_u16, uint16_t, uint16_t, uint16_t, result)                    \
  LANES_3(name##_s16, int16_t, int16_t, int16_t, result)                       \
  LANES_3(name##_u32, uint32_t, uint32_t, uint32_t, result)                    \
  LANES_3(name##_s32, int32_t, int32_t, int32_t, result)                       \
  LANES_3(name##_u64, uint64_t, uint64_t, uint64_t, result)                    \
  LANES_3(name##_s64, int64_t, int64_t, int64_t, result)                       \
  CHOOSE_INT(name)

#define CHOOSE_INT(name)                                                       \
  static ExecFn choose_##name(TypeId type) {                                   \
    switch (type) {                                                            \
    case TYPE_U16: return exec_##name##_u16;                                   \
    case TYPE_S16: return exec_##name##_s16;                                   \
    case TYPE_U32: return exec_##name##_u32;                                   \
    case TYPE_S32: return exec_##name##_s32;                                   \
    case TYPE_U64: return exec_##name##_u64;                                   \
    case TYPE_S64: return exec_##name##_s64;                                   \
    default: return NULL;                                                      \
    }                                                                          \
  }

EACH_INT_2(add, WRAP(a) + WRAP(b))
EACH_INT_2(sub, WRAP(a) - WRAP(b))
EACH_INT_2(mul_lo, WRAP(a) * WRAP(b))
EACH_INT_3(mad_lo, WRAP(a) * WRAP(b) + WRAP(c))
// The product modulo 2^128: correct for signed and unsigned numbers.
#define HIGH(a, b)                                                             \
  ((Int128)((Uint128)(Int128)(a) * (Uint128)(Int128)(b)) >> (8 * sizeof(a)))
EACH_INT_2(mul_hi, HIGH(a, b))
EACH_INT_3(mad_hi, (Uint128)HIGH(a, b) + (Uint128)(Int128)c)
EACH_INT_2(min, a < b ? a : b)
EACH_INT_2(max, a > b ? a : b)
EACH_INT_3(sad, WRAP(c) + (a < b ? WRAP(b) - WRAP(a) : WRAP(a) - WRAP(b)))

// A signed division by -1 may overflow; in 128 bits it wraps correctly.
EACH_INT_2(div, b ? (Int128)a / (Int128)b : (Int128)-1)
EACH_INT_2(rem, b ? (Int128)a % (Int128)b : (Int128)a)

LANES_2(mul_wide_u16, uint16_t, uint32_t, (uint32_t)a *b)
LANES_2(mul_wide_s16, int16_t, int32_t, (int32_t)a *b)
LANES_2(mul_wide_u32, uint32_t, uint64_t, (uint64_t)a *b)
LANES_2(mul_wide_s32, int32_t, int64_t, (int64_t)a *b)
LANES_3(mad_wide_u16, uint16_t, uint32_t, uint32_t, (uint32_t)a *b + c)
LANES_3(mad_wide_s16, int16_t, uint32_t, uint32_t,
        (uint32_t)((int32_t)a *b) + c)
LANES_3(mad_wide_u32, uint32_t, uint64_t, uint64_t, (uint64_t)a *b + c)
LANES_3(mad_wide_s32, int32_t, uint64_t, uint64_t,
        (uint64_t)((int64_t)a *b) + c)

static int64_t clamp32(int64_t x) {
  return x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : x;
}

LANES_2(add_sat, int32_t, int32_t, clamp32((int64_t)a + b))
LANES_2(sub_sat, int32_t, int32_t, clamp32((int64_t)a - b))
LANES_3(mad_hi_sat, int32_t, int32_t, int32_t,
        clamp32(((int64_t)a * b >> 32) + c))

static ExecFn wide_of(TypeId type, bool with_sum) {
  switch (type) {
  case TYPE_U16: return with_sum ? exec_mad_wide_u16 : exec_mul_wide_u16;
  case TYPE_S16: return with_sum ? exec_mad_wide_s16 : exec_mul_wide_s16;
  case TYPE_U32: return with_sum ? exec_mad_wide_u32 : exec_mul_wide_u32;
  case TYPE_S32: return with_sum ? exec_mad_wide_s32 : exec_mul_wide_s32;
  default: return NULL;
  }
}

// -- Carries -----------------------------------------------------------------

// The carry flag is one more register of the warp; `imm` has its uses.
enum { CARRY_IN = 1, CARRY_OUT = 2, CARRY_SUB = 4, CARRY_HI = 8 };

static uint64_t product(const Inst *inst, uint64_t a, uint64_t b) {
  const uint32_t bits = type_table[inst->type].bytes * 8u;
  const bool is_signed = type_table[inst->type].class == CLASS_SIGNED;
  if (!(inst->imm & CARRY_HI)) return a * b;
  if (bits == 32 && is_signed)
    return (uint32_t)(((int64_t)(int32_t)a * (int32_t)b) >> 32);
  if (bits == 32) return a * b >> 32;
  return is_signed ? (uint64_t)(((Int128)(int64_t)a * (int64_t)b) >> 64)
                   : (uint64_t)(((Uint128)a * b) >> 64);
}

// The two operands of an addition or subtraction.
static void addends(const Warp *warp, const Inst *inst, int lane,
                    uint64_t x[2]) {
  const uint32_t size = type_table[inst->type].bytes;
  const int last = inst->num_ops - 1;
  x[0] = lane_get(warp, inst->op[1], size, lane);
  x[1] = lane_get(warp, inst->op[last], size, lane);
  if (last == 3)
    x[0] = product(inst, x[0], lane_get(warp, inst->op[2], size, lane));
}

static Step exec_carry(Warp *warp, const Inst *inst, uint32_t mask) {
  const uint32_t size = type_table[inst->type].bytes;
  const uint64_t most = UINT64_MAX >> (64 - 8 * size);
  for (int lane = 0; lane < LANES; lane++) {
    if (!in_mask(mask, lane)) continue;
    uint64_t x[2];
    addends(warp, inst, lane, x);
    const bool in = inst->imm & CARRY_IN && in_mask(warp->carry, lane);
    const bool sub = inst->imm & CARRY_SUB;
    // A subtraction adds the complement: its carry is the missing borrow.
    const Uint128 sum = (Uint128)(x[0] & most) + (sub ? ~x[1] & most : x[1]) +
                        (inst->imm & CARRY_IN ? (sub ? !in : in) : sub);
    lane_set(warp, inst->op[0], size, lane, (uint64_t)sum & most);
    if (!(inst->imm & CARRY_OUT)) continue;
    const bool out = (sum > most) != sub;
    warp->carry = (warp->carry & ~(UINT32_C(1) << lane)) | (uint32_t)out
                                                               << lane;
  }
  return STEP_NEXT;
}

// Sums of s32, with a carry in and none out.
static Step exec_carry_sat(Warp *warp, const Inst *inst, uint32_t mask) {
  for (int lane = 0; lane < LANES; lane++) {
    if (!in_mask(mask, lane)) continue;
    uint64_t x[2];
    addends(warp, inst, lane, x);
    const int64_t b = (int64_t)(int32_t)x[1] + in_mask(warp->carry, lane);
    const int64_t sum = (int32_t)x[0] + (inst->imm & CARRY_SUB ? -b : b);
    lane_set(warp, inst->op[0], 4, lane, (uint64_t)clamp32(sum));
  }
  return STEP_NEXT;
}

// Numbers of 16 bits take a carry, but give none; ptxas computes `madc.hi` of
// them differently from its own documentation.
static ExecFn carry(const Form *form, Inst *inst, int what) {
  const TypeInfo *type = &type_table[form->types[0]];
  const bool is_int =
      type->class == CLASS_SIGNED || type->class == CLASS_UNSIGNED;
  inst->imm = what | (WORD_OF(form, CC) ? CARRY_OUT : 0);
  if (WORD_OF(form, HALF) == WORD_HI) inst->imm |= CARRY_HI;
  if (type->bytes == 2 && inst->imm & ~(CARRY_IN | CARRY_SUB)) return NULL;
  if (WORD_OF(form, SAT))
    return form->types[0] == TYPE_S32 && what & CARRY_IN &&
                   !(inst->imm & CARRY_OUT) && WORD_OF(form, HALF) != WORD_LO
               ? exec_carry_sat
               : NULL;
  return is_int && type->bytes >= 2 ? exec_carry : NULL;
}

// -- Pairs of 16 bits --------------------------------------------------------

// The halves of a and b, as numbers of type T.
#define HALVES(T, op)                                                          \
  ((uint32_t)(uint16_t)op((T)a, (T)b) |                                        \
   (uint32_t)(uint16_t)op((T)(a >> 16), (T)(b >> 16)) << 16)

static int sum_of(int a, int b) {
  return a + b;
}

static int lesser(int a, int b) {
  return a < b ? a : b;
}

static int greater(int a, int b) {
  return a > b ? a : b;
}

static int lesser_or_zero(int a, int b) {
  return greater(lesser(a, b), 0);
}

static int greater_or_zero(int a, int b) {
  return greater(greater(a, b), 0);
}

LANES_2(add_pair, uint32_t, uint32_t, HALVES(uint16_t, sum_of))
LANES_2(min_u16x2, uint32_t, uint32_t, HALVES(uint16_t, lesser))
LANES_2(max_u16x2, uint32_t, uint32_t, HALVES(uint16_t, greater))
LANES_2(min_s16x2, uint32_t, uint32_t, HALVES(int16_t, lesser))
LANES_2(max_s16x2, uint32_t, uint32_t, HALVES(int16_t, greater))
LANES_2(min_relu_s16x2, uint32_t, uint32_t, HALVES(int16_t, lesser_or_zero))
LANES_2(max_relu_s16x2, uint32_t, uint32_t, HALVES(int16_t, greater_or_zero))
LANES_2(min_relu_s32, int32_t, int32_t, lesser_or_zero(a, b))
LANES_2(max_relu_s32, int32_t, int32_t, greater_or_zero(a, b))

static bool is_pair(TypeId type) {
  return type == TYPE_U16X2 || type == TYPE_S16X2;
}

static ExecFn pair_extreme(TypeId type, bool is_max) {
  if (type == TYPE_U16X2) return is_max ? exec_max_u16x2 : exec_min_u16x2;
  return is_max ? exec_max_s16x2 : exec_min_s16x2;
}

static ExecFn relu_extreme(TypeId type, bool is_max) {
  if (type == TYPE_S32) return is_max ? exec_max_relu_s32 : exec_min_relu_s32;
  if (type != TYPE_S16X2) return NULL;
  return is_max ? exec_max_relu_s16x2 : exec_min_relu_s16x2;
}

// -- Picks -------------------------------------------------------------------

static bool is_plain(const Form *form) {
  return !WORD_OF(form, ROUND) && !WORD_OF(form, FTZ) && !WORD_OF(form, APPROX);
}

ExecFn pick_add(const Form *form, Inst *inst) {
  const TypeId type = (TypeId)form->types[0];
  if (is_float_type(type))
    return WORD_OF(form, CC) ? NULL : pick_float(form, inst, FLOAT_ADD);
  if (!is_plain(form)) return NULL;
  if (WORD_OF(form, CC)) return carry(form, inst, 0);
  if (WORD_OF(form, SAT)) return type == TYPE_S32 ? exec_add_sat : NULL;
  if (is_pair(type)) return exec_add_pair;
  return choose_add(type);
}

ExecFn pick_sub(const Form *form, Inst *inst) {
  const TypeId type = (TypeId)form->types[0];
  if (is_float_type(type))
    return WORD_OF(form, CC) ? NULL : pick_float(form, inst, FLOAT_SUB);
  if (!is_plain(form)) return NULL;
  if (WORD_OF(form, CC)) return carry(form, inst, CARRY_SUB);
  if (WORD_OF(form, SAT)) return type == TYPE_S32 ? exec_sub_sat : NULL;
  return choose_sub(type);
}

ExecFn pick_addc(const Form *form, Inst *inst) {
  return carry(form, inst, CARRY_IN);
}

ExecFn pick_subc(const Form *form, Inst *inst) {
  return carry(form, inst, CARRY_IN | CARRY_SUB);
}

ExecFn pick_mul(const Form *form, Inst *inst) {
  const TypeId type = (TypeId)form->types[0];
  if (is_float_type(type))
    return WORD_OF(form, HALF) ? NULL : pick_float(form, inst, FLOAT_MUL);
  if (!is_plain(form) || WORD_OF(form, SAT)) return NULL;
  const WordId half = WORD_OF(form, HALF);
  return half == WORD_LO   ? choose_mul_lo(type)
         : half == WORD_HI ? choose_mul_hi(type)
                           : NULL;
}

ExecFn pick_mul_wide(const Form *form, Inst *inst) {
  (void)inst;
  if (WORD_OF(form, HALF) != WORD_WIDE) return NULL;
  return wide_of((TypeId)form->types[0], false);
}

ExecFn pick_mad(const Form *form, Inst *inst) {
  const TypeId type = (TypeId)form->types[0];
  if (is_float_type(type))
    return WORD_OF(form, HALF) || WORD_OF(form, CC) ? NULL
                                                    : pick_fma(form, inst);
  if (!is_plain(form)) return NULL;
  const WordId half = WORD_OF(form, HALF);
  if (half != WORD_LO && half != WORD_HI) return NULL;
  if (WORD_OF(form, CC)) return carry(form, inst, 0);
  if (WORD_OF(form, SAT))
    return type == TYPE_S32 && half == WORD_HI ? exec_mad_hi_sat : NULL;
  return half == WORD_LO ? choose_mad_lo(type) : choose_mad_hi(type);
}

ExecFn pick_mad_wide(const Form *form, Inst *inst) {
  (void)inst;
  if (WORD_OF(form, HALF) != WORD_WIDE) return NULL;
  return wide_of((TypeId)form->types[0], true);
}

ExecFn pick_madc(const Form *form, Inst *inst) {
  const WordId half = WORD_OF(form, HALF);
  if (half != WORD_LO && half != WORD_HI) return NULL;
  return carry(form, inst, CARRY_IN);
}

static int64_t low24(uint32_t x, bool is_signed) {
  return is_signed ? (int32_t)(x << 8) >> 8 : (int64_t)(x & 0xffffff);
}

static Step exec_24(Warp *warp, const Inst *inst, uint32_t mask) {
  const uint32_t *a = reg(warp, inst->op[1]), *b = reg(warp, inst->op[2]);
  const uint32_t *c = inst->num_ops > 3 ? reg(warp, inst->op[3]) : NULL;
  uint32_t *d = reg(warp, inst->op[0]);
  const bool is_signed = inst->type == TYPE_S32;
  for (int lane = 0; lane < LANES; lane++) {
    if (!in_mask(mask, lane)) continue;
    const int64_t p = low24(a[lane], is_signed) * low24(b[lane], is_signed);
    const uint32_t part = (uint32_t)((uint64_t)p >> (inst->sub ? 16 : 0));
    int64_t sum = (int64_t)(int32_t)part + (c ? (int32_t)c[lane] : 0);
    if (inst->sat && sum > INT32_MAX) sum = INT32_MAX;
    if (inst->sat && sum < INT32_MIN) sum = INT32_MIN;
    d[lane] = (uint32_t)(uint64_t)sum;
  }
  return STEP_NEXT;
}

ExecFn pick_mul24(const Form *form, Inst *inst) {
  const WordId half = WORD_OF(form, HALF);
  const TypeId type = (TypeId)form->types[0];
  inst->sub = half == WORD_HI;
  return (half == WORD_LO || half == WORD_HI) &&
                 (type == TYPE_U32 || type == TYPE_S32) &&
                 (!inst->sat || (inst->sub && type == TYPE_S32))
             ? exec_24
             : NULL;
}

ExecFn pick_mad24(const Form *form, Inst *inst) {
  return pick_mul24(form, inst);
}

ExecFn pick_rem(const Form *form, Inst *inst) {
  (void)inst;
  return choose_rem((TypeId)form->types[0]);
}

ExecFn pick_sad(const Form *form, Inst *inst) {
  (void)inst;
  return choose_sad((TypeId)form->types[0]);
}

ExecFn pick_int_div(TypeId type) {
  return choose_div(type);
}

ExecFn pick_int_extreme(TypeId type, bool is_max, bool has_relu) {
  if (has_relu) return relu_extreme(type, is_max);
  if (is_pair(type)) return pair_extreme(type, is_max);
  return is_max ? choose_max(type) : choose_min(type);
}

// -- Dot products of bytes ---------------------------------------------------

static Step exec_dp4a(Warp *warp, const Inst *inst, uint32_t mask) {
  const uint32_t *a = reg(warp, inst->op[1]), *b = reg(warp, inst->op[2]);
  const uint32_t *c = reg(warp, inst->op[3]);
  uint32_t *d = reg(warp, inst->op[0]);
  for (int lane = 0; lane < LANES; lane++) {
    if (!in_mask(mask, lane)) continue;
    uint32_t sum = c[lane];
    for (int i = 0; i < 32; i += 8) {
      const uint8_t x = (uint8_t)(a[lane] >> i), y = (uint8_t)(b[lane] >> i);
      const int left = inst->type == TYPE_S32 ? (int8_t)x : x;
      const int right = inst->type2 == TYPE_S32 ? (int8_t)y : y;
      sum += (uint32_t)(left * right);
    }
    d[lane] = sum;
  }
  return STEP_NEXT;
}

// Two halves of a with two bytes of b, the lower or the upper ones.
static uint32_t dp2a(const Inst *inst, uint32_t a, uint32_t b, uint32_t sum) {
  if (inst->mode == WORD_HI) b >>= 16;
  for (int i = 0; i < 2; i++) {
    const uint16_t x = (uint16_t)(a >> (16 * i));
    const uint8_t y = (uint8_t)(b >> (8 * i));
    const int left = inst->type == TYPE_S32 ? (int16_t)x : x;
    const int right = inst->type2 == TYPE_S32 ? (int8_t)y : y;
    sum += (uint32_t)(left * right);
  }
  return sum;
}

LANES_3(dp2a, uint32_t, uint32_t, uint32_t, dp2a(inst, a, b, c))

ExecFn pick_dp2a(const Form *form, Inst *inst) {
  inst->mode = form->word[ROLE_INDEX_HALF];
  return is_word(form->types[0]) && is_word(form->types[1]) &&
                 (inst->mode == WORD_LO || inst->mode == WORD_HI)
             ? exec_dp2a
             : NULL;
}

ExecFn pick_dp4a(const Form *form, Inst *inst) {
  (void)inst;
  for (int i = 0; i < 2; i++) {
    if (form->types[i] != TYPE_U32 && form->types[i] != TYPE_S32) return NULL;
  }
  return exec_dp4a;
}
