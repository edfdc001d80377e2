// mma_doubles.c -- mma.sync of f64.
//
// Value i of a lane, of group g and number t in it, lies in A in row g or g + 8
// by turns, for each four columns; in B in row t + 4 i of column g; in C the
// first two values lie side by side, and the next two eight rows below them.
#include <fenv.h>

#include "runtime/simulator/matrix/mma.h"
#include "runtime/simulator/memory/lanes.h"
#include "runtime/simulator/number/number.h"

enum { MAX_K = 16 };

typedef struct {
  double a[MMA_ROWS][MAX_K], b[MMA_COLUMNS][MAX_K];
} DoubleTiles;

static uint32_t rows_of(const Inst *inst) {
  return inst->num_dst * 4u;
}

static void gather(const Warp *warp, const Inst *inst, uint32_t k,
                   DoubleTiles *tiles) {
  const uint32_t halves = rows_of(inst) / 8, num_a = halves * k / 4;
  const uint32_t *a = inst->op + inst->num_dst, *b = a + num_a;
  for (uint32_t i = 0; i < num_a; i++) {
    const double *x = reg(warp, a[i]);
    for (int lane = 0; lane < LANES; lane++)
      tiles->a[lane / 4 + 8 * (int)(i % halves)]
              [lane % 4 + 4 * (int)(i / halves)] = x[lane];
  }
  for (uint32_t i = 0; i < k / 4; i++) {
    const double *y = reg(warp, b[i]);
    for (int lane = 0; lane < LANES; lane++)
      tiles->b[lane / 4][lane % 4 + 4 * (int)i] = y[lane];
  }
}

static double product(const DoubleTiles *tiles, int row, int column, uint32_t k,
                      double sum) {
  for (uint32_t i = 0; i < k; i++)
    sum = fma_in_mode(tiles->a[row][i], tiles->b[column][i], sum);
  return sum;
}

static Step exec_doubles(Warp *warp, const Inst *inst, uint32_t mask) {
  Step step;
  DoubleTiles tiles;
  if (!whole_warp(warp, inst, mask, &step)) return step;
  const uint32_t k = inst->sub, n = inst->num_dst;
  const uint32_t *start = inst->op + inst->num_ops - n;
  gather(warp, inst, k, &tiles);
  fesetround(host_round((WordId)inst->round));
  for (uint32_t i = 0; i < n; i++) {
    const double *c = reg(warp, start[i]);
    double *d = reg(warp, inst->op[i]);
    for (int lane = 0; lane < LANES; lane++)
      d[lane] = product(&tiles, lane / 4 + 8 * (int)(i / 2),
                        lane % 4 * 2 + (int)(i % 2), k, c[lane]);
  }
  fesetround(FE_TONEAREST);
  return STEP_NEXT;
}

ExecFn pick_mma_doubles(const Form *form, Inst *inst, uint32_t m, uint32_t k) {
  for (int i = 0; i < 4; i++)
    if (form->types[i] != TYPE_F64) return NULL;
  inst->sub = (uint8_t)k;
  const uint32_t results = m / 4, wanted = results * 2 + m * k / LANES + k / 4;
  return inst->num_dst == results && inst->num_ops == wanted &&
                 inst->reg_size == 8 && !WORD_OF(form, SATFINITE) &&
                 !WORD_OF(form, OP) && !WORD_OF(form, MODE)
             ? exec_doubles
             : NULL;
}
