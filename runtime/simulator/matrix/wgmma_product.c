// wgmma_product.c -- the products of wgmma.
//
// Each sum starts from the accumulator, or from zero, and its terms are added
// in the order of k, each by a fused multiply-add in single precision; it is
// rounded to f16 if the accumulators are f16.  Sums of integers start from
// zero, with at most MAX_WGMMA_K terms, so they are exact in floats, and are
// then added as integers.
#include "runtime/simulator/matrix/wgmma_sums.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "runtime/simulator/number/number.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

static void multiply_any(const WgmmaSums *sums) {
  for (uint32_t i = 0; i < sums->columns / 2; i++) {
    float *sum = sums->at[i];
    const float *a = sums->a + i / 2 % 2 * LANES;
    const float *b = sums->b + i / 4 * 8 + i % 2 * 4;
    for (uint32_t k = 0; k < sums->k; k++)
      for (int lane = 0; lane < LANES; lane++)
        sum[lane] = fmaf(a[k * WGMMA_A_STRIDE + (uint32_t)lane],
                         b[k * sums->columns + (uint32_t)lane % 4], sum[lane]);
    for (int lane = 0; lane < LANES; lane++)
      if (isnan(sum[lane])) sum[lane] = float_from_bits(CANONICAL_NAN);
  }
}

// Leaves out missing elements: 0 times an infinite B would be NaN.
static void multiply_sparse(const WgmmaSums *sums) {
  for (uint32_t i = 0; i < sums->columns / 2; i++) {
    float *sum = sums->at[i];
    const uint32_t h = i / 2 % 2;
    const float *a = sums->a + h * LANES;
    const float *b = sums->b + i / 4 * 8 + i % 2 * 4;
    for (uint32_t k = 0; k < sums->k; k++)
      for (uint32_t lane = 0; lane < LANES; lane++)
        if (sums->held[k * WGMMA_ROWS + 8 * h + lane / 4])
          sum[lane] = fmaf(a[k * WGMMA_A_STRIDE + lane],
                           b[k * sums->columns + lane % 4], sum[lane]);
    for (int lane = 0; lane < LANES; lane++)
      if (isnan(sum[lane])) sum[lane] = float_from_bits(CANONICAL_NAN);
  }
}

#ifdef __x86_64__

typedef __m256 Eight; // lanes

__attribute__((target("avx2,fma"))) static inline Eight canonical(Eight x) {
  const Eight nan = _mm256_castsi256_ps(_mm256_set1_epi32((int)CANONICAL_NAN));
  return _mm256_blendv_ps(x, nan, _mm256_cmp_ps(x, x, _CMP_UNORD_Q));
}

// The sums of sixteen lanes, from `lane` on, in eight columns: sum[rows][even
// or odd columns][first or last eight lanes].
__attribute__((target("avx2,fma"))) static inline void
multiply_block(const WgmmaSums *sums, uint32_t c, uint32_t lane) {
  Eight sum[2][2][2];
  const float *a = sums->a + lane, *b = sums->b + 8 * c;
  float *const *at = sums->at + 4 * c;
  for (int i = 0; i < 8; i++)
    sum[i / 4][i / 2 % 2][i % 2] =
        _mm256_loadu_ps(at[i / 2] + lane + 8 * (i % 2));
  for (uint32_t k = 0; k < sums->k;
       k++, a += WGMMA_A_STRIDE, b += sums->columns) {
    const Eight even = _mm256_broadcast_ps((const __m128 *)(const void *)b);
    const Eight odd =
        _mm256_broadcast_ps((const __m128 *)(const void *)(b + 4));
    for (int h = 0; h < 2; h++) {
      for (int part = 0; part < 2; part++) {
        const Eight x = _mm256_load_ps(a + h * LANES + 8 * part);
        sum[h][0][part] = _mm256_fmadd_ps(x, even, sum[h][0][part]);
        sum[h][1][part] = _mm256_fmadd_ps(x, odd, sum[h][1][part]);
      }
    }
  }
  for (int i = 0; i < 8; i++)
    _mm256_storeu_ps(at[i / 2] + lane + 8 * (i % 2),
                     canonical(sum[i / 4][i / 2 % 2][i % 2]));
}

__attribute__((target("avx2,fma"))) static void
multiply_wide(const WgmmaSums *sums) {
  for (uint32_t c = 0; c < sums->columns / 8; c++) {
    multiply_block(sums, c, 0);
    multiply_block(sums, c, 16);
  }
}

static void multiply(const WgmmaSums *sums) {
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    multiply_wide(sums);
  else
    multiply_any(sums);
}

#else

static void multiply(const WgmmaSums *sums) {
  multiply_any(sums);
}

#endif

// -- Accumulators ------------------------------------------------------------

// Copies of sums that are not in registers themselves.
typedef float SumCopy[MAX_WGMMA_SUMS][LANES];

static void load_halves(const Warp *warp, const Inst *inst, SumCopy copy) {
  for (int i = 0; i < inst->num_dst; i++) {
    const uint32_t *words = reg(warp, inst->op[i]);
    for (int lane = 0; lane < LANES; lane++) {
      copy[2 * i][lane] = half_to_float((uint16_t)words[lane]);
      copy[2 * i + 1][lane] = half_to_float((uint16_t)(words[lane] >> 16));
    }
  }
}

static void store_halves(const Warp *warp, const Inst *inst, SumCopy copy) {
  for (int i = 0; i < inst->num_dst; i++) {
    uint32_t *words = reg(warp, inst->op[i]);
    for (int lane = 0; lane < LANES; lane++)
      words[lane] = (uint32_t)float_to_half(copy[2 * i + 1][lane]) << 16 |
                    float_to_half(copy[2 * i][lane]);
  }
}

static void add_integers(const Warp *warp, const Inst *inst, SumCopy copy) {
  for (int i = 0; i < inst->num_dst; i++) {
    int32_t *words = reg(warp, inst->op[i]);
    for (int lane = 0; lane < LANES; lane++) {
      int64_t sum = (int64_t)words[lane] + (int64_t)copy[i][lane];
      if (inst->sat && sum > INT32_MAX) sum = INT32_MAX;
      if (inst->sat && sum < INT32_MIN) sum = INT32_MIN;
      words[lane] = (int32_t)(uint32_t)(uint64_t)sum;
    }
  }
}

static void clear(const Warp *warp, const Inst *inst) {
  for (int i = 0; i < inst->num_dst; i++)
    memset(reg(warp, inst->op[i]), 0, LANES * sizeof(float));
}

static bool is_integer(const Inst *inst) {
  return inst->type == TYPE_S32;
}

static void multiply_warp(const Warp *warp, const Inst *inst, uint32_t k,
                          uint32_t part, const WgmmaPanels *panels) {
  assert(inst->columns <= MAX_WGMMA_COLUMNS && "too many sums"); // I4
  SumCopy copy;
  WgmmaSums sums = {.columns = inst->columns, .k = k, .b = panels->b};
  const bool is_half = inst->type == TYPE_F16, is_int = is_integer(inst);
  sums.a = panels->a[0][2 * part];
  for (uint32_t i = 0; i < inst->columns / 2u; i++)
    sums.at[i] = is_half || is_int ? copy[i] : reg(warp, inst->op[i]);
  if (is_half) load_halves(warp, inst, copy);
  if (is_int) memset(copy, 0, inst->columns / 2u * sizeof *copy);
  if (inst->is_sparse) sums.held = &panels->held[0][16 * part];
  if (warp->cta->launch->cuts_sums && !is_int)
    wgmma_multiply_cut(&sums, (TypeId)inst->type2);
  else
    (inst->is_sparse ? multiply_sparse : multiply)(&sums);
  if (is_half) store_halves(warp, inst, copy);
  if (is_int) add_integers(warp, inst, copy);
}

void wgmma_compute(Cta *cta, Warp *warps, const Wgmma *wgmma) {
  WgmmaPanels panels;
  const Inst *inst = wgmma->inst;
  const uint32_t total = wgmma_row_elements(inst);
  for (int i = 0; i < GROUP_WARPS && !wgmma->adds; i++) clear(&warps[i], inst);
  for (uint32_t from = 0; from < total; from += MAX_WGMMA_K) {
    const uint32_t rest = total - from;
    const uint32_t count = rest < MAX_WGMMA_K ? rest : MAX_WGMMA_K;
    wgmma_unpack_a(cta, warps, wgmma, from, count, &panels);
    wgmma_unpack_b(cta, wgmma, from, count, &panels);
    for (uint32_t i = 0; i < GROUP_WARPS; i++)
      multiply_warp(&warps[i], inst, count, i, &panels);
  }
}
