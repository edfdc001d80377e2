// wgmma.h -- matrix products of warpgroups, and those in flight.
//
// The four warps of a group issue each product, in any order; once all four
// have issued it, the product may read shared memory and registers, and its
// result is written when a warp waits for the product.
#ifndef TILE_SIMULATOR_WGMMA_H
#define TILE_SIMULATOR_WGMMA_H

#include "runtime/simulator/state/exec.h"

// ATOM_BYTES: the unit of descriptors.  MAX_WGMMA_K: columns of A that are
// multiplied at once.
enum {
  GROUP_WARPS = 4,
  WGMMA_ROWS = 64,
  MAX_WGMMA_COLUMNS = 256,
  MAX_WGMMA_K = 32,
  WGMMA_A_BYTES = 32, // of a row of A
  ATOM_BYTES = 16,
  EVERY_WARP = (1 << GROUP_WARPS) - 1
};

// Bits of inst->sub.
typedef enum {
  WGMMA_A_HELD = 1, // A is in registers
  WGMMA_TRANS_A = 2,
  WGMMA_TRANS_B = 4,
  WGMMA_NEGATED = 8, // the products are subtracted
} WgmmaFlag;

typedef struct Wgmma {
  const Inst *inst;
  uint64_t a, b;        // descriptors, the first of an A in shared memory
  bool adds;            // to the accumulators
  uint8_t came, waited; // warps of the group, as bits
  uint32_t group[GROUP_WARPS]; // group to which each has committed it; 0: none
                               // yet
  struct WgmmaTaken *taken;    // NULL: only accumulators are in registers
  uint32_t operation;          // its reads of shared memory, for proxy.h
  uint32_t writer;             // the copy that wrote the bytes it read last
  uint32_t needs[MAX_ACTORS];  // times that each warp must know
} Wgmma;

// Copies of A, if it is in registers, and of the metadata, made when the
// product is issued: `ptxas` puts later values of these registers elsewhere.
typedef struct WgmmaTaken {
  uint32_t a[GROUP_WARPS][4][LANES], metadata[GROUP_WARPS][LANES];
} WgmmaTaken;

// Products are numbered from 0, by each warp.
typedef struct WarpGroup {
  Wgmma *list; // the products that some warp has not waited for
  uint32_t num, room;
  uint32_t first;             // the number of list[0]
  uint32_t done;              // earlier ones are computed
  uint32_t next[GROUP_WARPS]; // next product of each warp
  uint32_t committed[GROUP_WARPS];
} WarpGroup;

// Starts with no products in flight; frees all.
void wgmma_start(Cta *cta);
void wgmma_destroy(Cta *cta);
// STEP_NEXT if the warp may execute the instruction while registers are in
// flight; else the step for the warp.
Step wgmma_registers_free(Warp *warp, const Inst *inst, uint32_t mask);

// -- Operands (matrix/wgmma_operand.c) ---------------------------------------

// A matrix in shared memory, as given by a descriptor.
typedef struct WgmmaMatrix {
  uint32_t start, leading, stride; // bytes
  uint32_t parts;                  // log2 of the swizzled atoms of a line
  uint32_t shift;                  // of the pattern, in lines of 128 bytes
  bool is_transposed;              // rows, not k, are adjacent
  uint32_t num_rows, num_bytes;    // of each row
} WgmmaMatrix;

WgmmaMatrix wgmma_matrix(uint64_t descriptor, bool is_transposed,
                         uint32_t num_rows, uint32_t num_bytes);
// The matrix has lines of atoms: each is a row, or, if transposed, a k.
static inline uint32_t matrix_lines(const WgmmaMatrix *matrix) {
  return matrix->is_transposed ? matrix->num_bytes / 2 : matrix->num_rows;
}

static inline uint32_t matrix_across(const WgmmaMatrix *matrix) {
  return matrix->is_transposed ? matrix->num_rows / 8
                               : matrix->num_bytes / ATOM_BYTES;
}

// The place in shared memory of atom `across` of a line.  Eight lines of
// swizzled atoms are adjacent; one of the offsets leads to the next eight
// lines, the other further across.  A swizzle exchanges the atoms of a line by
// the line's address.
static inline uint32_t matrix_place(const WgmmaMatrix *matrix, uint32_t line,
                                    uint32_t across) {
  const bool swaps = matrix->is_transposed && !matrix->parts;
  const uint32_t down = swaps ? matrix->leading : matrix->stride;
  const uint32_t aside = swaps ? matrix->stride : matrix->leading;
  const uint32_t others = (1u << matrix->parts) - 1;
  const uint32_t place = matrix->start +
                         (line % 8 << matrix->parts) * ATOM_BYTES +
                         line / 8 * down + (across >> matrix->parts) * aside +
                         (across & others) * ATOM_BYTES;
  return place ^ ((place / 128 - matrix->shift) & others) * ATOM_BYTES;
}

// The floats of A and B for a part of k, as the product wants them: of a
// register of accumulators lane 4 g + t has row g of eight and column 2 t or
// 2 t + 1 of eight.
//
//   a[i][r][4 g + t]    element i of row 8 r + g, four times
//   b[i * columns + 8 c + 4 e + t]    element i of column 8 c + 2 t + e
typedef struct WgmmaPanels {
  float a[MAX_WGMMA_K][WGMMA_ROWS / 8][LANES] __attribute__((aligned(64)));
  float b[MAX_WGMMA_K * MAX_WGMMA_COLUMNS] __attribute__((aligned(64)));
  bool held[MAX_WGMMA_K][WGMMA_ROWS]; // sparse A: the element exists
} WgmmaPanels;

// Operands of the instruction: where the descriptor or the first register of A
// is, that of B, the metadata of a sparse A, and whether to add.
static inline int wgmma_a_at(const Inst *inst) {
  return inst->num_dst;
}

static inline int wgmma_b_at(const Inst *inst) {
  return wgmma_a_at(inst) + (inst->sub & WGMMA_A_HELD ? 4 : 1);
}

static inline int wgmma_metadata_at(const Inst *inst) {
  return wgmma_b_at(inst) + 1;
}

static inline int wgmma_adds_at(const Inst *inst) {
  return wgmma_b_at(inst) + 1 + inst->is_sparse;
}

// The size of a column of B: bytes, and elements, which are k.
uint32_t wgmma_row_bytes(const Inst *inst);
uint32_t wgmma_row_elements(const Inst *inst);
// Fills the panels with `count` elements from number `from` on of each row.
void wgmma_unpack_a(const Cta *cta, const Warp *warps, const Wgmma *wgmma,
                    uint32_t from, uint32_t count, WgmmaPanels *panels);
void wgmma_unpack_b(const Cta *cta, const Wgmma *wgmma, uint32_t from,
                    uint32_t count, WgmmaPanels *panels);

// -- Registers (matrix/wgmma_registers.c) ------------------------------------

// Marks the product's registers as in flight, or no longer so.
void wgmma_mark(Warp *warp, const Inst *inst);
void wgmma_unmark(Warp *warp, const Inst *inst);
// Whether other instructions read sums in flight; reports it.
bool wgmma_reads_sums(Warp *warp, const Inst *inst, uint32_t mask);
// Stores the results; STEP_FAULT after a report that ends the launch.
Step wgmma_write_registers(Warp *warp, const Inst *inst, uint32_t mask);
// Reports registers of the product that are in use, or not fenced.
void wgmma_check_registers(Warp *warp, const Inst *inst);
void wgmma_fence_registers(Warp *warp);

// -- Products (matrix/wgmma_product.c) ---------------------------------------

// Computes the product for the warps of a group, all of which have issued it.
void wgmma_compute(Cta *cta, Warp *warps, const Wgmma *wgmma);

// -- Shared memory (matrix/wgmma_reads.c) ------------------------------------

// The warp has issued the product, which may read from now on: its operands
// must be inside of shared memory, written, and the warp must know the writes.
// STEP_FAULT after a report that ends the launch.
Step wgmma_may_read(Warp *warp, Wgmma *wgmma);
// All four warps have issued the product.  If one of them has meanwhile written
// bytes that the product will read, the other warps must know that write.
// STEP_FAULT after a report that ends the launch.
Step wgmma_reads_behind(Warp *warp, Wgmma *wgmma);
// The warp has waited for the product.
void wgmma_has_read(Warp *warp, const Wgmma *wgmma);

#endif
