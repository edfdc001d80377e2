// mma_quads.c -- mma.sync.m8n8k4 of f16: four products at once.
//
// Each product belongs to a pair of quads, lanes 4q to 4q + 3 and 16 more.  The
// upper quad has the rows from 4 on of A and of C, and the columns from 4 on of
// B.
#include <string.h>

#include "runtime/simulator/matrix/mma.h"
#include "runtime/simulator/memory/lanes.h"
#include "runtime/simulator/number/number.h"

enum { M = 8, N = 8, K = 4, QUADS = 4 };

typedef struct {
  double a[M][K], b[K][N], c[M][N];
} QuadProduct;

static int quad_of(int lane) {
  return lane % 16 / 4;
}

static int upper(int lane) {
  return lane < 16 ? 0 : 4;
}

// Value i of the lane's f16, in registers from op[first] on.
static uint16_t *half_at(const Warp *warp, const uint32_t *op, int lane,
                         int i) {
  uint16_t *halves = reg(warp, op[i / 2]);
  return &halves[lane * 2 + i % 2];
}

static double *single_at(QuadProduct *p, int lane, int i) {
  const int row = (lane & 1) + (i & 2) + upper(lane);
  return &p->c[row][(i & 4) + (lane & 2) + (i & 1)];
}

static void gather(const Warp *warp, const Inst *inst, QuadProduct products[]) {
  const uint32_t *a = inst->op + inst->num_dst, *b = a + 2, *c = b + 2;
  for (int lane = 0; lane < LANES; lane++) {
    QuadProduct *p = &products[quad_of(lane)];
    const int t = lane % 4, high = upper(lane);
    for (int i = 0; i < K; i++) {
      const double x = half_to_float(*half_at(warp, a, lane, i));
      const double y = half_to_float(*half_at(warp, b, lane, i));
      *(inst->trans & 1 ? &p->a[i + high][t] : &p->a[t + high][i]) = x;
      *(inst->trans & 2 ? &p->b[i][t + high] : &p->b[t][i + high]) = y;
    }
    for (int i = 0; i < N; i++) {
      if (inst->sub) {
        p->c[t + high][i] = half_to_float(*half_at(warp, c, lane, i));
      } else {
        const float *wide = reg(warp, c[i]);
        *single_at(p, lane, i) = wide[lane];
      }
    }
  }
}

static void multiply(QuadProduct *p) {
  for (int i = 0; i < M; i++) {
    for (int j = 0; j < N; j++) {
      double sum = 0;
      for (int k = 0; k < K; k++) sum += p->a[i][k] * p->b[k][j];
      p->c[i][j] += sum;
    }
  }
}

static void scatter(const Warp *warp, const Inst *inst,
                    QuadProduct products[]) {
  for (int lane = 0; lane < LANES; lane++) {
    QuadProduct *p = &products[quad_of(lane)];
    for (int i = 0; i < N; i++) {
      if (inst->type == TYPE_F16) {
        const double out = p->c[lane % 4 + upper(lane)][i];
        *half_at(warp, inst->op, lane, i) =
            (uint16_t)format_encode(format_of(TYPE_F16), out, WORD_RN, false);
        continue;
      }
      const double out = *single_at(p, lane, i);
      float *wide = reg(warp, inst->op[i]);
      wide[lane] = out != out ? float_from_bits(CANONICAL_NAN) : (float)out;
    }
  }
}

static Step exec_quads(Warp *warp, const Inst *inst, uint32_t mask) {
  Step step;
  QuadProduct products[QUADS];
  if (!whole_warp(warp, inst, mask, &step)) return step;
  gather(warp, inst, products);
  for (int i = 0; i < QUADS; i++) multiply(&products[i]);
  scatter(warp, inst, products);
  return STEP_NEXT;
}

static int registers_for(TypeId type) {
  return type == TYPE_F32 ? 8 : type == TYPE_F16 ? 4 : 0;
}

ExecFn pick_mma_quads(const Form *form, Inst *inst) {
  const int d = registers_for((TypeId)form->types[0]);
  const int c = registers_for((TypeId)form->types[3]);
  inst->sub = form->types[3] == TYPE_F16;
  inst->trans = (uint8_t)((WORD_OF(form, LAYOUT_A) == WORD_COL ? 1 : 0) |
                          (WORD_OF(form, LAYOUT_B) == WORD_COL ? 2 : 0));
  if (form->types[0] == TYPE_F16 && form->types[3] == TYPE_F32) return NULL;
  return d && c && form->types[2] == TYPE_F16 && inst->reg_size == 4 &&
                 inst->num_dst == d && inst->num_ops == d + 4 + c &&
                 !WORD_OF(form, SATFINITE) && !WORD_OF(form, OP) &&
                 !WORD_OF(form, MODE)
             ? exec_quads
             : NULL;
}
