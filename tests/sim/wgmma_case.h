// wgmma_case.h -- one product of wgmma, run and compared with a loop in double.
#ifndef TILE_TESTS_WGMMA_CASE_H
#define TILE_TESTS_WGMMA_CASE_H

#include "tests/sim/sim_kit.h"

typedef struct {
  const char *name;
  unsigned bits, exponent, mantissa; // 0 exponent bits: an integer
  bool is_signed;
} WgmmaType;

enum { F16, BF16, TF32, E4M3, E5M2, S8, U8, B1 };
extern const WgmmaType wgmma_types[];

// The place of a matrix in shared memory.  `width`: the bytes of the swizzle,
// 16: none.  `at`: the offset from a multiple of 1,024 bytes.  `base`: the
// descriptor's base offset, if the pattern starts elsewhere.
typedef struct {
  bool is_transposed;
  unsigned width, leading, stride, at, base;
} WgmmaLayout;

typedef struct {
  const char *d;
  int a, b;
  unsigned columns;
  WgmmaLayout a_at, b_at;
  bool a_held;
  int scale_a, scale_b; // 0: the form has none
  const char *adds;     // "%p1" is true
  const char *words;    // behind the types
  bool is_sparse;       // `selector` says which lanes have the metadata
  unsigned selector;
  double start; // of all sums; 0: of any numbers
  double unit;  // products are cut off to multiples of it; 0: they are not
} WgmmaCase;

// Fails the test if anything differs, or is reported.
void wgmma_run(const WgmmaCase *c);
// For f16, and a row of A of 1, 2, 3, ...: if B has a single 1, at that byte,
// the sum is as given in the column and in each column a multiple of `period`
// away, and 0 elsewhere.
void wgmma_run_place(const WgmmaLayout *layout, unsigned byte, unsigned column,
                     unsigned period, unsigned sum);

#endif
