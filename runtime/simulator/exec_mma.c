// exec_mma.c -- mma.sync.
//
// One rule places the elements of every shape (the figures of the manual agree
// with it, see tests/sim): with `e` elements in a 32-bit register, group
// g = lane / 4 and t = lane % 4,
//
//   A register r   row g + 8 (r mod 2), columns 4e (r / 2) + e t ...
//   B register r   rows 4e r + e t ..., column g
//   C value i      row g + 8 (i / 2), column 2 t + i mod 2
//
// Of a sparse A the registers hold half of the columns in this way, and its
// metadata says which (exec_mma_sparse.c).
//
// Products are exact and summed in double; the sum is rounded once, which is
// at least as exact as the hardware.
#include <fenv.h>
#include <string.h>

#include "runtime/simulator/lanes.h"
#include "runtime/simulator/mma.h"
#include "runtime/simulator/number.h"
#include "runtime/simulator/order.h"

enum { MAX_M = 16, N = 8, MAX_K = MAX_MMA_K };

typedef struct {
  WordId word;
  uint16_t m, k;
} Shape;

static const Shape shapes[] = {
    {WORD_M8N8K4, 8, 4},       {WORD_M8N8K16, 8, 16},
    {WORD_M8N8K32, 8, 32},     {WORD_M8N8K128, 8, 128},
    {WORD_M16N8K4, 16, 4},     {WORD_M16N8K8, 16, 8},
    {WORD_M16N8K16, 16, 16},   {WORD_M16N8K32, 16, 32},
    {WORD_M16N8K64, 16, 64},   {WORD_M16N8K128, 16, 128},
    {WORD_M16N8K256, 16, 256},
};

static const Shape *find_shape(WordId word) {
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
    if (shapes[i].word == word) return &shapes[i];
  }
  return NULL;
}

uint32_t mma_element_bits(TypeId type) {
  if (type == TYPE_B1) return 1;
  if (type == TYPE_S4 || type == TYPE_U4) return 4;
  return type_table[type].bytes * 8u;
}

static uint32_t element(const Warp *warp, uint32_t offset, int lane,
                        uint32_t bits, uint32_t j) {
  const uint32_t *words = reg(warp, offset);
  const uint32_t value = words[lane] >> (j * bits);
  return bits == 32 ? value : value & ((1u << bits) - 1);
}

// -- Floats ------------------------------------------------------------------

enum { MAX_FLOAT_K = 64 };

// Two columns, which the host multiplies at once; a row of B, of the result.
typedef double Pair __attribute__((vector_size(16)));
enum { PAIRS = N / 2 };
typedef union {
  Pair pairs[PAIRS];
  double at[N];
} Row;

typedef struct {
  double a[MAX_M][MAX_FLOAT_K];
  Row b[MAX_FLOAT_K];
} FloatTiles;

float mma_to_float(TypeId type, uint32_t bits) {
  switch (type) {
  case TYPE_F16: return half_to_float((uint16_t)bits);
  case TYPE_BF16: return bfloat_to_float((uint16_t)bits);
  // The hardware does not look at the last 13 bits.
  case TYPE_TF32: return float_from_bits(bits & 0xffffe000);
  default: return (float)format_decode(format_of(type), bits);
  }
}

// Columns of A that are in the registers.
static uint32_t held_columns(const Inst *inst, const Shape *shape) {
  return inst->is_sparse ? shape->k / 2u : shape->k;
}

static uint32_t registers_of(uint32_t rows, uint32_t k, uint32_t bits) {
  return rows * k * bits / (32 * LANES);
}

// Element j of each lane's register.
static void convert_lanes(const Warp *warp, uint32_t offset, TypeId type,
                          uint32_t j, float out[LANES]) {
  const uint32_t bits = mma_element_bits(type), shift = j * bits;
  const uint32_t *words = reg(warp, offset);
  switch (type) {
  case TYPE_F16:
    for (int lane = 0; lane < LANES; lane++)
      out[lane] = half_to_float((uint16_t)(words[lane] >> shift));
    break;
  case TYPE_BF16:
    for (int lane = 0; lane < LANES; lane++)
      out[lane] = bfloat_to_float((uint16_t)(words[lane] >> shift));
    break;
  default:
    for (int lane = 0; lane < LANES; lane++)
      out[lane] = mma_to_float(type, element(warp, offset, lane, bits, j));
  }
}

// The elements j of a register: of A from `row` on, or of B.
static void place_a(FloatTiles *tiles, const float values[LANES], uint32_t row,
                    uint32_t k, uint32_t e) {
  for (uint32_t g = 0; g < LANES / 4; g++) {
    double *to = tiles->a[row + g] + k;
    for (uint32_t t = 0; t < 4; t++) to[t * e] = (double)values[g * 4 + t];
  }
}

static void place_b(FloatTiles *tiles, const float values[LANES], uint32_t k,
                    uint32_t e) {
  for (uint32_t t = 0; t < 4; t++) {
    double *to = tiles->b[k + t * e].at;
    for (uint32_t g = 0; g < N; g++) to[g] = (double)values[g * 4 + t];
  }
}

static void gather_floats(const Warp *warp, const Inst *inst,
                          const Shape *shape, FloatTiles *tiles) {
  const TypeId type = (TypeId)inst->type2;
  const uint32_t bits = mma_element_bits(type), e = 32 / bits;
  const uint32_t num_a =
      registers_of(shape->m, held_columns(inst, shape), bits);
  const uint32_t num_b = registers_of(N, shape->k, bits);
  const uint32_t *a = inst->op + inst->num_dst, *b = a + num_a;
  float values[LANES];
  for (uint32_t i = 0; i < num_a * e; i++) {
    const uint32_t r = i / e, j = i % e;
    convert_lanes(warp, a[r], type, j, values);
    place_a(tiles, values, 8 * (r % 2), r / 2 * 4 * e + j, e);
  }
  for (uint32_t i = 0; i < num_b * e; i++) {
    const uint32_t r = i / e, j = i % e;
    convert_lanes(warp, b[r], (TypeId)inst->type3, j, values);
    place_b(tiles, values, r * 4 * e + j, e);
  }
}

// One row of the product, its terms in the order of k.
static void multiply_row(const double *a, const Row *b, uint32_t k,
                         Row *result) {
  Pair sums[PAIRS] = {{0}};
  for (uint32_t i = 0; i < k; i++) {
    const Pair both = {a[i], a[i]};
    for (int p = 0; p < PAIRS; p++) sums[p] += both * b[i].pairs[p];
  }
  memcpy(result, sums, sizeof sums);
}

// Value i of the lane lies in row g + 8 (i / 2), column 2 t + i mod 2.
static double *result_at(Row sums[], int lane, int i) {
  return &sums[lane / 4 + 8 * (i / 2)].at[lane % 4 * 2 + i % 2];
}

static void add_start(const Warp *warp, const Inst *inst, Row sums[]) {
  const bool half = inst->sub;
  const uint32_t *c = inst->op + inst->num_ops - (half ? 2 : 4);
  for (int i = 0; i < 4; i++) {
    const uint16_t *narrow = reg(warp, c[half ? i / 2 : 0]);
    const float *wide = reg(warp, c[half ? 0 : i]);
    for (int lane = 0; lane < LANES; lane++) {
      double *sum = result_at(sums, lane, i);
      const float start =
          half ? half_to_float(narrow[lane * 2 + i % 2]) : wide[lane];
      *sum = (double)start + *sum;
    }
  }
}

static void float_result(const Warp *warp, const Inst *inst, Row sums[]) {
  const Format *half = format_of(TYPE_F16);
  for (int i = 0; i < 4; i++) {
    const bool is_half = inst->type == TYPE_F16;
    uint16_t *narrow = reg(warp, inst->op[is_half ? i / 2 : 0]);
    float *wide = reg(warp, inst->op[is_half ? 0 : i]);
    for (int lane = 0; lane < LANES; lane++) {
      const double out = *result_at(sums, lane, i);
      if (is_half)
        narrow[lane * 2 + i % 2] =
            (uint16_t)format_encode(half, out, WORD_RN, false);
      else
        wide[lane] = out != out ? float_from_bits(CANONICAL_NAN) : (float)out;
    }
  }
}

bool whole_warp(Warp *warp, const Inst *inst, uint32_t mask, Step *step) {
  *step = STEP_BLOCK;
  if (!warp_converged(warp, mask, ALL_LANES)) return false;
  order_sync(warp, mask);
  if (mask == ALL_LANES) return true;
  *step = report(warp, inst, __builtin_ctz(mask), KIND_BARRIER_DIVERGENCE,
                 "lanes 0x%08x of the warp have exited", ~mask);
  return false;
}

static bool spread_float_row(Warp *warp, const Inst *inst, FloatTiles *tiles,
                             int row, uint32_t k) {
  uint16_t column[MAX_K];
  double held[MAX_FLOAT_K], *a = tiles->a[row];
  if (!sparse_columns(warp, inst, row, k, column)) return false;
  memcpy(held, a, k / 2 * sizeof *held);
  memset(a, 0, k * sizeof *a);
  for (uint32_t i = 0; i < k / 2; i++) a[column[i]] = held[i];
  return true;
}

static Step exec_float_mma(Warp *warp, const Inst *inst, uint32_t mask) {
  Step step;
  FloatTiles tiles;
  Row sums[MAX_M];
  const Shape *shape = find_shape((WordId)inst->shape);
  if (!whole_warp(warp, inst, mask, &step)) return step;
  gather_floats(warp, inst, shape, &tiles);
  for (int row = 0; inst->is_sparse && row < MAX_M; row++)
    if (!spread_float_row(warp, inst, &tiles, row, shape->k)) return STEP_FAULT;
  for (int row = 0; row < MAX_M; row++)
    multiply_row(tiles.a[row], tiles.b, shape->k, &sums[row]);
  add_start(warp, inst, sums);
  float_result(warp, inst, sums);
  return STEP_NEXT;
}

// m8n8k4 of f64: one value of A and B each, two of C.
static Step exec_double_mma(Warp *warp, const Inst *inst, uint32_t mask) {
  Step step;
  double a[8][4], b[8][4], out[2][LANES];
  if (!whole_warp(warp, inst, mask, &step)) return step;
  const double *x = reg(warp, inst->op[2]), *y = reg(warp, inst->op[3]);
  for (int lane = 0; lane < LANES; lane++) {
    a[lane / 4][lane % 4] = x[lane];
    b[lane / 4][lane % 4] = y[lane];
  }
  fesetround(host_round((WordId)inst->round));
  for (int i = 0; i < 2; i++) {
    const double *c = reg(warp, inst->op[4 + i]);
    for (int lane = 0; lane < LANES; lane++) {
      const double *row = a[lane / 4], *column = b[lane % 4 * 2 + i];
      double sum = c[lane];
      for (int k = 0; k < 4; k++) sum = fma_in_mode(row[k], column[k], sum);
      out[i][lane] = sum;
    }
  }
  fesetround(FE_TONEAREST);
  for (int i = 0; i < 2; i++)
    memcpy(reg(warp, inst->op[i]), out[i], sizeof out[i]);
  return STEP_NEXT;
}

// -- Integers, bits ----------------------------------------------------------

typedef struct {
  int16_t a[MAX_M][MAX_K], b[N][MAX_K];
} IntTiles;

int16_t mma_to_int(TypeId type, uint32_t bits) {
  if (type == TYPE_S8) return (int8_t)bits;
  if (type == TYPE_S4) return (int16_t)((int)(bits ^ 8) - 8);
  return (int16_t)bits;
}

static void gather_int_a(const Warp *warp, const Inst *inst, const Shape *shape,
                         IntTiles *tiles) {
  const TypeId type = (TypeId)inst->type2;
  const uint32_t bits = mma_element_bits(type), e = 32 / bits;
  const uint32_t count =
      registers_of(shape->m, held_columns(inst, shape), bits);
  const uint32_t *a = inst->op + inst->num_dst, halves = shape->m / 8;
  for (uint32_t i = 0; i < count * LANES * e; i++) {
    const uint32_t r = i / (LANES * e), j = i % e;
    const int lane = (int)(i / e % LANES), g = lane / 4;
    const uint32_t k = r / halves * 4 * e + (uint32_t)(lane % 4) * e + j;
    tiles->a[g + 8 * (int)(r % halves)][k] =
        mma_to_int(type, element(warp, a[r], lane, bits, j));
  }
}

static void gather_int_b(const Warp *warp, const Inst *inst, const Shape *shape,
                         IntTiles *tiles) {
  const TypeId type = (TypeId)inst->sub;
  const uint32_t bits = mma_element_bits(type), e = 32 / bits;
  const uint32_t count = registers_of(N, shape->k, bits);
  const uint32_t *b = inst->op + inst->num_dst +
                      registers_of(shape->m, held_columns(inst, shape), bits);
  for (uint32_t i = 0; i < count * LANES * e; i++) {
    const uint32_t r = i / (LANES * e), j = i % e;
    const int lane = (int)(i / e % LANES);
    const uint32_t k = r * 4 * e + (uint32_t)(lane % 4) * e + j;
    tiles->b[lane / 4][k] =
        mma_to_int(type, element(warp, b[r], lane, bits, j));
  }
}

static bool spread_int_row(Warp *warp, const Inst *inst, IntTiles *tiles,
                           int row, uint32_t k) {
  uint16_t column[MAX_K];
  int16_t held[MAX_K], *a = tiles->a[row];
  if (!sparse_columns(warp, inst, row, k, column)) return false;
  memcpy(held, a, k / 2 * sizeof *held);
  memset(a, 0, k * sizeof *a);
  for (uint32_t i = 0; i < k / 2; i++) a[column[i]] = held[i];
  return true;
}

static int64_t int_dot(const Inst *inst, const int16_t *a, const int16_t *b,
                       uint32_t k) {
  int64_t sum = 0;
  if (inst->type2 != TYPE_B1) {
    for (uint32_t i = 0; i < k; i++) sum += a[i] * b[i];
  } else if (inst->bool_op == WORD_XOR) {
    for (uint32_t i = 0; i < k; i++) sum += a[i] ^ b[i];
  } else {
    for (uint32_t i = 0; i < k; i++) sum += a[i] & b[i];
  }
  return sum;
}

static Step exec_int_mma(Warp *warp, const Inst *inst, uint32_t mask) {
  Step step;
  IntTiles tiles;
  const Shape *shape = find_shape((WordId)inst->shape);
  if (!whole_warp(warp, inst, mask, &step)) return step;
  gather_int_a(warp, inst, shape, &tiles);
  gather_int_b(warp, inst, shape, &tiles);
  for (int row = 0; inst->is_sparse && row < MAX_M; row++)
    if (!spread_int_row(warp, inst, &tiles, row, shape->k)) return STEP_FAULT;
  const int n = inst->num_dst;
  const uint32_t *c = inst->op + inst->num_ops - n;
  for (int i = 0; i < n; i++) {
    int32_t *d = reg(warp, inst->op[i]);
    const int32_t *start = reg(warp, c[i]);
    for (int lane = 0; lane < LANES; lane++) {
      const int row = lane / 4 + 8 * (i / 2), column = lane % 4 * 2 + i % 2;
      int64_t sum =
          start[lane] + int_dot(inst, tiles.a[row], tiles.b[column], shape->k);
      if (inst->sat && sum > INT32_MAX) sum = INT32_MAX;
      if (inst->sat && sum < INT32_MIN) sum = INT32_MIN;
      d[lane] = (int32_t)(uint32_t)(uint64_t)sum;
    }
  }
  return STEP_NEXT;
}

// -- Forms -------------------------------------------------------------------

static bool has_shape(TypeId a, WordId shape) {
  switch (a) {
  case TYPE_F16:
    return shape == WORD_M8N8K4 || shape == WORD_M16N8K8 ||
           shape == WORD_M16N8K16;
  case TYPE_BF16: return shape == WORD_M16N8K8 || shape == WORD_M16N8K16;
  case TYPE_TF32: return shape == WORD_M16N8K4 || shape == WORD_M16N8K8;
  case TYPE_E4M3:
  case TYPE_E5M2: return shape == WORD_M16N8K32 || shape == WORD_M16N8K16;
  case TYPE_S8:
  case TYPE_U8:
    return shape == WORD_M8N8K16 || shape == WORD_M16N8K16 ||
           shape == WORD_M16N8K32;
  case TYPE_S4:
  case TYPE_U4:
    return shape == WORD_M8N8K32 || shape == WORD_M16N8K32 ||
           shape == WORD_M16N8K64;
  case TYPE_B1:
    return shape == WORD_M8N8K128 || shape == WORD_M16N8K128 ||
           shape == WORD_M16N8K256;
  case TYPE_F64: return shape == WORD_M8N8K4;
  default: return false;
  }
}

static ExecFn pick_floats(const Form *form, Inst *inst, const Shape *shape) {
  const TypeId d = (TypeId)form->types[0], a = (TypeId)form->types[1];
  const TypeId b = (TypeId)form->types[2], c = (TypeId)form->types[3];
  const bool is_fp8 = a == TYPE_E4M3 || a == TYPE_E5M2;
  const bool b_ok = is_fp8 ? b == TYPE_E4M3 || b == TYPE_E5M2 : a == b;
  const bool half_ok = a == TYPE_F16 || is_fp8;
  const bool wants_f32 = is_fp8 && inst->is_sparse;
  if (!b_ok || inst->reg_size != 4 || WORD_OF(form, SATFINITE) || d != c ||
      (wants_f32 && d != TYPE_F32))
    return NULL;
  if (d != TYPE_F32 && !(d == TYPE_F16 && half_ok)) return NULL;
  inst->sub = c == TYPE_F16;
  const uint32_t bits = mma_element_bits(a);
  const uint32_t wanted =
      (d == TYPE_F16 ? 2 : 4) + (c == TYPE_F16 ? 2u : 4u) +
      registers_of(shape->m, held_columns(inst, shape), bits) +
      registers_of(N, shape->k, bits);
  return inst->num_ops == wanted ? exec_float_mma : NULL;
}

static ExecFn pick_ints(const Form *form, Inst *inst, const Shape *shape) {
  const TypeId a = (TypeId)form->types[1], b = (TypeId)form->types[2];
  const uint32_t bits = mma_element_bits(a);
  const WordId op = WORD_OF(form, OP);
  const bool is_bits = a == TYPE_B1;
  if (form->types[0] != TYPE_S32 || form->types[3] != TYPE_S32 ||
      mma_element_bits(b) != bits || inst->reg_size != 4 ||
      (is_bits && WORD_OF(form, SATFINITE)) ||
      is_bits != (op == WORD_XOR || op == WORD_AND) ||
      is_bits != (WORD_OF(form, MODE) == WORD_POPC))
    return NULL;
  inst->sat = WORD_OF(form, SATFINITE) != WORD_NONE;
  inst->sub = (uint8_t)b;
  const uint32_t wanted =
      shape->m / 4u * 2 +
      registers_of(shape->m, held_columns(inst, shape), bits) +
      registers_of(N, shape->k, bits);
  return inst->num_ops == wanted && inst->num_dst == shape->m / 4 ? exec_int_mma
                                                                  : NULL;
}

ExecFn pick_mma(const Form *form, Inst *inst) {
  const TypeId a = (TypeId)form->types[1];
  const Shape *shape = find_shape(WORD_OF(form, SHAPE));
  const bool sparse = WORD_OF(form, GROUP);
  if (WORD_OF(form, ROUND) && a != TYPE_F64) return NULL;
  if (!shape || sparse || !has_shape(a, shape->word) || !WORD_OF(form, SYNC) ||
      !WORD_OF(form, ALIGNED) || !WORD_OF(form, LAYOUT_A) ||
      !WORD_OF(form, LAYOUT_B))
    return NULL;
  if (a == TYPE_F16 && shape->word == WORD_M8N8K4)
    return pick_mma_quads(form, inst);
  if (WORD_OF(form, LAYOUT_A) != WORD_ROW ||
      WORD_OF(form, LAYOUT_B) != WORD_COL)
    return NULL;
  if (a == TYPE_F64)
    return form->types[0] == a && form->types[2] == a && form->types[3] == a &&
                   inst->num_ops == 6 && inst->reg_size == 8 &&
                   !WORD_OF(form, SATFINITE)
               ? exec_double_mma
               : NULL;
  return type_table[a].class == CLASS_FLOAT ? pick_floats(form, inst, shape)
                                            : pick_ints(form, inst, shape);
}

// With the metadata as the last operand.
ExecFn pick_mma_sparse(const Form *form, Inst *inst) {
  const TypeId a = (TypeId)form->types[1];
  const Shape *shape = find_shape(WORD_OF(form, SHAPE));
  inst->is_sparse = true;
  inst->mode = (uint8_t)WORD_OF(form, GROUP);
  inst->num_ops--;
  if (a == TYPE_F32 || a == TYPE_S32) return NULL;
  if (!shape || !WORD_OF(form, GROUP) || !WORD_OF(form, SYNC) ||
      !WORD_OF(form, ALIGNED) || WORD_OF(form, LAYOUT_A) != WORD_ROW ||
      WORD_OF(form, LAYOUT_B) != WORD_COL ||
      !sparse_fits(form, inst, shape->m, shape->k))
    return NULL;
  return type_table[a].class == CLASS_FLOAT ? pick_floats(form, inst, shape)
                                            : pick_ints(form, inst, shape);
}
