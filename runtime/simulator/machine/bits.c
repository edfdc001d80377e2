// bits.c -- logic, shifts, bit fields, permutations.
#include "runtime/simulator/machine/families.h"
#include "runtime/simulator/memory/lanes.h"

static ExecFn by_size(TypeId type, ExecFn f16, ExecFn f32, ExecFn f64) {
  if (type_table[type].class >= CLASS_FLOAT) return NULL;
  switch (type_table[type].bytes) {
  case 2: return f16;
  case 4: return f32;
  case 8: return f64;
  default: return NULL;
  }
}

#define EACH_SIZE_2(name, result)                                              \
  LANES_2(name##_16, uint16_t, uint16_t, result)                               \
  LANES_2(name##_32, uint32_t, uint32_t, result)                               \
  LANES_2(name##_64, uint64_t, uint64_t, result)                               \
  ExecFn pick_##name(const Form *form, Inst *inst) {                           \
    (void)inst;                                                                \
    return by_size((TypeId)form->types[0], exec_##name##_16, exec_##name##_32, \
                   exec_##name##_64);                                          \
  }

#define EACH_SIZE_1(name, result)                                              \
  LANES_1(name##_16, uint16_t, uint16_t, result)                               \
  LANES_1(name##_32, uint32_t, uint32_t, result)                               \
  LANES_1(name##_64, uint64_t, uint64_t, result)                               \
  ExecFn pick_##name(const Form *form, Inst *inst) {                           \
    (void)inst;                                                                \
    return by_size((TypeId)form->types[0], exec_##name##_16, exec_##name##_32, \
                   exec_##name##_64);                                          \
  }

EACH_SIZE_2(and, a &b)
EACH_SIZE_2(or, a | b)
EACH_SIZE_2(xor, a ^ b)
EACH_SIZE_1(not, ~a)
EACH_SIZE_1(cnot, a == 0)

#define PREDICATE_2(name, result)                                              \
  static Step exec_##name(Warp *warp, const Inst *inst, uint32_t mask) {       \
    const uint32_t a = nth_pred(warp, inst, 2, 0);                             \
    const uint32_t b = nth_pred(warp, inst, 3, 1);                             \
    set_pred(warp, inst->op[0], mask, result);                                 \
    return STEP_NEXT;                                                          \
  }                                                                            \
  ExecFn pick_##name(const Form *form, Inst *inst) {                           \
    (void)inst;                                                                \
    return form->types[0] == TYPE_PRED ? exec_##name : NULL;                   \
  }

PREDICATE_2(and_pred, a &b)
PREDICATE_2(or_pred, a | b)
PREDICATE_2(xor_pred, a ^ b)

static Step exec_not_pred(Warp *warp, const Inst *inst, uint32_t mask) {
  set_pred(warp, inst->op[0], mask, ~source_pred(warp, inst, 2));
  return STEP_NEXT;
}

ExecFn pick_not_pred(const Form *form, Inst *inst) {
  (void)inst;
  return form->types[0] == TYPE_PRED ? exec_not_pred : NULL;
}

static Step exec_mov_pred(Warp *warp, const Inst *inst, uint32_t mask) {
  set_pred(warp, inst->op[0], mask, source_pred(warp, inst, 2));
  return STEP_NEXT;
}

ExecFn pick_mov_pred(const Form *form, Inst *inst) {
  (void)inst;
  return form->types[0] == TYPE_PRED ? exec_mov_pred : NULL;
}

// -- Shifts: the amount is a 32-bit register ---------------------------------

#define SHIFT(name, T, result)                                                 \
  static Step exec_##name(Warp *warp, const Inst *inst, uint32_t mask) {       \
    T *d = reg(warp, inst->op[0]);                                             \
    const T *x = reg(warp, inst->op[1]);                                       \
    const uint32_t *y = reg(warp, inst->op[2]);                                \
    const uint32_t most = sizeof(T) * 8 - 1;                                   \
    for (int lane = 0; lane < LANES; lane++) {                                 \
      const T a = x[lane];                                                     \
      const bool over = y[lane] > most;                                        \
      const uint32_t b = over ? most : y[lane];                                \
      if (in_mask(mask, lane)) d[lane] = (T)(result);                          \
    }                                                                          \
    return STEP_NEXT;                                                          \
  }

SHIFT(shl_16, uint16_t, over ? 0 : (uint32_t)a << b)
SHIFT(shl_32, uint32_t, over ? 0 : a << b)
SHIFT(shl_64, uint64_t, over ? 0 : a << b)
SHIFT(shr_u16, uint16_t, over ? 0 : a >> b)
SHIFT(shr_u32, uint32_t, over ? 0 : a >> b)
SHIFT(shr_u64, uint64_t, over ? 0 : a >> b)
SHIFT(shr_s16, int16_t, over ? a >> most : a >> b)
SHIFT(shr_s32, int32_t, over ? a >> most : a >> b)
SHIFT(shr_s64, int64_t, over ? a >> most : a >> b)

ExecFn pick_shl(const Form *form, Inst *inst) {
  (void)inst;
  return by_size((TypeId)form->types[0], exec_shl_16, exec_shl_32, exec_shl_64);
}

ExecFn pick_shr(const Form *form, Inst *inst) {
  (void)inst;
  const TypeId type = (TypeId)form->types[0];
  if (type_table[type].class == CLASS_SIGNED)
    return by_size(type, exec_shr_s16, exec_shr_s32, exec_shr_s64);
  return by_size(type, exec_shr_u16, exec_shr_u32, exec_shr_u64);
}

static uint32_t funnel(const Inst *inst, uint32_t low, uint32_t high,
                       uint32_t amount) {
  const uint64_t both = (uint64_t)high << 32 | low;
  const uint32_t n = inst->mode == WORD_WRAP ? amount & 31
                     : amount > 32           ? 32
                                             : amount;
  return inst->sub ? (uint32_t)(both << n >> 32) : (uint32_t)(both >> n);
}

LANES_3(shf, uint32_t, uint32_t, uint32_t, funnel(inst, a, b, c))

ExecFn pick_shf(const Form *form, Inst *inst) {
  const WordId mode = WORD_OF(form, MODE);
  inst->sub = WORD_OF(form, DIRECTION) == WORD_L;
  return form->types[0] == TYPE_B32 && WORD_OF(form, DIRECTION) &&
                 (mode == WORD_WRAP || mode == WORD_CLAMP)
             ? exec_shf
             : NULL;
}

// -- Counting ----------------------------------------------------------------

LANES_1(popc_32, uint32_t, uint32_t, __builtin_popcount(a))
LANES_1(popc_64, uint64_t, uint32_t, __builtin_popcountll(a))
LANES_1(clz_32, uint32_t, uint32_t, a ? __builtin_clz(a) : 32)
LANES_1(clz_64, uint64_t, uint32_t, a ? __builtin_clzll(a) : 64)

ExecFn pick_popc(const Form *form, Inst *inst) {
  (void)inst;
  return by_size((TypeId)form->types[0], NULL, exec_popc_32, exec_popc_64);
}

ExecFn pick_clz(const Form *form, Inst *inst) {
  (void)inst;
  return by_size((TypeId)form->types[0], NULL, exec_clz_32, exec_clz_64);
}

// The highest bit that is not the sign; all ones where there is none.
static uint32_t find_bit(const Inst *inst, uint64_t value, int bits) {
  const bool is_signed = type_table[inst->type].class == CLASS_SIGNED;
  if (bits == 32 && is_signed) value = (uint64_t)(int64_t)(int32_t)value;
  if (is_signed && (int64_t)value < 0) value = ~value;
  if (!value) return UINT32_MAX;
  const int place = 63 - __builtin_clzll(value);
  return (uint32_t)(inst->mode == WORD_SHIFTAMT ? bits - 1 - place : place);
}

LANES_1(bfind_32, uint32_t, uint32_t, find_bit(inst, a, 32))
LANES_1(bfind_64, uint64_t, uint32_t, find_bit(inst, a, 64))

ExecFn pick_bfind(const Form *form, Inst *inst) {
  (void)inst;
  return by_size((TypeId)form->types[0], NULL, exec_bfind_32, exec_bfind_64);
}

static uint64_t reverse(uint64_t value, int bits) {
  uint64_t result = 0;
  for (int i = 0; i < bits; i++) result |= (value >> i & 1) << (bits - 1 - i);
  return result;
}

LANES_1(brev_32, uint32_t, uint32_t, reverse(a, 32))
LANES_1(brev_64, uint64_t, uint64_t, reverse(a, 64))

ExecFn pick_brev(const Form *form, Inst *inst) {
  (void)inst;
  return by_size((TypeId)form->types[0], NULL, exec_brev_32, exec_brev_64);
}

// -- Bit fields --------------------------------------------------------------

static uint64_t extract(uint64_t a, uint32_t position, uint32_t length,
                        int bits, bool is_signed) {
  const uint32_t pos = position & 0xff, len = length & 0xff;
  const uint32_t last = (uint32_t)bits - 1;
  uint32_t sign_at = pos + len - 1;
  if (sign_at > last) sign_at = last;
  const bool sign = is_signed && len && a >> sign_at & 1;
  uint64_t result = sign ? UINT64_MAX : 0;
  for (uint32_t i = 0; i < (uint32_t)bits; i++) {
    if (i >= len || pos + i > last) break;
    const uint64_t bit = UINT64_C(1) << i;
    result = a >> (pos + i) & 1 ? result | bit : result & ~bit;
  }
  return result;
}

static Step exec_bfe(Warp *warp, const Inst *inst, uint32_t mask) {
  const uint32_t size = type_table[inst->type].bytes;
  const bool is_signed = type_table[inst->type].class == CLASS_SIGNED;
  const uint32_t *pos = reg(warp, inst->op[2]), *len = reg(warp, inst->op[3]);
  for (int lane = 0; lane < LANES; lane++) {
    if (!in_mask(mask, lane)) continue;
    const uint64_t a = lane_get(warp, inst->op[1], size, lane);
    lane_set(warp, inst->op[0], size, lane,
             extract(a, pos[lane], len[lane], (int)size * 8, is_signed));
  }
  return STEP_NEXT;
}

ExecFn pick_bfe(const Form *form, Inst *inst) {
  (void)inst;
  const TypeId type = (TypeId)form->types[0];
  return is_int_type(type) ? by_size(type, NULL, exec_bfe, exec_bfe) : NULL;
}

static Step exec_bfi(Warp *warp, const Inst *inst, uint32_t mask) {
  const uint32_t size = type_table[inst->type].bytes, bits = size * 8;
  const uint32_t *at = reg(warp, inst->op[3]), *length = reg(warp, inst->op[4]);
  for (int lane = 0; lane < LANES; lane++) {
    if (!in_mask(mask, lane)) continue;
    const uint32_t pos = at[lane] & 0xff, len = length[lane] & 0xff;
    const uint64_t a = lane_get(warp, inst->op[1], size, lane);
    uint64_t b = lane_get(warp, inst->op[2], size, lane);
    for (uint32_t i = 0; i < len && pos + i < bits; i++) {
      const uint64_t bit = UINT64_C(1) << (pos + i);
      b = a >> i & 1 ? b | bit : b & ~bit;
    }
    lane_set(warp, inst->op[0], size, lane, b);
  }
  return STEP_NEXT;
}

ExecFn pick_bfi(const Form *form, Inst *inst) {
  (void)inst;
  const TypeId type = (TypeId)form->types[0];
  return type == TYPE_B32 || type == TYPE_B64 ? exec_bfi : NULL;
}

// -- Any function of three bits, any choice of bytes -------------------------

LANES_3(lop3, uint32_t, uint32_t, uint32_t, lop3(a, b, c, inst->imm))

ExecFn pick_lop3(const Form *form, Inst *inst) {
  return form->types[0] == TYPE_B32 && inst->imm >= 0 && inst->imm < 256
             ? exec_lop3
             : NULL;
}

// The selector that a mode of prmt stands for.
static uint32_t permutation(const Inst *inst, uint32_t c) {
  const uint32_t n = c & 3;
  static const uint16_t f4e[] = {0x3210, 0x4321, 0x5432, 0x6543};
  static const uint16_t b4e[] = {0x5670, 0x6701, 0x7012, 0x0123};
  static const uint16_t rc8[] = {0x0000, 0x1111, 0x2222, 0x3333};
  static const uint16_t ecl[] = {0x3210, 0x3211, 0x3222, 0x3333};
  static const uint16_t ecr[] = {0x0000, 0x1110, 0x2210, 0x3210};
  static const uint16_t rc16[] = {0x1010, 0x3232, 0x1010, 0x3232};
  switch (inst->mode) {
  case WORD_F4E: return f4e[n];
  case WORD_B4E: return b4e[n];
  case WORD_RC8: return rc8[n];
  case WORD_ECL: return ecl[n];
  case WORD_ECR: return ecr[n];
  case WORD_RC16: return rc16[n];
  default: return c;
  }
}

static uint32_t permute(const Inst *inst, uint32_t a, uint32_t b, uint32_t c) {
  const uint64_t both = (uint64_t)b << 32 | a;
  const uint32_t selector = permutation(inst, c);
  uint32_t result = 0;
  for (int i = 0; i < 4; i++) {
    const uint32_t pick = selector >> (4 * i) & 15;
    uint32_t byte = (uint32_t)(both >> (pick & 7) * 8) & 0xff;
    if (pick & 8) byte = byte & 0x80 ? 0xff : 0;
    result |= byte << (8 * i);
  }
  return result;
}

LANES_3(prmt, uint32_t, uint32_t, uint32_t, permute(inst, a, b, c))

ExecFn pick_prmt(const Form *form, Inst *inst) {
  const WordId mode = WORD_OF(form, MODE);
  (void)inst;
  if (mode && (mode < WORD_F4E || mode > WORD_RC16)) return NULL;
  return form->types[0] == TYPE_B32 ? exec_prmt : NULL;
}
