// floating.c -- floating-point arithmetic, correctly rounded.
//
// f32 in the default rounding mode uses the host's float; other modes and the
// narrow types go through double (number.h).  A NaN result has the hardware's
// bits.
#include <fenv.h>
#include <float.h>
#include <math.h>

#include "runtime/simulator/machine/families.h"
#include "runtime/simulator/memory/lanes.h"
#include "runtime/simulator/number/number.h"

static float saturate(float x) {
  return x > 0 ? (x < 1 ? x : 1) : 0; // NaN to 0
}

static float finish(const Inst *inst, float x) {
  if (isnan(x)) x = float_from_bits(CANONICAL_NAN);
  if (inst->ftz) x = flush_float(x);
  return inst->sat ? saturate(x) : x;
}

// A sum of opposite signs that is exactly zero is -0 in rm.
static double add_exact(double a, double b, WordId round) {
  const double sum = odd_add(a, b);
  const bool cancels = sum == 0 && signbit(a) != signbit(b);
  return cancels && round == WORD_RM ? -0.0 : sum;
}

static float directed(double exact, WordId round) {
  return float_from_bits(
      format_encode(format_of(TYPE_F32), exact, round, false));
}

// Whether rounding the sum to double and then to float gives the correct float:
// it does unless the double is the midpoint of two floats.  Subnormal floats
// have other midpoints, and are excluded.
static bool rounds_alike(double sum) {
  const double size = fabs(sum);
  const bool is_midpoint = (bits_from_double(sum) & 0x1fffffff) == 0x10000000;
  return !is_midpoint && (size >= (double)FLT_MIN || size == 0);
}

static float fma_single(float a, float b, float c, WordId round) {
  const double sum = (double)a * (double)b + (double)c;
  if (round <= WORD_RN && rounds_alike(sum)) return (float)sum;
  const double exact = add_exact((double)a * (double)b, (double)c, round);
  if (round == WORD_RN || round == WORD_NONE) return (float)exact;
  return directed(exact, round);
}

static float add_directed(float a, float b, WordId round) {
  return directed(add_exact((double)a, (double)b, round), round);
}

LANES_2(add_f32, float, float, finish(inst, enter(inst, a) + enter(inst, b)))
LANES_2(sub_f32, float, float, finish(inst, enter(inst, a) - enter(inst, b)))
LANES_2(mul_f32, float, float, finish(inst, enter(inst, a) * enter(inst, b)))
LANES_2(add_f32_r, float, float,
        finish(inst, add_directed(enter(inst, a), enter(inst, b),
                                  (WordId)inst->round)))
LANES_2(sub_f32_r, float, float,
        finish(inst, add_directed(enter(inst, a), -enter(inst, b),
                                  (WordId)inst->round)))
LANES_2(mul_f32_r, float, float,
        finish(inst, directed((double)enter(inst, a) * (double)enter(inst, b),
                              (WordId)inst->round)))
LANES_3(fma_f32, float, float, float,
        finish(inst, fma_single(enter(inst, a), enter(inst, b), enter(inst, c),
                                (WordId)inst->round)))

// -- f64: in the host's rounding mode ----------------------------------------

static double f64_number(FloatOp op, double x, double y, double z) {
  volatile double a = x, b = y;
  switch (op) {
  case FLOAT_ADD: return a + b;
  case FLOAT_SUB: return a - b;
  case FLOAT_MUL: return a * b;
  default: return fma(a, b, z);
  }
}

// If several operands are NaNs, the result is the one with the greatest bits,
// in any order of the operands: two lanes that exchange their sums and add them
// get the same result.
static double choose_nan(double made, double x, double y, double z) {
  const double operands[] = {x, y, z};
  uint64_t most = 0;
  for (int i = 0; i < 3; i++) {
    const uint64_t quiet = bits_from_double(operands[i]) | QUIET_DOUBLE;
    if (isnan(operands[i]) && quiet > most) most = quiet;
  }
  return most ? double_from_bits(most) : made;
}

static double f64_result(FloatOp op, double x, double y, double z) {
  const double result = f64_number(op, x, y, z);
  return isnan(result) ? choose_nan(result, x, y, z) : result;
}

static Step exec_f64(Warp *warp, const Inst *inst, uint32_t mask) {
  double *d = reg(warp, inst->op[0]);
  const double *a = reg(warp, inst->op[1]), *b = reg(warp, inst->op[2]);
  const double *c = inst->num_ops > 3 ? reg(warp, inst->op[3]) : b;
  const int mode = host_round((WordId)inst->round);
  if (mode != FE_TONEAREST) fesetround(mode);
  for (int lane = 0; lane < LANES; lane++) {
    if (in_mask(mask, lane))
      d[lane] = f64_result((FloatOp)inst->sub, a[lane], b[lane], c[lane]);
  }
  if (mode != FE_TONEAREST) fesetround(FE_TONEAREST);
  return STEP_NEXT;
}

// -- f16, bf16 and their pairs -----------------------------------------------

static double extreme(double a, double b, bool is_max, bool keep_nan) {
  if (isnan(a) || isnan(b)) {
    if (keep_nan || (isnan(a) && isnan(b))) return (double)NAN;
    return isnan(a) ? b : a;
  }
  if (a == b) return signbit(a) == is_max ? b : a; // -0 is less than +0
  return (a < b) == is_max ? b : a;
}

// With .xorsign.abs, the result is that of the magnitudes, with the sign of the
// product.
static double choose_extreme(const Inst *inst, double a, double b,
                             bool is_max) {
  if (!inst->xorsign) return extreme(a, b, is_max, inst->trans);
  const double x = extreme(fabs(a), fabs(b), is_max, inst->trans);
  return !isnan(x) && !signbit(a) != !signbit(b) ? -x : x;
}

static double narrow_result(const Inst *inst, double a, double b, double c) {
  switch ((FloatOp)inst->sub) {
  case FLOAT_ADD: return odd_add(a, b);
  case FLOAT_SUB: return odd_add(a, -b);
  case FLOAT_MUL: return a * b;
  case FLOAT_FMA: return odd_add(a * b, c);
  case FLOAT_MIN: return choose_extreme(inst, a, b, false);
  case FLOAT_MAX: return choose_extreme(inst, a, b, true);
  case FLOAT_NEG: return -a;
  default: return fabs(a);
  }
}

static double flush_narrow(const Inst *inst, double x) {
  const bool tiny = inst->ftz && fabs(x) < 0x1p-14;
  return tiny ? copysign(0.0, x) : x;
}

// f16 or bf16.
static double enter_narrow(const Inst *inst, const Format *format,
                           uint16_t bits) {
  const bool is_half = format->mantissa_bits == 10;
  const float x = is_half ? half_to_float(bits) : bfloat_to_float(bits);
  return flush_narrow(inst, (double)x);
}

static uint16_t narrow_one(const Inst *inst, const Format *format, uint16_t a,
                           uint16_t b, uint16_t c) {
  double x = narrow_result(inst, enter_narrow(inst, format, a),
                           enter_narrow(inst, format, b),
                           enter_narrow(inst, format, c));
  if (inst->sat) x = x > 0 ? (x < 1 ? x : 1) : 0;
  if (inst->cmp && !(x > 0) && !isnan(x)) x = 0; // relu
  const uint32_t bits = format_encode(format, x, WORD_RN, false);
  if (!inst->ftz) return (uint16_t)bits;
  return (uint16_t)(bits & 0x7c00 ? bits : bits & 0x8000);
}

static Step exec_narrow(Warp *warp, const Inst *inst, uint32_t mask) {
  const Format *format = format_of((TypeId)inst->type);
  const int parts = type_table[inst->type].bytes / 2, n = inst->num_ops;
  uint16_t *d = reg(warp, inst->op[0]);
  const uint16_t *a = reg(warp, inst->op[1]);
  const uint16_t *b = n > 2 ? reg(warp, inst->op[2]) : a;
  const uint16_t *c = n > 3 ? reg(warp, inst->op[3]) : a;
  for (int i = 0; i < LANES * parts; i++) {
    if (in_mask(mask, i / parts))
      d[i] = narrow_one(inst, format, a[i], b[i], c[i]);
  }
  return STEP_NEXT;
}

static ExecFn pick_narrow(const Form *form, Inst *inst, FloatOp op) {
  const WordId round = WORD_OF(form, ROUND);
  const bool is_half =
      form->types[0] == TYPE_F16 || form->types[0] == TYPE_F16X2;
  inst->sub = (uint8_t)op;
  inst->cmp = WORD_OF(form, RELU) != WORD_NONE;
  inst->trans = WORD_OF(form, NAN) != WORD_NONE;
  if ((inst->ftz || inst->sat) && !is_half) return NULL;
  return round == WORD_NONE || round == WORD_RN ? exec_narrow : NULL;
}

// -- Picks -------------------------------------------------------------------

static ExecFn pick_single(const Form *form, Inst *inst, FloatOp op) {
  const WordId round = WORD_OF(form, ROUND);
  const bool nearest = round == WORD_RN || round == WORD_NONE;
  (void)inst;
  switch (op) {
  case FLOAT_ADD: return nearest ? exec_add_f32 : exec_add_f32_r;
  case FLOAT_SUB: return nearest ? exec_sub_f32 : exec_sub_f32_r;
  case FLOAT_MUL: return nearest ? exec_mul_f32 : exec_mul_f32_r;
  case FLOAT_FMA: return exec_fma_f32;
  default: return NULL;
  }
}

ExecFn pick_float(const Form *form, Inst *inst, FloatOp op) {
  const WordId round = WORD_OF(form, ROUND);
  if (round > WORD_RP) return NULL;
  switch (form->types[0]) {
  case TYPE_F32: return pick_single(form, inst, op);
  case TYPE_F64:
    inst->sub = (uint8_t)op;
    return inst->ftz || inst->sat ? NULL : exec_f64;
  case TYPE_F16:
  case TYPE_F16X2:
  case TYPE_BF16:
  case TYPE_BF16X2: return pick_narrow(form, inst, op);
  default: return NULL;
  }
}

ExecFn pick_fma(const Form *form, Inst *inst) {
  const bool wants_round =
      form->types[0] == TYPE_F32 || form->types[0] == TYPE_F64;
  if (wants_round && (!WORD_OF(form, ROUND) || WORD_OF(form, RELU)))
    return NULL;
  return pick_float(form, inst, FLOAT_FMA);
}

// -- Signs and extremes ------------------------------------------------------

LANES_1(neg_f32, float, float, -enter(inst, a))
LANES_1(neg_f64, double, double, -a)
LANES_1(abs_f32, float, float, fabsf(enter(inst, a)))
LANES_1(abs_f64, double, double, fabs(a))
LANES_1(neg_s16, int16_t, int16_t, -a)
LANES_1(neg_s32, uint32_t, uint32_t, 0 - a)
LANES_1(neg_s64, uint64_t, uint64_t, 0 - a)
LANES_1(abs_s16, int16_t, int16_t, a < 0 ? -a : a)
LANES_1(abs_s32, int32_t, uint32_t, a < 0 ? 0 - (uint32_t)a : (uint32_t)a)
LANES_1(abs_s64, int64_t, uint64_t, a < 0 ? 0 - (uint64_t)a : (uint64_t)a)
// On bits: a NaN keeps its payload.
LANES_1(neg_16, uint16_t, uint16_t, a ^ 0x8000)
LANES_1(neg_16x2, uint32_t, uint32_t, a ^ 0x80008000)
LANES_1(abs_16, uint16_t, uint16_t, a & 0x7fff)
LANES_1(abs_16x2, uint32_t, uint32_t, a & 0x7fff7fff)

ExecFn pick_neg(const Form *form, Inst *inst) {
  switch (form->types[0]) {
  case TYPE_S16: return exec_neg_s16;
  case TYPE_S32: return exec_neg_s32;
  case TYPE_S64: return exec_neg_s64;
  case TYPE_F32: return exec_neg_f32;
  case TYPE_F64: return exec_neg_f64;
  case TYPE_F16:
  case TYPE_BF16:
    return inst->ftz ? pick_narrow(form, inst, FLOAT_NEG) : exec_neg_16;
  case TYPE_F16X2:
  case TYPE_BF16X2:
    return inst->ftz ? pick_narrow(form, inst, FLOAT_NEG) : exec_neg_16x2;
  default: return NULL;
  }
}

ExecFn pick_abs(const Form *form, Inst *inst) {
  switch (form->types[0]) {
  case TYPE_S16: return exec_abs_s16;
  case TYPE_S32: return exec_abs_s32;
  case TYPE_S64: return exec_abs_s64;
  case TYPE_F32: return exec_abs_f32;
  case TYPE_F64: return exec_abs_f64;
  case TYPE_F16:
  case TYPE_BF16:
    return inst->ftz ? pick_narrow(form, inst, FLOAT_ABS) : exec_abs_16;
  case TYPE_F16X2:
  case TYPE_BF16X2:
    return inst->ftz ? pick_narrow(form, inst, FLOAT_ABS) : exec_abs_16x2;
  default: return NULL;
  }
}

static float extreme_single(const Inst *inst, float x, float y, bool is_max) {
  const double a = (double)enter(inst, x), b = (double)enter(inst, y);
  return finish(inst, (float)choose_extreme(inst, a, b, is_max));
}

LANES_2(min_f32, float, float, extreme_single(inst, a, b, false))
LANES_2(max_f32, float, float, extreme_single(inst, a, b, true))
LANES_2(min_f64, double, double, extreme(a, b, false, false))
LANES_2(max_f64, double, double, extreme(a, b, true, false))

static ExecFn pick_extreme(const Form *form, Inst *inst, bool is_max) {
  const TypeId type = (TypeId)form->types[0];
  inst->xorsign = WORD_OF(form, XORSIGN) != WORD_NONE;
  if (inst->xorsign != (WORD_OF(form, ABS) != WORD_NONE)) return NULL;
  if (inst->xorsign && (!is_float_type(type) || type == TYPE_F64)) return NULL;
  if (!is_float_type(type))
    return inst->ftz ? NULL
                     : pick_int_extreme(type, is_max, WORD_OF(form, RELU));
  if (WORD_OF(form, RELU)) return NULL;
  inst->trans = WORD_OF(form, NAN) != WORD_NONE;
  if (type == TYPE_F32) return is_max ? exec_max_f32 : exec_min_f32;
  if (type == TYPE_F64)
    return inst->trans || inst->ftz ? NULL
           : is_max                 ? exec_max_f64
                                    : exec_min_f64;
  return pick_narrow(form, inst, is_max ? FLOAT_MAX : FLOAT_MIN);
}

ExecFn pick_min(const Form *form, Inst *inst) {
  return pick_extreme(form, inst, false);
}

ExecFn pick_max(const Form *form, Inst *inst) {
  return pick_extreme(form, inst, true);
}

LANES_2(copysign_f32, float, float, copysignf(b, a))
LANES_2(copysign_f64, double, double, copysign(b, a))

ExecFn pick_copysign(const Form *form, Inst *inst) {
  (void)inst;
  return form->types[0] == TYPE_F32   ? exec_copysign_f32
         : form->types[0] == TYPE_F64 ? exec_copysign_f64
                                      : NULL;
}
