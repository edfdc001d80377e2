// mma.h -- shared by the executors of matrix products.
#ifndef TILE_SIMULATOR_MMA_H
#define TILE_SIMULATOR_MMA_H

#include "runtime/simulator/state/exec.h"

// Whether the whole warp has come; if not, `*step` is the result.
bool whole_warp(Warp *warp, const Inst *inst, uint32_t mask, Step *step);
enum { MAX_MMA_K = 256 };

uint32_t mma_element_bits(TypeId type);
float mma_to_float(TypeId type, uint32_t bits);
int16_t mma_to_int(TypeId type, uint32_t bits);

enum { MMA_ROWS = 16, MMA_COLUMNS = 8, MAX_MMA_FLOAT_K = 64 };

// Four columns, which the host may multiply at once; a row of B, of the result.
typedef double MmaFour __attribute__((vector_size(32)));
typedef union MmaRow {
  MmaFour fours[MMA_COLUMNS / 4];
  double at[MMA_COLUMNS];
} MmaRow;

typedef struct MmaTiles {
  double a[MMA_ROWS][MAX_MMA_FLOAT_K];
  MmaRow b[MAX_MMA_FLOAT_K];
} MmaTiles;

// The product of MMA_ROWS rows of k columns and k rows; the terms of each sum
// are added in the order of k.
void mma_multiply(const MmaTiles *tiles, uint32_t k, MmaRow *result);

// Whether there is an instruction for a sparse A of m rows and k columns.
bool sparse_fits(const Form *form, const Inst *inst, uint32_t m, uint32_t k);
// The column of each element in the registers for the row of A, from the warp's
// metadata; false after a report.
bool sparse_columns(const Warp *warp, const Inst *inst,
                    const uint32_t *metadata, int row, uint32_t k,
                    uint16_t column[]);

// Products of f64, of a matrix A with m rows and k columns.
ExecFn pick_mma_doubles(const Form *form, Inst *inst, uint32_t m, uint32_t k);

// m8n8k4 of f16.
ExecFn pick_mma_quads(const Form *form, Inst *inst);

#endif
