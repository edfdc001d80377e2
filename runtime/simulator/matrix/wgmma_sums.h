// wgmma_sums.h -- the sums of one warp in a product of wgmma.
#ifndef TILE_SIMULATOR_WGMMA_SUMS_H
#define TILE_SIMULATOR_WGMMA_SUMS_H

#include "runtime/simulator/matrix/wgmma.h"

enum {
  MAX_WGMMA_SUMS = MAX_WGMMA_COLUMNS / 2, // of a lane
  WGMMA_A_STRIDE = WGMMA_ROWS / 8 * LANES // floats of one k
};

// The sums of the warp's 16 rows.  `at[4 c + 2 h + e]` has, for each lane, the
// sum of row 8 h + lane / 4 and column 8 c + 2 (lane % 4) + e.
typedef struct WgmmaSums {
  float *at[MAX_WGMMA_SUMS];
  uint32_t columns, k;
  const float *a, *b; // panels, of the warp's first row
  const bool *held;   // the same for a sparse A, WGMMA_ROWS for each k
} WgmmaSums;

// Rounds as the hardware does, for operands of that type (wgmma_cut.c).
void wgmma_multiply_cut(const WgmmaSums *sums, TypeId type);

#endif
