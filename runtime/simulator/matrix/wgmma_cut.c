// wgmma_cut.c -- sums of wgmma, rounded as by the hardware.
//
// The accumulator and all products of an instruction are shifted to the largest
// exponent among them; the exponent of a product is the sum of its factors'.
// Bits behind the last kept bit are truncated, and so are the bits of the sum
// that do not fit a float.
//
// For example, with 13 kept bits 1 + 2^-14 is 1, and so is 1 + 2^-14 + 2^-14.
#include <limits.h>
#include <math.h>

#include "runtime/simulator/matrix/wgmma_sums.h"
#include "runtime/simulator/number/number.h"

// Bits behind the point that are kept.
static int kept_bits(TypeId type) {
  return type == TYPE_E4M3 || type == TYPE_E5M2 ? 13 : 25;
}

typedef struct {
  float a[MAX_WGMMA_K], b[MAX_WGMMA_K];
  uint32_t count;
  bool is_finite;
} Terms;

static Terms terms_of(const WgmmaSums *sums, uint32_t number, uint32_t lane) {
  Terms terms = {.is_finite = true};
  const uint32_t h = number / 2 % 2;
  for (uint32_t k = 0; k < sums->k; k++) {
    const float a = sums->a[k * WGMMA_A_STRIDE + h * LANES + lane];
    const float b =
        sums->b[k * sums->columns + number / 4 * 8 + number % 2 * 4 + lane % 4];
    if (sums->held && !sums->held[k * WGMMA_ROWS + 8 * h + lane / 4]) continue;
    terms.is_finite &= isfinite(a) && isfinite(b);
    terms.a[terms.count] = a;
    terms.b[terms.count++] = b;
  }
  return terms;
}

static float add_plainly(const Terms *terms, float sum) {
  for (uint32_t i = 0; i < terms->count; i++)
    sum = fmaf(terms->a[i], terms->b[i], sum);
  return isnan(sum) ? float_from_bits(CANONICAL_NAN) : sum;
}

static float cut_to_float(double value) {
  const float nearest = (float)value;
  return fabs((double)nearest) > fabs(value) ? nextafterf(nearest, 0) : nearest;
}

static float add_cut(const Terms *terms, float start, int bits) {
  int most = start != 0 ? ilogbf(start) : INT_MIN;
  for (uint32_t i = 0; i < terms->count; i++) {
    if (terms->a[i] == 0 || terms->b[i] == 0) continue;
    const int exponent = ilogbf(terms->a[i]) + ilogbf(terms->b[i]);
    if (exponent > most) most = exponent;
  }
  if (most == INT_MIN) return start;
  double sum = trunc(ldexp((double)start, bits - most));
  for (uint32_t i = 0; i < terms->count; i++)
    sum += trunc(ldexp((double)terms->a[i] * (double)terms->b[i], bits - most));
  return cut_to_float(ldexp(sum, most - bits));
}

void wgmma_multiply_cut(const WgmmaSums *sums, TypeId type) {
  const int bits = kept_bits(type);
  for (uint32_t i = 0; i < sums->columns / 2; i++) {
    for (uint32_t lane = 0; lane < LANES; lane++) {
      const Terms terms = terms_of(sums, i, lane);
      float *sum = &sums->at[i][lane];
      *sum = terms.is_finite && isfinite(*sum) ? add_cut(&terms, *sum, bits)
                                               : add_plainly(&terms, *sum);
    }
  }
}
