// mma_product.c -- the product of two tiles, by vectors as wide as the host's.
#include <string.h>

#include "runtime/simulator/matrix/mma.h"

// Rows that are summed in an interleaved way, to hide latency.
enum { BLOCK = 4, FOURS = MMA_COLUMNS / 4 };

static inline void multiply_block(const double (*a)[MAX_MMA_FLOAT_K],
                                  const MmaRow *b, uint32_t k, MmaRow *result) {
  MmaFour sums[BLOCK][FOURS] = {{{0}}};
  for (uint32_t i = 0; i < k; i++) {
    for (int row = 0; row < BLOCK; row++) {
      const double x = a[row][i];
      const MmaFour all = {x, x, x, x};
      for (int j = 0; j < FOURS; j++) sums[row][j] += all * b[i].fours[j];
    }
  }
  memcpy(result, sums, sizeof sums);
}

static void multiply(const MmaTiles *tiles, uint32_t k, MmaRow *result) {
  for (int row = 0; row < MMA_ROWS; row += BLOCK)
    multiply_block(tiles->a + row, tiles->b, k, result + row);
}

#ifdef __x86_64__

// The same function for AVX2, with the same results bit by bit, since each sum
// has the same order.
__attribute__((target("avx2"), flatten)) static void
multiply_wide(const MmaTiles *tiles, uint32_t k, MmaRow *result) {
  for (int row = 0; row < MMA_ROWS; row += BLOCK)
    multiply_block(tiles->a + row, tiles->b, k, result + row);
}

void mma_multiply(const MmaTiles *tiles, uint32_t k, MmaRow *result) {
  if (__builtin_cpu_supports("avx2"))
    multiply_wide(tiles, k, result);
  else
    multiply(tiles, k, result);
}

#else

void mma_multiply(const MmaTiles *tiles, uint32_t k, MmaRow *result) {
  multiply(tiles, k, result);
}

#endif
