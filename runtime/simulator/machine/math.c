// math.c -- division, roots and the approximate functions.
//
// The approximations are the host's results rounded to float: closer to the
// exact value than the manual promises, and the same on every run.
#include <fenv.h>
#include <math.h>

#include "runtime/simulator/machine/families.h"
#include "runtime/simulator/memory/lanes.h"
#include "runtime/simulator/number/number.h"

static float finish(const Inst *inst, float x) {
  if (isnan(x)) x = float_from_bits(CANONICAL_NAN);
  if (inst->ftz) x = flush_float(x);
  return inst->sat ? (x > 0 ? (x < 1 ? x : 1) : 0) : x;
}

typedef enum { MATH_DIV, MATH_RCP, MATH_SQRT } MathOp;

// Computes a function that is correctly rounded, in the rounding mode of the
// instruction.
static Step exec_exact_f32(Warp *warp, const Inst *inst, uint32_t mask) {
  float *d = reg(warp, inst->op[0]);
  const float *a = reg(warp, inst->op[1]);
  const float *b = inst->num_ops > 2 ? reg(warp, inst->op[2]) : a;
  fesetround(host_round((WordId)inst->round));
  for (int lane = 0; lane < LANES; lane++) {
    if (!in_mask(mask, lane)) continue;
    volatile float x = enter(inst, a[lane]), y = enter(inst, b[lane]), r;
    if (inst->sub == MATH_SQRT)
      r = sqrtf(x);
    else
      r = inst->sub == MATH_DIV ? x / y : 1.0f / x;
    d[lane] = finish(inst, r);
  }
  fesetround(FE_TONEAREST);
  return STEP_NEXT;
}

static Step exec_exact_f64(Warp *warp, const Inst *inst, uint32_t mask) {
  double *d = reg(warp, inst->op[0]);
  const double *a = reg(warp, inst->op[1]);
  const double *b = inst->num_ops > 2 ? reg(warp, inst->op[2]) : a;
  fesetround(host_round((WordId)inst->round));
  for (int lane = 0; lane < LANES; lane++) {
    if (!in_mask(mask, lane)) continue;
    volatile double x = a[lane], y = b[lane], r;
    if (inst->sub == MATH_SQRT)
      r = sqrt(x);
    else
      r = inst->sub == MATH_DIV ? x / y : 1.0 / x;
    d[lane] = r;
  }
  fesetround(FE_TONEAREST);
  return STEP_NEXT;
}

// rcp.approx.ftz.f64 reads the upper 32 bits and clears the lower ones.
static double coarse(double x) {
  return double_from_bits(bits_from_double(x) & 0xffffffff00000000u);
}

// div.approx gives zero where the divisor is between 2^126 and 2^128.
static float div_approx(const Inst *inst, float a, float b) {
  const float y = enter(inst, b);
  if (!inst->mode && fabsf(y) > 0x1p126f && isfinite(y) && isfinite(a))
    return copysignf(0, a) * copysignf(1, y);
  return finish(inst, enter(inst, a) / y);
}

LANES_2(div_approx, float, float, div_approx(inst, a, b))
LANES_1(rcp_approx, float, float, finish(inst, 1.0f / enter(inst, a)))
LANES_1(sqrt_approx, float, float, finish(inst, sqrtf(enter(inst, a))))
LANES_1(rsqrt_approx, float, float,
        finish(inst, (float)(1.0 / sqrt((double)enter(inst, a)))))
LANES_1(rcp_coarse, double, double, coarse(1.0 / coarse(a)))
LANES_1(rsqrt_coarse, double, double, 1.0 / sqrt(a))
LANES_1(sin_approx, float, float,
        finish(inst, (float)sin((double)enter(inst, a))))
LANES_1(cos_approx, float, float,
        finish(inst, (float)cos((double)enter(inst, a))))
LANES_1(ex2_approx, float, float, finish(inst, exp2f(enter(inst, a))))
LANES_1(lg2_approx, float, float, finish(inst, log2f(enter(inst, a))))
LANES_1(tanh_approx, float, float, finish(inst, tanhf(a)))

ExecFn pick_div(const Form *form, Inst *inst) {
  const TypeId type = (TypeId)form->types[0];
  const WordId approx = WORD_OF(form, APPROX), round = WORD_OF(form, ROUND);
  inst->sub = MATH_DIV;
  if (is_int_type(type)) return approx || round ? NULL : pick_int_div(type);
  if (type == TYPE_F32 && approx) {
    inst->mode = approx == WORD_FULL;
    return exec_div_approx;
  }
  if (!round || approx) return NULL;
  return type == TYPE_F32                 ? exec_exact_f32
         : type == TYPE_F64 && !inst->ftz ? exec_exact_f64
                                          : NULL;
}

static ExecFn root(const Form *form, Inst *inst, MathOp op, ExecFn approx,
                   ExecFn approx_f64) {
  const TypeId type = (TypeId)form->types[0];
  inst->sub = (uint8_t)op;
  if (WORD_OF(form, APPROX) == WORD_FULL || inst->sat) return NULL;
  if (WORD_OF(form, APPROX))
    return type == TYPE_F32 ? approx : type == TYPE_F64 ? approx_f64 : NULL;
  if (!WORD_OF(form, ROUND)) return NULL;
  return type == TYPE_F32   ? exec_exact_f32
         : type == TYPE_F64 ? exec_exact_f64
                            : NULL;
}

ExecFn pick_rcp(const Form *form, Inst *inst) {
  return root(form, inst, MATH_RCP, exec_rcp_approx,
              inst->ftz ? exec_rcp_coarse : NULL);
}

ExecFn pick_sqrt(const Form *form, Inst *inst) {
  return root(form, inst, MATH_SQRT, exec_sqrt_approx, NULL);
}

ExecFn pick_rsqrt(const Form *form, Inst *inst) {
  (void)inst;
  if (WORD_OF(form, APPROX) != WORD_APPROX) return NULL;
  return form->types[0] == TYPE_F32   ? exec_rsqrt_approx
         : form->types[0] == TYPE_F64 ? exec_rsqrt_coarse
                                      : NULL;
}

// -- f16 and bf16 ------------------------------------------------------------

static Step exec_narrow_math(Warp *warp, const Inst *inst, uint32_t mask) {
  const Format *format = format_of((TypeId)inst->type);
  const int parts = type_table[inst->type].bytes / 2;
  uint16_t *d = reg(warp, inst->op[0]);
  const uint16_t *a = reg(warp, inst->op[1]);
  for (int i = 0; i < LANES * parts; i++) {
    if (!in_mask(mask, i / parts)) continue;
    const double x = format_decode(format, a[i]);
    d[i] = (uint16_t)format_encode(format, inst->sub ? tanh(x) : exp2(x),
                                   WORD_RN, false);
  }
  return STEP_NEXT;
}

static ExecFn approximate(const Form *form, Inst *inst, ExecFn single,
                          int narrow) {
  if (WORD_OF(form, APPROX) != WORD_APPROX) return NULL;
  if (form->types[0] == TYPE_F32) return single;
  if (!is_float_type((TypeId)form->types[0]) || narrow < 0 ||
      type_table[form->types[0]].bytes > 4)
    return NULL;
  inst->sub = (uint8_t)narrow;
  return exec_narrow_math;
}

ExecFn pick_sin(const Form *form, Inst *inst) {
  return approximate(form, inst, exec_sin_approx, -1);
}

ExecFn pick_cos(const Form *form, Inst *inst) {
  return approximate(form, inst, exec_cos_approx, -1);
}

ExecFn pick_lg2(const Form *form, Inst *inst) {
  return approximate(form, inst, exec_lg2_approx, -1);
}

// ex2 of bf16 always flushes subnormals, and so the form must say .ftz.
ExecFn pick_ex2(const Form *form, Inst *inst) {
  const bool is_bf16 =
      form->types[0] == TYPE_BF16 || form->types[0] == TYPE_BF16X2;
  if (is_bf16 && !inst->ftz) return NULL;
  return approximate(form, inst, exec_ex2_approx, 0);
}

ExecFn pick_tanh(const Form *form, Inst *inst) {
  return approximate(form, inst, exec_tanh_approx, 1);
}
