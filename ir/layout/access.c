// access.c -- vectors, bank conflicts, matrix accesses.
//
// All maps are linear, so that counting means computing ranks: lanes that
// access 2^w words in 2^b banks access 2^(w-b) words in each bank.
//
// Example: 32 lanes read a column of a row-major 32 x 32 tile of words: w is 5,
// b is 0, so 32 words are in one bank, and the access takes 32 passes.
#include "ir/layout_access.h"

#include "ir/layout/parts.h"

#include <assert.h>

enum {
  LOG2_LANES = 5,
  LOG2_WORD = 5,   // bits of a bank's word
  LOG2_VECTOR = 7, // most bits that a thread moves at once
  LOG2_ROW = 7,    // bits of a row of an 8x8 matrix
  LOG2_UNIT = 4,   // bits that stay together in a transposed matrix
  LOG2_PACKED = 5, // bits of one matrix in a lane
  BANK_MASK = 31,
};

static uint32_t bit(int i) {
  return UINT32_C(1) << i;
}

static uint32_t low_bits(int count) {
  return bit(count) - 1;
}

// -- Vectors -----------------------------------------------------------------

// Do the thread bits of the map not affect output bit `i`?
static bool is_clear_of_threads(const LinearMap *map, int num_registers,
                                int i) {
  for (int t = num_registers; t < map->num_in; t++) {
    if (map->column[t] & bit(i)) return false;
  }
  return true;
}

// log2 of the length of runs along output bits [first, first + limit).
static int log2_run(const LinearMap *map, int num_registers, int first,
                    int limit) {
  const uint32_t registers = low_bits(num_registers);
  for (int i = 0; i < limit; i++) {
    uint32_t word;
    if (!is_clear_of_threads(map, num_registers, first + i)) return i;
    if (!linear_solve(map, registers, bit(first + i), &word)) return i;
  }
  return limit;
}

static void list_runs(const LinearMap *map, int num_registers, int first,
                      int log2_width, uint32_t *registers) {
  LinearMap run = {.num_in = log2_width, .num_out = num_registers};
  for (int i = 0; i < log2_width; i++) {
    linear_solve(map, low_bits(num_registers), bit(first + i), &run.column[i]);
  }
  for (uint32_t r = 0; r < bit(num_registers); r++) {
    if (linear_apply(map, r) >> first & low_bits(log2_width)) continue;
    for (uint32_t i = 0; i < bit(log2_width); i++) {
      *registers++ = r ^ linear_apply(&run, i);
    }
  }
}

int layout_axis_bit(const Layout *layout, int axis) {
  assert(axis >= 0 && axis < layout->rank && "no such axis"); // I2
  int first = 0;
  for (int i = axis + 1; i < layout->rank; i++) first += layout->log2_shape[i];
  return first;
}

uint32_t layout_axis_mask(const Layout *layout, int axis) {
  return low_bits(layout->log2_shape[axis]) << layout_axis_bit(layout, axis);
}

int layout_log2_contiguous(const Layout *layout, int axis) {
  return log2_run(&layout->map, layout->num_bits[LAYOUT_REGISTER],
                  layout_axis_bit(layout, axis), layout->log2_shape[axis]);
}

static bool has_lane(const Layout *layout, uint32_t column) {
  const int first = layout_first_bit(layout, LAYOUT_LANE);
  for (int i = 0; i < layout->num_bits[LAYOUT_LANE]; i++)
    if (layout->map.column[first + i] == column) return true;
  return false;
}

// log2 of the length of runs that adjacent lanes of a warp hold.
static int log2_by_lanes(const Layout *layout, int axis) {
  const int first = layout_axis_bit(layout, axis);
  int n = layout_log2_contiguous(layout, axis);
  while (n < layout->log2_shape[axis] && has_lane(layout, bit(first + n))) n++;
  return n;
}

bool layout_is_as_wide(const Layout *layout, const Layout *other) {
  for (int d = 0; d < layout->rank; d++) {
    if (layout_log2_contiguous(layout, d) < layout_log2_contiguous(other, d)) {
      return false;
    }
  }
  return true;
}

bool layout_fills_sectors(const Layout *layout, const Layout *other,
                          int elem_bits) {
  enum { SECTOR_BITS = 256 };
  for (int d = 0; d < layout->rank; d++) {
    const int own = layout_log2_contiguous(layout, d);
    if (own >= layout_log2_contiguous(other, d)) continue;
    if (elem_bits << log2_by_lanes(layout, d) < SECTOR_BITS) return false;
  }
  return true;
}

int layout_log2_filled(const Layout *layout, int axis, int log2_run,
                       int log2_limit) {
  const int first = layout_axis_bit(layout, axis);
  int filled = int_min(log2_run, layout_log2_contiguous(layout, axis));
  filled = int_min(filled, log2_limit);
  const int size = int_min(log2_limit, layout->log2_shape[axis]);
  for (int i = filled; i < size; i++) {
    filled += has_lane(layout, bit(first + i));
  }
  return filled;
}

void layout_vector_registers(const Layout *layout, int axis, int log2_width,
                             uint32_t *registers) {
  assert(log2_width <= layout_log2_contiguous(layout, axis) &&
         "the vector is wider than what a thread holds"); // I5
  list_runs(&layout->map, layout->num_bits[LAYOUT_REGISTER],
            layout_axis_bit(layout, axis), log2_width, registers);
}

// -- Shared memory -----------------------------------------------------------

static bool is_storage_of(const Layout *shared, const Layout *tile) {
  if (!shared->shared || tile->shared || shared->rank != tile->rank) {
    return false;
  }
  for (int i = 0; i < tile->rank; i++) {
    if (shared->log2_shape[i] != tile->log2_shape[i]) return false;
  }
  return layout_is_injective(shared) && layout_is_surjective(shared);
}

bool layout_access(const Layout *tile, const Layout *shared, int elem_bits,
                   SharedAccess *access) {
  const int log2_bits = log2_exact(elem_bits);
  if (log2_bits < 0 || log2_bits > 6) return false;
  if (!is_storage_of(shared, tile)) return false;
  const LinearMap back = linear_inverse(&shared->map);
  *access = (SharedAccess){.tile = tile,
                           .shared = shared,
                           .log2_elem_bits = log2_bits,
                           .offset = linear_compose(&back, &tile->map)};
  const int limit = int_min(LOG2_VECTOR - log2_bits, tile->map.num_out);
  access->log2_vector =
      log2_run(&access->offset, tile->num_bits[LAYOUT_REGISTER], 0, limit);
  return true;
}

void access_vector_registers(const SharedAccess *access, uint32_t *registers) {
  list_runs(&access->offset, access->tile->num_bits[LAYOUT_REGISTER], 0,
            access->log2_vector, registers);
}

// The ranks of the sets of words and banks that some offsets span.
typedef struct {
  Subspace words, banks;
} Banks;

static void add_offset(const SharedAccess *access, Banks *banks,
                       uint32_t offset) {
  const int shift = access->log2_elem_bits - LOG2_WORD;
  const uint32_t word = shift > 0 ? offset << shift : offset >> -shift;
  subspace_add(&banks->words, word);
  subspace_add(&banks->banks, word & BANK_MASK);
}

static int64_t count_conflicts(const Banks *banks) {
  assert(banks->words.rank >= banks->banks.rank && "a word in two banks"); // I6
  return INT64_C(1) << (banks->words.rank - banks->banks.rank);
}

int64_t access_wavefronts(const SharedAccess *access) {
  const Layout *tile = access->tile;
  const int log2_bits = access->log2_vector + access->log2_elem_bits;
  const int lanes = tile->num_bits[LAYOUT_LANE];
  assert(log2_bits <= LOG2_VECTOR && "more than a thread can move"); // I5
  const int together =
      int_min(lanes, LOG2_LANES - int_max(0, log2_bits - LOG2_WORD));
  const uint32_t *const lane =
      access->offset.column + tile->num_bits[LAYOUT_REGISTER];
  Banks banks = {0};
  for (int i = 0; i < together; i++) add_offset(access, &banks, lane[i]);
  for (int i = 0; i < access->log2_vector; i++) {
    add_offset(access, &banks, bit(i));
  }
  return count_conflicts(&banks) << (lanes - together);
}

static int log2_distinct_registers(const SharedAccess *access) {
  Subspace held = {0};
  for (int i = 0; i < access->tile->num_bits[LAYOUT_REGISTER]; i++) {
    subspace_add(&held, access->offset.column[i]);
  }
  return held.rank;
}

int64_t access_cost(const SharedAccess *access) {
  const int log2_count = log2_distinct_registers(access) - access->log2_vector;
  assert(log2_count >= 0 && "a vector is not in registers"); // I5
  return access_wavefronts(access) << log2_count;
}

// For matrix instructions, the parts of a word must be in adjacent registers.
// If they are not, moves put them there, two moves in the time of one pass.
int64_t access_packing(const SharedAccess *access) {
  const int log2_packed =
      int_min(access->log2_vector, LOG2_WORD - access->log2_elem_bits);
  bool as_held = true;
  for (int i = 0; i < log2_packed; i++) {
    as_held &= access->offset.column[i] < bit(log2_packed);
  }
  if (as_held) return 0;
  return INT64_C(1) << int_max(0, log2_distinct_registers(access) -
                                      log2_packed - 1);
}

// -- ldmatrix and stmatrix ---------------------------------------------------

static uint32_t lane_word(const SharedAccess *access, int i) {
  return bit(access->tile->num_bits[LAYOUT_REGISTER] + i);
}

// Do warps, blocks and these lanes start at rows, which are aligned to 16
// bytes?
static bool threads_start_rows(const SharedAccess *access, int first_lane,
                               int end_lane) {
  const Layout *tile = access->tile;
  const uint32_t inside = low_bits(LOG2_ROW - access->log2_elem_bits);
  const int registers = tile->num_bits[LAYOUT_REGISTER];
  for (int i = registers; i < tile->map.num_in; i++) {
    const int lane = i - registers;
    if (lane < first_lane || (lane >= end_lane && lane < LOG2_LANES)) continue;
    if (access->offset.column[i] & inside) return false;
  }
  return true;
}

// Are lanes from `first` on consecutive units of a row, of 2^log2_unit
// elements?
static bool lanes_fill_row(const SharedAccess *access, int first, int count,
                           int log2_unit) {
  for (int i = 0; i < count; i++) {
    const uint32_t offset = access_offset(access, lane_word(access, first + i));
    if (offset != bit(log2_unit + i)) return false;
  }
  return true;
}

// Register bit `i`, adjusted by the registers of the lowest 2^count elements of
// a word so that it is aligned.
static uint32_t aligned_register(const SharedAccess *access,
                                 const MatrixAccess *matrix, int count, int i) {
  uint32_t word = bit(i);
  for (int j = 0; j < count; j++) {
    if (access->offset.column[i] >> j & 1) word ^= matrix->packed[j];
  }
  return word;
}

// The registers beyond packed[] select the matrix.  These matrices must start
// rows, after alignment by the registers of the lowest 2^aligned elements.
static bool list_matrices(const SharedAccess *access, int aligned,
                          MatrixAccess *matrix) {
  const uint32_t inside = low_bits(LOG2_ROW - access->log2_elem_bits);
  Subspace held = {0};
  for (int i = 0; i < matrix->num_packed; i++) {
    subspace_add(&held, access_offset(access, matrix->packed[i]));
  }
  for (int i = 0; i < access->tile->num_bits[LAYOUT_REGISTER]; i++) {
    const uint32_t word = aligned_register(access, matrix, aligned, i);
    if (access_offset(access, word) & inside) return false;
    if (!subspace_add(&held, access_offset(access, word))) continue;
    assert(matrix->num_matrix < LINEAR_MAX && held.rank <= LINEAR_MAX); // I6
    matrix->matrix[matrix->num_matrix++] = word;
  }
  return true;
}

// Finds the registers of the lowest 2^count elements.
static bool find_lowest(const SharedAccess *access, int count,
                        MatrixAccess *matrix) {
  const uint32_t registers = low_bits(access->tile->num_bits[LAYOUT_REGISTER]);
  for (int i = 0; i < count; i++) {
    if (!linear_solve(&access->offset, registers, bit(i), &matrix->packed[i])) {
      return false;
    }
  }
  return true;
}

static bool as_plain(const SharedAccess *access, MatrixAccess *matrix) {
  const int packed = LOG2_PACKED - access->log2_elem_bits;
  if (packed < 0) return false;
  *matrix = (MatrixAccess){.num_packed = packed};
  if (!find_lowest(access, packed, matrix)) return false;
  for (int i = 0; i < 3; i++) matrix->row[i] = lane_word(access, 2 + i);
  return lanes_fill_row(access, 0, 2, packed) &&
         threads_start_rows(access, 2, 5) &&
         list_matrices(access, packed, matrix);
}

// The first register that starts another row; 0 if there is none.
static uint32_t next_row(const SharedAccess *access, const MatrixAccess *matrix,
                         int aligned) {
  const uint32_t inside = low_bits(LOG2_ROW - access->log2_elem_bits);
  for (int i = 0; i < access->tile->num_bits[LAYOUT_REGISTER]; i++) {
    const uint32_t word = aligned_register(access, matrix, aligned, i);
    const uint32_t offset = access_offset(access, word);
    if (offset && !(offset & inside)) return word;
  }
  return 0;
}

// For a transposed access: a lane holds the same 16 bits of two rows, selected
// by registers.
static bool as_transposed(const SharedAccess *access, MatrixAccess *matrix) {
  const int unit = LOG2_UNIT - access->log2_elem_bits;
  if (unit < 0) return false;
  *matrix = (MatrixAccess){.transposed = true, .num_packed = unit + 1};
  if (!find_lowest(access, unit, matrix)) return false;
  matrix->row[0] = matrix->packed[unit] = next_row(access, matrix, unit);
  matrix->row[1] = lane_word(access, 0);
  matrix->row[2] = lane_word(access, 1);
  return matrix->row[0] && lanes_fill_row(access, 2, 3, unit) &&
         threads_start_rows(access, 0, 2) &&
         list_matrices(access, unit, matrix);
}

bool access_as_matrix(const SharedAccess *access, MatrixAccess *matrix) {
  if (access->tile->num_bits[LAYOUT_LANE] != LOG2_LANES) return false;
  return as_plain(access, matrix) || as_transposed(access, matrix);
}

int64_t access_matrix_cost(const SharedAccess *access,
                           const MatrixAccess *matrix) {
  Banks banks = {0};
  for (int i = 0; i < 3; i++) {
    add_offset(access, &banks, access_offset(access, matrix->row[i]));
  }
  for (int i = 0; i < LOG2_ROW - access->log2_elem_bits; i++) {
    add_offset(access, &banks, bit(i));
  }
  return count_conflicts(&banks) << matrix->num_matrix;
}

int64_t layout_use_cost(const SharedUse *use, const Layout *shared,
                        int elem_bits) {
  SharedAccess access;
  MatrixAccess matrix;
  if (!layout_access(use->tile, shared, elem_bits, &access)) return INT64_MAX;
  const int64_t cost = access_cost(&access) + access_packing(&access);
  if (!use->matrix || !access_as_matrix(&access, &matrix)) return cost;
  const int64_t as_matrix = access_matrix_cost(&access, &matrix);
  return as_matrix < cost ? as_matrix : cost;
}
