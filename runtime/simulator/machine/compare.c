// compare.c -- comparisons.
//
// A comparison is the set of outcomes that it accepts.
#include <math.h>
#include <string.h>

#include "runtime/simulator/machine/families.h"
#include "runtime/simulator/memory/lanes.h"
#include "runtime/simulator/number/number.h"

enum { LESS = 1, EQUAL = 2, GREATER = 4, UNORDERED = 8 };

static int accepted(WordId word) {
  switch (word) {
  case WORD_EQ: return EQUAL;
  case WORD_NE: return LESS | GREATER;
  case WORD_LT:
  case WORD_LO: return LESS;
  case WORD_LE:
  case WORD_LS: return LESS | EQUAL;
  case WORD_GT:
  case WORD_HI: return GREATER;
  case WORD_GE:
  case WORD_HS: return GREATER | EQUAL;
  case WORD_EQU: return EQUAL | UNORDERED;
  case WORD_NEU: return LESS | GREATER | UNORDERED;
  case WORD_LTU: return LESS | UNORDERED;
  case WORD_LEU: return LESS | EQUAL | UNORDERED;
  case WORD_GTU: return GREATER | UNORDERED;
  case WORD_GEU: return GREATER | EQUAL | UNORDERED;
  case WORD_NUM: return LESS | EQUAL | GREATER;
  case WORD_NAN_TEST: return UNORDERED;
  default: return 0;
  }
}

#define WIDEN(T)                                                               \
  {                                                                            \
    const T *x = reg(warp, offset);                                            \
    for (int lane = 0; lane < LANES; lane++) out[lane] = (int64_t)x[lane];     \
    return;                                                                    \
  }

void widen_ints(const Warp *warp, uint32_t offset, TypeId type,
                int64_t out[LANES]) {
  switch (type) {
  case TYPE_S8: WIDEN(int8_t)
  case TYPE_U8:
  case TYPE_B8: WIDEN(uint8_t)
  case TYPE_S16: WIDEN(int16_t)
  case TYPE_U16:
  case TYPE_B16: WIDEN(uint16_t)
  case TYPE_S32: WIDEN(int32_t)
  case TYPE_U32:
  case TYPE_B32: WIDEN(uint32_t)
  default: WIDEN(int64_t)
  }
}

void widen_floats(const Warp *warp, uint32_t offset, TypeId type, int part,
                  double out[LANES]) {
  const float *single = reg(warp, offset);
  const double *wide = reg(warp, offset);
  const uint16_t *narrow = reg(warp, offset);
  const Format *format = format_of(type);
  const int parts = type_table[type].bytes / 2;
  for (int lane = 0; lane < LANES; lane++) {
    if (type == TYPE_F32)
      out[lane] = (double)single[lane];
    else if (type == TYPE_F64)
      out[lane] = wide[lane];
    else
      out[lane] = format_decode(format, narrow[lane * parts + part]);
  }
}

static uint32_t compare_ints(const Warp *warp, const Inst *inst, int first,
                             TypeId type) {
  int64_t a[LANES], b[LANES];
  widen_ints(warp, inst->op[first], type, a);
  widen_ints(warp, inst->op[first + 1], type, b);
  const uint64_t flip =
      type == TYPE_U64 || type == TYPE_B64 ? (uint64_t)INT64_MIN : 0;
  const int accept = accepted((WordId)inst->cmp);
  uint32_t result = 0;
  for (int lane = 0; lane < LANES; lane++) {
    const int64_t x = (int64_t)((uint64_t)a[lane] ^ flip);
    const int64_t y = (int64_t)((uint64_t)b[lane] ^ flip);
    const int outcome = x < y ? LESS : x > y ? GREATER : EQUAL;
    result |= (uint32_t) !!(accept & outcome) << lane;
  }
  return result;
}

static uint32_t compare_floats(const Warp *warp, const Inst *inst, int first,
                               TypeId type, int part) {
  double a[LANES], b[LANES];
  widen_floats(warp, inst->op[first], type, part, a);
  widen_floats(warp, inst->op[first + 1], type, part, b);
  const int accept = accepted((WordId)inst->cmp);
  const double tiny = type == TYPE_F32 ? 0x1p-126 : 0x1p-14;
  uint32_t result = 0;
  for (int lane = 0; lane < LANES; lane++) {
    const double x = inst->ftz && fabs(a[lane]) < tiny ? 0 : a[lane];
    const double y = inst->ftz && fabs(b[lane]) < tiny ? 0 : b[lane];
    const int outcome = x < y    ? LESS
                        : x > y  ? GREATER
                        : x == y ? EQUAL
                                 : UNORDERED;
    result |= (uint32_t) !!(accept & outcome) << lane;
  }
  return result;
}

static uint32_t compare(const Warp *warp, const Inst *inst, int first,
                        TypeId type, int part) {
  return is_float_type(type) ? compare_floats(warp, inst, first, type, part)
                             : compare_ints(warp, inst, first, type);
}

static uint32_t combine(const Inst *inst, uint32_t a, uint32_t b) {
  switch (inst->bool_op) {
  case WORD_AND: return a & b;
  case WORD_OR: return a | b;
  case WORD_XOR: return a ^ b;
  default: return a;
  }
}

static Step exec_setp(Warp *warp, const Inst *inst, uint32_t mask) {
  const TypeId type = (TypeId)inst->type;
  const uint32_t with = inst->given > 3 ? source_pred(warp, inst, 4) : 0;
  const uint32_t p = compare(warp, inst, 2, type, 0);
  const bool is_pair = type == TYPE_F16X2 || type == TYPE_BF16X2;
  const uint32_t q = is_pair ? compare(warp, inst, 2, type, 1) : ~p;
  set_pred(warp, inst->op[0], mask, combine(inst, p, with));
  set_pred(warp, inst->op[1], mask, combine(inst, q, with));
  return STEP_NEXT;
}

static bool can_compare(const Form *form, TypeId type) {
  const WordId op = WORD_OF(form, OP), cmp = WORD_OF(form, CMP);
  const bool is_float = is_float_type(type);
  const bool is_plain = type_table[type].class < CLASS_FLOAT &&
                        type_table[type].bytes >= 2 &&
                        type_table[type].bytes <= 8;
  if (!cmp || (!is_float && accepted(cmp) & UNORDERED)) return false;
  const bool is_same = cmp == WORD_EQ || cmp == WORD_NE;
  const bool wants_unsigned =
      cmp == WORD_LO || cmp == WORD_LS || cmp == WORD_HI || cmp == WORD_HS;
  if (type_table[type].class == CLASS_BITS && !is_same) return false;
  if (wants_unsigned && type_table[type].class != CLASS_UNSIGNED) return false;
  if ((cmp == WORD_NUM || cmp == WORD_NAN_TEST) && !is_float) return false;
  if (op && op != WORD_AND && op != WORD_OR && op != WORD_XOR) return false;
  return is_plain || (is_float && type_table[type].bytes >= 2);
}

ExecFn pick_setp(const Form *form, Inst *inst) {
  const TypeId type = (TypeId)form->types[0];
  if (!can_compare(form, type)) return NULL;
  if (inst->has_pair && (type == TYPE_F16 || type == TYPE_BF16)) return NULL;
  return (WORD_OF(form, OP) != WORD_NONE) == (inst->given > 3) ? exec_setp
                                                               : NULL;
}

// True as a value of the type: one, or all bits.
static uint64_t truth(TypeId type) {
  switch (type) {
  case TYPE_F32: return 0x3f800000;
  case TYPE_F16:
  case TYPE_F16X2: return 0x3c00;
  case TYPE_BF16:
  case TYPE_BF16X2: return 0x3f80;
  default: return UINT32_MAX;
  }
}

static Step exec_set(Warp *warp, const Inst *inst, uint32_t mask) {
  const uint32_t with = inst->given > 3 ? source_pred(warp, inst, 3) : 0;
  const uint32_t hit =
      combine(inst, compare(warp, inst, 1, (TypeId)inst->type2, 0), with);
  const uint64_t yes = truth((TypeId)inst->type);
  for (int lane = 0; lane < LANES; lane++)
    if (in_mask(mask, lane))
      lane_set(warp, inst->op[0], type_table[inst->type].bytes, lane,
               in_mask(hit, lane) ? yes : 0);
  return STEP_NEXT;
}

// Comparisons of packed halves: each half of the result on its own.
static Step exec_set_pair(Warp *warp, const Inst *inst, uint32_t mask) {
  const TypeId type = (TypeId)inst->type2;
  const uint32_t with = inst->given > 3 ? source_pred(warp, inst, 3) : 0;
  const uint32_t low = combine(inst, compare(warp, inst, 1, type, 0), with);
  const uint32_t high = combine(inst, compare(warp, inst, 1, type, 1), with);
  uint32_t *d = reg(warp, inst->op[0]);
  const uint32_t yes = (uint32_t)truth((TypeId)inst->type) & 0xffff;
  for (int lane = 0; lane < LANES; lane++) {
    if (in_mask(mask, lane))
      d[lane] = (in_mask(low, lane) ? yes : 0) |
                (in_mask(high, lane) ? yes << 16 : 0);
  }
  return STEP_NEXT;
}

// A comparison of halves may give a 16-bit integer, as no other comparison
// does, but no f32.
static bool can_set(TypeId to, TypeId of) {
  const bool is_half = of == TYPE_F16 || of == TYPE_BF16;
  const bool is_pair = of == TYPE_F16X2 || of == TYPE_BF16X2;
  if (to == TYPE_U32 || to == TYPE_S32) return true;
  if (is_pair) return to == of;
  if (to == TYPE_U16 || to == TYPE_S16) return is_half;
  if (to == TYPE_F16) return of != TYPE_BF16;
  return to == TYPE_BF16 || (to == TYPE_F32 && !is_half);
}

ExecFn pick_set(const Form *form, Inst *inst) {
  const TypeId to = (TypeId)form->types[0], of = (TypeId)form->types[1];
  const bool flushes = of == TYPE_F32 || of == TYPE_F16 || of == TYPE_F16X2;
  const bool is_joined = form->num_operands > 3;
  if (!can_compare(form, of) || !can_set(to, of) || (inst->ftz && !flushes) ||
      (inst->ftz && to == TYPE_BF16) ||
      is_joined != (WORD_OF(form, OP) != WORD_NONE))
    return NULL;
  if (of == TYPE_F16X2 || of == TYPE_BF16X2) return exec_set_pair;
  return exec_set;
}

// -- Tests of a float --------------------------------------------------------

static bool passes(WordId test, double x, double least) {
  switch (test) {
  case WORD_FINITE: return isfinite(x);
  case WORD_INFINITE: return isinf(x);
  case WORD_NUMBER: return !isnan(x);
  case WORD_NOTANUMBER: return isnan(x);
  case WORD_NORMAL: return isfinite(x) && fabs(x) >= least;
  default: return x != 0 && fabs(x) < least;
  }
}

static Step exec_testp(Warp *warp, const Inst *inst, uint32_t mask) {
  double x[LANES];
  widen_floats(warp, inst->op[2], (TypeId)inst->type, 0, x);
  uint32_t result = 0;
  for (int lane = 0; lane < LANES; lane++) {
    const double least = inst->type == TYPE_F32 ? 0x1p-126 : 0x1p-1022;
    if (passes((WordId)inst->mode, x[lane], least))
      result |= UINT32_C(1) << lane;
  }
  set_pred(warp, inst->op[0], mask, result);
  return STEP_NEXT;
}

ExecFn pick_testp(const Form *form, Inst *inst) {
  const TypeId type = (TypeId)form->types[0];
  return (type == TYPE_F32 || type == TYPE_F64) && inst->mode >= WORD_FINITE &&
                 inst->mode <= WORD_SUBNORMAL
             ? exec_testp
             : NULL;
}
