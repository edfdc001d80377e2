// make.c -- constructors.
//
// A constructor is a short list of steps "give the next n bits of this axis to
// that dimension": parts_cover().  The remaining bits go to registers.
//
// For example, layout_coalesced() of 32x32 with order {1, 0}, a vector of 4, 32
// lanes and 4 warps: register [0,1] [0,2], lane [0,4] [0,8] [0,16] [1,0] [2,0],
// warp [4,0] [8,0], and the rest, [16,0], is a register.
#include "ir/layout/parts.h"

// Gives the rest of every axis to registers, along order[0] first.
static void cover_rest(LayoutParts *parts, const int *order) {
  for (int i = 0; i < parts->rank && !parts->broken; i++) {
    const int left = parts_left(parts, order[i]);
    parts_cover(parts, LAYOUT_REGISTER, order[i], left);
  }
}

static void cover_box(LayoutParts *parts, LayoutDim dim, const int *size,
                      const int *order) {
  for (int i = 0; i < parts->rank && !parts->broken; i++) {
    const int count = log2_exact(size[order[i]] ? size[order[i]] : 1);
    if (count < 0) parts->broken = true;
    parts_cover(parts, dim, order[i], count);
  }
}

const Layout *layout_blocked(LayoutTable *table, int rank, const int64_t *shape,
                             const BlockedSpec *spec) {
  LayoutParts parts = parts_of_shape(rank, shape);
  if (parts.broken || !order_is_valid(rank, spec->order)) return NULL;
  cover_box(&parts, LAYOUT_REGISTER, spec->per_thread, spec->order);
  cover_box(&parts, LAYOUT_LANE, spec->lanes, spec->order);
  cover_box(&parts, LAYOUT_WARP, spec->warps, spec->order);
  cover_box(&parts, LAYOUT_BLOCK, spec->blocks, spec->order);
  cover_rest(&parts, spec->order);
  return layout_from_parts(table, &parts);
}

// Gives `count` bits to `dim`, along order[0] until it is covered, then
// order[1], ...; bits beyond the tile select copies.
static void cover_in_order(LayoutParts *parts, LayoutDim dim, const int *order,
                           int count) {
  for (int i = 0; i < parts->rank; i++) {
    const int now = int_min(count, parts_left(parts, order[i]));
    parts_cover(parts, dim, order[i], now);
    count -= now;
  }
  for (int i = 0; i < count; i++) parts_add(parts, dim, 0);
}

const Layout *layout_coalesced(LayoutTable *table, int rank,
                               const int64_t *shape, const int *order,
                               int vector, int num_lanes, int num_warps) {
  LayoutParts parts = parts_of_shape(rank, shape);
  const int log2_vector = log2_exact(vector);
  const int log2_lanes = log2_exact(num_lanes);
  const int log2_warps = log2_exact(num_warps);
  if (parts.broken || !order_is_valid(rank, order)) return NULL;
  if (int_min(log2_vector, int_min(log2_lanes, log2_warps)) < 0) return NULL;
  if (rank) parts_cover(&parts, LAYOUT_REGISTER, order[0], log2_vector);
  cover_in_order(&parts, LAYOUT_LANE, order, log2_lanes);
  cover_in_order(&parts, LAYOUT_WARP, order, log2_warps);
  cover_rest(&parts, order);
  return layout_from_parts(table, &parts);
}

// -- Matrix instructions -----------------------------------------------------
//
// The fragments are those of the figures of the PTX manual, "Matrix Fragments
// for mma.m16n8k*" and "wgmma.mma_async.m64nNk*, register fragments": with
// group = lane >> 2 and t = lane & 3, register pairs step along the row, t and
// then the second half of the row follow, group steps down the column, and the
// next register is 8 rows below.

typedef struct {
  int warps_m, warps_n, warp_n, beside, pairs; // log2 of each
  bool row_pairs;
} LogMma;

static bool log2_mma(const MmaSpec *spec, LogMma *log2) {
  log2->warps_m = log2_exact(spec->warps_m);
  log2->warps_n = log2_exact(spec->warps_n);
  log2->warp_n = log2_exact(spec->warp_n ? spec->warp_n : 8);
  log2->beside = spec->log2_beside;
  log2->pairs = spec->log2_pairs;
  log2->row_pairs = spec->row_pairs;
  const int least = 3 + log2->beside + log2->pairs;
  if (log2->warp_n < least) log2->warp_n = least;
  return log2->warps_m >= 0 && log2->warps_n >= 0 && log2->warp_n >= 3;
}

// Covers the rest in row-major order: the last axis first.
static void cover_row_major(LayoutParts *parts) {
  int order[LAYOUT_MAX_RANK];
  for (int i = 0; i < parts->rank; i++) order[i] = parts->rank - 1 - i;
  cover_rest(parts, order);
}

// A tile smaller than one instruction is repeated inside of it.
static bool covers_warp(const LayoutParts *parts, int n, const LogMma *mma) {
  return mma->warp_n == 3 || parts->log2_shape[n] >= mma->warp_n;
}

static void add_copies(LayoutParts *parts, LayoutDim dim, int count) {
  for (int i = 0; i < count; i++) parts_add(parts, dim, 0);
}

// Covers the row of a lane group, and its row in the next register.
static void cover_rows(LayoutParts *parts, int m, const LogMma *mma) {
  if (mma->row_pairs) parts_cover(parts, LAYOUT_REGISTER, m, 1);
  parts_cover(parts, LAYOUT_LANE, m, 3);
  if (!mma->row_pairs) parts_cover(parts, LAYOUT_REGISTER, m, 1);
}

const Layout *layout_mma_accumulator(LayoutTable *table, int rank,
                                     const int64_t *shape,
                                     const MmaSpec *spec) {
  LayoutParts parts = parts_of_shape(rank, shape);
  LogMma mma;
  if (parts.broken || rank < 2 || !log2_mma(spec, &mma)) return NULL;
  const int m = rank - 2, n = rank - 1;
  if (!covers_warp(&parts, n, &mma)) return NULL;
  const int inside = 1 + mma.beside + mma.pairs;
  parts_cover(&parts, LAYOUT_REGISTER, n, inside);
  parts_cover(&parts, LAYOUT_LANE, n, 2);
  cover_rows(&parts, m, &mma);
  parts_cover(&parts, LAYOUT_REGISTER, n, mma.warp_n - 2 - inside);
  parts_cover(&parts, LAYOUT_WARP, m, mma.warps_m);
  parts_cover(&parts, LAYOUT_WARP, n, mma.warps_n);
  cover_row_major(&parts);
  return layout_from_parts(table, &parts);
}

typedef struct {
  LayoutParts parts;
  LogMma mma;
  int inside; // bits of k within one 32-bit register
  int halves; // and register bits: 8 rows, or half a row, further
} OperandParts;

// False if there is no such instruction.
static bool start_operand(OperandParts *o, int rank, const int64_t *shape,
                          const MmaSpec *spec, int elem_bits, int instr_k) {
  o->parts = parts_of_shape(rank, shape);
  if (o->parts.broken || rank < 2 || !log2_mma(spec, &o->mma)) return false;
  const int log2_bits = log2_exact(elem_bits), log2_k = log2_exact(instr_k);
  o->inside = 5 - log2_bits;
  o->halves = log2_k - 2 - o->inside;
  return log2_bits >= 0 && log2_bits <= 5 && (o->halves == 0 || o->halves == 1);
}

const Layout *layout_mma_operand_a(LayoutTable *table, int rank,
                                   const int64_t *shape, const MmaSpec *spec,
                                   int elem_bits, int instr_k) {
  OperandParts o;
  if (!start_operand(&o, rank, shape, spec, elem_bits, instr_k)) return NULL;
  const int m = rank - 2, k = rank - 1;
  if (shape[k] < instr_k) return NULL;
  parts_cover(&o.parts, LAYOUT_REGISTER, k, o.inside);
  parts_cover(&o.parts, LAYOUT_LANE, k, 2);
  cover_rows(&o.parts, m, &o.mma);
  parts_cover(&o.parts, LAYOUT_REGISTER, k, o.halves);
  parts_cover(&o.parts, LAYOUT_WARP, m, o.mma.warps_m);
  add_copies(&o.parts, LAYOUT_WARP, o.mma.warps_n);
  cover_row_major(&o.parts);
  return layout_from_parts(table, &o.parts);
}

// The columns of one instruction; between its pairs are columns of others.
static void cover_columns(LayoutParts *parts, int n, const LogMma *mma) {
  parts_cover(parts, LAYOUT_LANE, n, 1);
  parts->covered[n] += mma->pairs;
  parts_cover(parts, LAYOUT_LANE, n, 2);
}

static void cover_between_pairs(LayoutParts *parts, int n, const LogMma *mma) {
  for (int i = 0; i < mma->pairs; i++) {
    const int bit = parts_first_bit(parts, n) + mma->beside + 1 + i;
    parts_add(parts, LAYOUT_REGISTER, UINT32_C(1) << bit);
  }
}

const Layout *layout_mma_operand_b(LayoutTable *table, int rank,
                                   const int64_t *shape, const MmaSpec *spec,
                                   int elem_bits, int instr_k) {
  OperandParts o;
  if (!start_operand(&o, rank, shape, spec, elem_bits, instr_k)) return NULL;
  const int k = rank - 2, n = rank - 1;
  if (!covers_warp(&o.parts, n, &o.mma) || shape[k] < instr_k) return NULL;
  parts_cover(&o.parts, LAYOUT_REGISTER, k, o.inside);
  parts_cover(&o.parts, LAYOUT_LANE, k, 2);
  parts_cover(&o.parts, LAYOUT_REGISTER, n, o.mma.beside);
  cover_columns(&o.parts, n, &o.mma);
  parts_cover(&o.parts, LAYOUT_REGISTER, k, o.halves);
  parts_cover(&o.parts, LAYOUT_REGISTER, n,
              o.mma.warp_n - 3 - o.mma.beside - o.mma.pairs);
  add_copies(&o.parts, LAYOUT_WARP, o.mma.warps_m);
  parts_cover(&o.parts, LAYOUT_WARP, n, o.mma.warps_n);
  // All of k first: instructions with the same accumulator follow each other.
  parts_cover(&o.parts, LAYOUT_REGISTER, k, parts_left(&o.parts, k));
  cover_between_pairs(&o.parts, n, &o.mma);
  cover_row_major(&o.parts);
  return layout_from_parts(table, &o.parts);
}

// -- Shared memory -----------------------------------------------------------

static LayoutParts row_major(int rank, const int64_t *shape, const int *order) {
  LayoutParts parts = parts_of_shape(rank, shape);
  parts.shared = true;
  if (!parts.broken && !order_is_valid(rank, order)) parts.broken = true;
  for (int i = 0; i < rank && !parts.broken; i++) {
    parts_cover(&parts, LAYOUT_OFFSET, order[i], parts_left(&parts, order[i]));
  }
  return parts;
}

const Layout *layout_shared(LayoutTable *table, int rank, const int64_t *shape,
                            const int *order) {
  const LayoutParts parts = row_major(rank, shape, order);
  return layout_from_parts(table, &parts);
}

const Layout *layout_swizzled(LayoutTable *table, int rank,
                              const int64_t *shape, const int *order, int vec,
                              int per_phase, int max_phase) {
  LayoutParts parts = row_major(rank, shape, order);
  const int log2_vec = log2_exact(vec);
  const int first_row = log2_exact(per_phase);
  const int phases = log2_exact(max_phase);
  if (parts.broken || rank < 2) return NULL;
  if (int_min(log2_vec, int_min(first_row, phases)) < 0) return NULL;
  const int columns = parts.log2_shape[order[0]];
  const int rows = parts.log2_shape[order[1]];
  for (int i = 0; i < phases; i++) {
    if (first_row + i >= rows || log2_vec + i >= columns) break;
    const int bit = parts_first_bit(&parts, order[0]) + log2_vec + i;
    parts.column[LAYOUT_OFFSET][columns + first_row + i] ^= UINT32_C(1) << bit;
  }
  return layout_from_parts(table, &parts);
}

// In bytes, the 16-byte chunk number (address bits 4, 5, 6) is XORed with
// address bits 7, 8, 9: three bits of it for 128 bytes, two for 64, one for 32.
static void swizzle_addresses(LayoutParts *parts, int num_bits,
                              int log2_elem_bits) {
  const int chunk = 7 - log2_elem_bits, row = 10 - log2_elem_bits;
  uint32_t *const column = parts->column[LAYOUT_OFFSET];
  for (int i = 0; i < num_bits && row + i < parts->num[LAYOUT_OFFSET]; i++) {
    column[row + i] ^= column[chunk + i];
  }
}

const Layout *layout_tma(LayoutTable *table, int rank, const int64_t *shape,
                         const int *order, int swizzle_bytes, int elem_bits) {
  LayoutParts parts = parts_of_shape(rank, shape);
  parts.shared = true;
  const int log2_bytes = log2_exact(swizzle_bytes);
  const int log2_bits = log2_exact(elem_bits);
  const int width = log2_bytes + 3 - log2_bits;
  if (parts.broken || !rank || !order_is_valid(rank, order)) return NULL;
  if (log2_bytes < 5 || log2_bytes > 7) return NULL;
  if (log2_bits < 0 || log2_bits > 6) return NULL;
  if (parts_left(&parts, order[0]) < width) return NULL;
  parts_cover(&parts, LAYOUT_OFFSET, order[0], width);
  for (int i = 1; i <= rank; i++) {
    const int axis = order[i % rank];
    parts_cover(&parts, LAYOUT_OFFSET, axis, parts_left(&parts, axis));
  }
  swizzle_addresses(&parts, log2_bytes - 4, log2_bits);
  return layout_from_parts(table, &parts);
}
