// wgmma_operand.c -- converts the operands of wgmma to floats.
//
// A descriptor places atoms of ATOM_BYTES: of one row if k is adjacent, else of
// as many rows as fit, all of one k.
//
// With adjacent k and a swizzle of 128 bytes, the eight f16 of row r that begin
// at k = 8 j are the atom at
//
//     start + r / 8 * stride + r % 8 * 128 + 16 (j ^ r % 8)
#include <assert.h>
#include <string.h>

#include "runtime/simulator/matrix/mma.h"
#include "runtime/simulator/matrix/wgmma.h"
#include "runtime/simulator/number/number.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

enum { MAX_ROW_BYTES = 64 };

// -- Descriptors -------------------------------------------------------------

WgmmaMatrix wgmma_matrix(uint64_t descriptor, bool is_transposed,
                         uint32_t num_rows, uint32_t num_bytes) {
  static const uint8_t parts[] = {0, 3, 2, 1};
  return (WgmmaMatrix){
      .start = (uint32_t)(descriptor & 0x3fff) * ATOM_BYTES,
      .leading = (uint32_t)(descriptor >> 16 & 0x3fff) * ATOM_BYTES,
      .stride = (uint32_t)(descriptor >> 32 & 0x3fff) * ATOM_BYTES,
      .parts = parts[descriptor >> 62],
      .shift = (uint32_t)(descriptor >> 49 & 7),
      .is_transposed = is_transposed,
      .num_rows = num_rows,
      .num_bytes = num_bytes};
}

// -- Bytes -------------------------------------------------------------------

typedef uint8_t RowBytes[MAX_ROW_BYTES];

static void gather_rows(const Cta *cta, const WgmmaMatrix *matrix,
                        RowBytes *rows) {
  const uint32_t across = matrix_across(matrix);
  for (uint32_t row = 0; row < matrix->num_rows; row++)
    for (uint32_t i = 0; i < across; i++)
      memcpy(rows[row] + i * ATOM_BYTES,
             cta->shared + matrix_place(matrix, row, i), ATOM_BYTES);
}

// Elements of 16 bits; a line has all rows of one k.
static void gather_transposed(const Cta *cta, const WgmmaMatrix *matrix,
                              RowBytes *rows) {
  for (uint32_t k = 0; k < matrix_lines(matrix); k++) {
    for (uint32_t i = 0; i < matrix_across(matrix); i++) {
      const uint8_t *atom = cta->shared + matrix_place(matrix, k, i);
      for (uint32_t j = 0; j < 8; j++)
        memcpy(rows[8 * i + j] + 2 * k, atom + 2 * j, 2);
    }
  }
}

static void gather(const Cta *cta, const WgmmaMatrix *matrix, RowBytes *rows) {
  (matrix->is_transposed ? gather_transposed : gather_rows)(cta, matrix, rows);
}

// Register r of a lane has row 8 (r mod 2) and the four bytes 16 (r / 2) + 4 t.
static void gather_registers(const Wgmma *wgmma, RowBytes *rows) {
  for (uint32_t i = 0; i < GROUP_WARPS * 4 * LANES; i++) {
    const uint32_t warp = i / (4 * LANES), r = i / LANES % 4, lane = i % LANES;
    const uint32_t *words = wgmma->taken->a[warp][r];
    memcpy(rows[16 * warp + 8 * (r % 2) + lane / 4] + 16 * (r / 2) +
               lane % 4 * 4,
           &words[lane], 4);
  }
}

// -- Floats ------------------------------------------------------------------

uint32_t wgmma_row_elements(const Inst *inst) {
  return wgmma_row_bytes(inst) * 8 / mma_element_bits((TypeId)inst->type2);
}

uint32_t wgmma_row_bytes(const Inst *inst) {
  return inst->is_sparse ? 2 * WGMMA_A_BYTES : WGMMA_A_BYTES;
}

static float element_of(TypeId type, uint32_t bits) {
  switch (type) {
  case TYPE_S8: return (float)(int8_t)bits;
  case TYPE_U8:
  case TYPE_B1: return (float)bits;
  default: return mma_to_float(type, bits);
  }
}

// Elements of a byte or less, by their bits.
static void fill_table(TypeId type, float table[256]) {
  const uint32_t bits = mma_element_bits(type);
  for (uint32_t i = 0; bits <= 8 && i < 1u << bits; i++)
    table[i] = element_of(type, i);
}

static void convert_any(const uint16_t *halves, uint32_t count, float *out) {
  for (uint32_t i = 0; i < count; i++) out[i] = half_to_float(halves[i]);
}

#ifdef __x86_64__

// Converts eight elements at once.
__attribute__((target("avx,f16c"))) static void
convert_wide(const uint16_t *halves, uint32_t count, float *out) {
  for (uint32_t i = 0; i < count; i += 8) {
    const __m128i eight =
        _mm_loadu_si128((const __m128i *)(const void *)(halves + i));
    _mm256_storeu_ps(out + i, _mm256_cvtph_ps(eight));
  }
}

// Processors with AVX2 have F16C, a name that clang 14 does not know here.
static void convert_halves(const uint16_t *halves, uint32_t count, float *out) {
  (__builtin_cpu_supports("avx2") ? convert_wide : convert_any)(halves, count,
                                                                out);
}

#else

static void convert_halves(const uint16_t *halves, uint32_t count, float *out) {
  convert_any(halves, count, out);
}

#endif

static void convert_row(TypeId type, const uint8_t *row, const float *table,
                        uint32_t from, uint32_t count, float *out) {
  uint16_t halves[MAX_ROW_BYTES / 2];
  uint32_t words[MAX_ROW_BYTES / 4];
  switch (mma_element_bits(type)) {
  case 32:
    memcpy(words, row, sizeof words);
    for (uint32_t i = 0; i < count; i++)
      out[i] = mma_to_float(type, words[from + i]);
    return;
  case 16:
    memcpy(halves, row, sizeof halves);
    if (type == TYPE_F16)
      convert_halves(halves + from, count, out);
    else
      for (uint32_t i = 0; i < count; i++)
        out[i] = bfloat_to_float(halves[from + i]);
    return;
  case 8:
    for (uint32_t i = 0; i < count; i++) out[i] = table[row[from + i]];
    return;
  default:
    for (uint32_t i = 0; i < count; i++)
      out[i] = table[row[(from + i) / 8] >> (from + i) % 8 & 1];
  }
}

// Element `from + i` of the row of a sparse A, or zero if it has none.
static void spread_row(const Warp *warps, const Wgmma *wgmma, uint32_t row,
                       const float *held, uint32_t from, uint32_t count,
                       float *out, bool *is_held) {
  uint16_t columns[MAX_WGMMA_K];
  const Inst *inst = wgmma->inst;
  const uint32_t k = wgmma_row_elements(inst);
  const Warp *warp = &warps[row / 16];
  const uint32_t *metadata = wgmma->taken->metadata[row / 16];
  memset(out, 0, count * sizeof *out);
  memset(is_held, 0, count * sizeof *is_held);
  if (!sparse_columns(warp, inst, metadata, (int)row % 16, k, columns)) return;
  for (uint32_t i = 0; i < k / 2; i++) {
    const uint32_t at = columns[i] - from;
    if (at >= count) continue;
    out[at] = held[i];
    is_held[at] = true;
  }
}

static void unpack_row(const Warp *warps, const Wgmma *wgmma, uint32_t row,
                       const uint8_t *bytes, const float *table, uint32_t from,
                       uint32_t count, WgmmaPanels *panels) {
  const Inst *inst = wgmma->inst;
  float values[MAX_WGMMA_K], held[MAX_WGMMA_K];
  bool is_held[MAX_WGMMA_K];
  const TypeId type = (TypeId)inst->type2;
  const float sign = inst->sub & WGMMA_NEGATED ? -1.0F : 1.0F;
  if (inst->is_sparse) {
    convert_row(type, bytes, table, 0, wgmma_row_elements(inst) / 2, held);
    spread_row(warps, wgmma, row, held, from, count, values, is_held);
    for (uint32_t i = 0; i < count; i++) panels->held[i][row] = is_held[i];
  } else {
    convert_row(type, bytes, table, from, count, values);
  }
  for (uint32_t i = 0; i < count; i++) {
    float *to = &panels->a[i][row / 8][row % 8 * 4];
    const float value = sign * values[i];
    to[0] = to[1] = to[2] = to[3] = value;
  }
}

void wgmma_unpack_a(const Cta *cta, const Warp *warps, const Wgmma *wgmma,
                    uint32_t from, uint32_t count, WgmmaPanels *panels) {
  RowBytes rows[WGMMA_ROWS];
  float table[256];
  const Inst *inst = wgmma->inst;
  const WgmmaMatrix matrix = wgmma_matrix(wgmma->a, inst->sub & WGMMA_TRANS_A,
                                          WGMMA_ROWS, WGMMA_A_BYTES);
  if (inst->sub & WGMMA_A_HELD)
    gather_registers(wgmma, rows);
  else
    gather(cta, &matrix, rows);
  fill_table((TypeId)inst->type2, table);
  for (uint32_t row = 0; row < WGMMA_ROWS; row++)
    unpack_row(warps, wgmma, row, rows[row], table, from, count, panels);
}

void wgmma_unpack_b(const Cta *cta, const Wgmma *wgmma, uint32_t from,
                    uint32_t count, WgmmaPanels *panels) {
  RowBytes rows[MAX_WGMMA_COLUMNS];
  float table[256], values[MAX_WGMMA_K];
  const Inst *inst = wgmma->inst;
  const TypeId type = (TypeId)inst->type3;
  const uint32_t columns = inst->columns;
  assert(columns <= MAX_WGMMA_COLUMNS && "more columns than `rows` has"); // I4
  const WgmmaMatrix matrix = wgmma_matrix(wgmma->b, inst->sub & WGMMA_TRANS_B,
                                          columns, wgmma_row_bytes(inst));
  gather(cta, &matrix, rows);
  fill_table(type, table);
  for (uint32_t n = 0; n < columns; n++) {
    float *to = panels->b + n / 8 * 8 + n % 2 * 4 + n % 8 / 2;
    convert_row(type, rows[n], table, from, count, values);
    for (uint32_t i = 0; i < count; i++) to[i * columns] = values[i];
  }
}
