// dot_layouts.c -- the layouts of a dot by a matrix instruction.
//
// The fragments of one instruction are repeated according to the distribution
// of the result over warps.
#include "passes/layout/dot_layouts.h"

#include "passes/analysis/analysis.h"

#include <assert.h>

enum { LOG2_HALVES = 1 }; // halves of the rows of A, 8 rows each

// The distribution of the tile over warps, as if the instruction's A was the
// tile's.
static MmaSpec share_tile(const Op *dot, const Mma *mma, DotShape shape) {
  const Type *type = op_result(dot)->type;
  const int beside =
      shape.turned ? LOG2_HALVES : shape.log2_beside + shape.log2_pairs;
  const int64_t rows = type->shape[type->rank - 2] / mma->m;
  const int64_t columns = type->shape[type->rank - 1] / mma->n >> beside;
  const int num_warps = function_num_warps(op_function(dot));
  const bool chained = dot_feeds_dot(dot) || dot_is_fed(dot);
  MmaSpec spec = {.warps_m = 1, .warps_n = 1, .log2_beside = beside};
  while (spec.warps_m * spec.warps_n < num_warps) {
    // A row is twice as long as a column.
    const int64_t high = 2 * rows / spec.warps_m;
    const int64_t wide = columns / spec.warps_n << beside;
    const bool down = chained || high > wide || (shape.wide && high == wide);
    if ((down && high > 2) || wide <= INT64_C(1) << beside) {
      spec.warps_m *= 2;
    } else {
      spec.warps_n *= 2;
    }
  }
  assert(spec.warps_m * spec.warps_n == num_warps && "warps left over"); // I5
  return spec;
}

static MmaSpec share_warps(const Op *dot, const Mma *mma, DotShape shape) {
  const MmaSpec spec = share_tile(dot, mma, shape);
  MmaSpec out = {.warps_m = spec.warps_m,
                 .warps_n = spec.warps_n,
                 .log2_beside = shape.log2_beside,
                 .log2_pairs = shape.log2_pairs,
                 .row_pairs = shape.row_pairs};
  if (!shape.turned) return out;
  const Type *type = op_result(dot)->type;
  const int64_t rows = type->shape[type->rank - 2];
  out.warps_m = spec.warps_n;
  out.warps_n = spec.warps_m;
  out.warp_n = int_at_most(rows, DOT_ROWS);
  return out;
}

// Puts the registers of one instruction side by side, as ldmatrix fills them.
static const Layout *put_rows_first(LayoutTable *table, const Layout *a) {
  Layout key = *a;
  const int k = layout_first_bit(a, LAYOUT_REGISTER) + 1;
  assert(a->num_bits[LAYOUT_REGISTER] > 2 && "no registers to exchange"); // I5
  key.map.column[k] = a->map.column[k + 1];
  key.map.column[k + 1] = a->map.column[k];
  return layout_get(table, &key);
}

// `b` with its register bits in another order: after those of one instruction,
// the bits along columns, then those along rows.  Matrices that ldmatrix reads
// together then share a row of memory.  Rows are swizzled, so another part of a
// row needs another address register, while other rows are at a constant
// distance.
static const Layout *put_columns_first(LayoutTable *table, const Layout *b) {
  enum { OF_INSTRUCTION = 2 }; // two words of two elements
  Layout key = *b;
  const int count = b->num_bits[LAYOUT_REGISTER];
  int to = OF_INSTRUCTION;
  for (int pass = 0; pass < 2; pass++) {
    for (int i = OF_INSTRUCTION; i < count; i++) {
      int64_t at[MAX_RANK];
      layout_coords(b, b->map.column[i], at);
      const bool is_column = at[b->rank - 1] != 0;
      if (is_column == !pass) key.map.column[to++] = b->map.column[i];
    }
  }
  assert((to == count || count < OF_INSTRUCTION) && "a register is lost"); // I5
  return layout_get(table, &key);
}

typedef struct {
  int64_t of[MAX_RANK];
} Sizes;

// Exchanges the last two sizes, if the instruction computes the transpose.
static Sizes sizes_of(const Type *type, bool turned) {
  Sizes sizes;
  const int rank = type->rank;
  for (int i = 0; i < rank; i++) sizes.of[i] = type->shape[i];
  if (!turned) return sizes;
  sizes.of[rank - 2] = type->shape[rank - 1];
  sizes.of[rank - 1] = type->shape[rank - 2];
  return sizes;
}

DotLayouts dot_layouts(const Op *dot, const Mma *mma, DotShape shape) {
  LayoutTable *table = &op_function(dot)->module->layouts;
  const bool turned = shape.turned;
  const Sizes a = sizes_of(op_operand(dot, turned)->type, turned);
  const Sizes b = sizes_of(op_operand(dot, !turned)->type, turned);
  const Sizes c = sizes_of(op_result(dot)->type, turned);
  const MmaSpec spec = share_warps(dot, mma, shape);
  const int bits = elem_info[mma->elem].bits >> shape.log2_packed;
  const int k = mma->k << shape.log2_packed, rank = op_result(dot)->type->rank;
  const Layout *of_a = layout_mma_operand_a(table, rank, a.of, &spec, bits, k);
  const Layout *of_b = layout_mma_operand_b(table, rank, b.of, &spec, bits, k);
  const Layout *sums = layout_mma_accumulator(table, rank, c.of, &spec);
  if (of_a && shape.rows_first) of_a = put_rows_first(table, of_a);
  if (of_b && shape.columns_first) of_b = put_columns_first(table, of_b);
  if (!turned) return (DotLayouts){of_a, of_b, sums};
  return (DotLayouts){layout_turn(table, of_b), layout_turn(table, of_a),
                      layout_turn(table, sums)};
}

bool dot_lanes_fill_sectors(int64_t bytes) {
  enum { SECTOR = 32, LANES_OF_ROW = 4 };
  return LANES_OF_ROW * bytes >= SECTOR;
}
