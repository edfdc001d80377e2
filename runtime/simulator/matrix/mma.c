// mma.c -- mma.sync.
//
// One rule places the elements of every shape (the figures of the manual agree
// with it, see tests/sim): with `e` elements in a 32-bit register, group
// g = lane / 4 and t = lane % 4,
//
//   A register r   row g + 8 (r mod 2), columns 4e (r / 2) + e t ...
//   B register r   rows 4e r + e t ..., column g
//   C value i      row g + 8 (i / 2), column 2 t + i mod 2
//
// Registers hold half of the columns of a sparse A in this way, and its
// metadata says which (matrix/mma_sparse.c).
//
// Products are exact and summed in double; the sum is rounded once, which is
// at least as exact as the hardware.
#include <assert.h>
#include <fenv.h>
#include <string.h>

#include "runtime/simulator/matrix/mma.h"
#include "runtime/simulator/memory/lanes.h"
#include "runtime/simulator/number/number.h"
#include "runtime/simulator/order/order.h"

enum { MAX_M = MMA_ROWS, N = MMA_COLUMNS, MAX_K = MAX_MMA_K };

typedef struct {
  WordId word;
  uint16_t m, k;
} MmaShape;

static const MmaShape shapes[] = {
    {WORD_M8N8K4, 8, 4},       {WORD_M8N8K16, 8, 16},
    {WORD_M8N8K32, 8, 32},     {WORD_M8N8K128, 8, 128},
    {WORD_M16N8K4, 16, 4},     {WORD_M16N8K8, 16, 8},
    {WORD_M16N8K16, 16, 16},   {WORD_M16N8K32, 16, 32},
    {WORD_M16N8K64, 16, 64},   {WORD_M16N8K128, 16, 128},
    {WORD_M16N8K256, 16, 256},
};

static const MmaShape *find_shape(WordId word) {
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

float mma_to_float(TypeId type, uint32_t bits) {
  switch (type) {
  case TYPE_F16: return half_to_float((uint16_t)bits);
  case TYPE_BF16: return bfloat_to_float((uint16_t)bits);
  // The hardware ignores the last 13 bits.
  case TYPE_TF32: return float_from_bits(bits & 0xffffe000);
  default: return (float)format_decode(format_of(type), bits);
  }
}

// The number of columns of A in the registers.
static uint32_t held_columns(const Inst *inst, const MmaShape *shape) {
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
static void place_a(MmaTiles *tiles, const float values[LANES], uint32_t row,
                    uint32_t k, uint32_t e) {
  assert(row + LANES / 4 <= MAX_M && k + 3 * e < MAX_MMA_FLOAT_K); // I1
  for (uint32_t g = 0; g < LANES / 4; g++) {
    double *to = tiles->a[row + g] + k;
    for (uint32_t t = 0; t < 4; t++) to[t * e] = (double)values[g * 4 + t];
  }
}

static void place_b(MmaTiles *tiles, const float values[LANES], uint32_t k,
                    uint32_t e) {
  assert(k + 3 * e < MAX_MMA_FLOAT_K); // I1
  for (uint32_t t = 0; t < 4; t++) {
    double *to = tiles->b[k + t * e].at;
    for (uint32_t g = 0; g < N; g++) to[g] = (double)values[g * 4 + t];
  }
}

static void gather_floats(const Warp *warp, const Inst *inst,
                          const MmaShape *shape, MmaTiles *tiles) {
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

// Values 2 half and 2 half + 1 of the lanes lie in row g + 8 half, in turn.
static double *half_of(MmaRow sums[], int half) {
  return (double *)(void *)(sums + 8 * half);
}

static void add_singles(const Warp *warp, const uint32_t *c, MmaRow sums[]) {
  for (int half = 0; half < 2; half++) {
    const float *even = reg(warp, c[2 * half]);
    const float *odd = reg(warp, c[2 * half + 1]);
    double *sum = half_of(sums, half);
    for (int lane = 0; lane < LANES; lane++) {
      sum[2 * lane] = (double)even[lane] + sum[2 * lane];
      sum[2 * lane + 1] = (double)odd[lane] + sum[2 * lane + 1];
    }
  }
}

static void add_halves(const Warp *warp, const uint32_t *c, MmaRow sums[]) {
  for (int half = 0; half < 2; half++) {
    const uint16_t *start = reg(warp, c[half]);
    double *sum = half_of(sums, half);
    for (int i = 0; i < 2 * LANES; i++)
      sum[i] = (double)half_to_float(start[i]) + sum[i];
  }
}

// Has no branches, so that the compiler vectorizes conversions of arrays.
static uint32_t single_bits(double value) {
  const uint32_t is_nan = 0 - (uint32_t)(value != value);
  const uint32_t bits = bits_from_float((float)value);
  return (bits & ~is_nan) | (CANONICAL_NAN & is_nan);
}

static void singles_result(const Warp *warp, const Inst *inst, MmaRow sums[]) {
  for (int half = 0; half < 2; half++) {
    uint32_t *even = reg(warp, inst->op[2 * half]);
    uint32_t *odd = reg(warp, inst->op[2 * half + 1]);
    const double *sum = half_of(sums, half);
    for (int lane = 0; lane < LANES; lane++) {
      even[lane] = single_bits(sum[2 * lane]);
      odd[lane] = single_bits(sum[2 * lane + 1]);
    }
  }
}

static void halves_result(const Warp *warp, const Inst *inst, MmaRow sums[]) {
  const Format *format = format_of(TYPE_F16);
  for (int half = 0; half < 2; half++) {
    uint16_t *out = reg(warp, inst->op[half]);
    const double *sum = half_of(sums, half);
    for (int i = 0; i < 2 * LANES; i++)
      out[i] = (uint16_t)format_encode(format, sum[i], WORD_RN, false);
  }
}

bool whole_warp(Warp *warp, const Inst *inst, uint32_t mask, Step *step) {
  *step = STEP_BLOCK;
  if (!warp_converged(warp, mask, ALL_LANES)) return false;
  order_together(warp, mask);
  if (mask == ALL_LANES) return true;
  *step = report(warp, inst, __builtin_ctz(mask), KIND_BARRIER_DIVERGENCE,
                 "lanes 0x%08x of the warp have exited", ~mask);
  return false;
}

static bool spread_float_row(Warp *warp, const Inst *inst, MmaTiles *tiles,
                             int row, uint32_t k) {
  uint16_t column[MAX_K];
  double held[MAX_MMA_FLOAT_K], *a = tiles->a[row];
  if (!sparse_columns(warp, inst, reg(warp, inst->op[inst->num_ops]), row, k,
                      column))
    return false;
  memcpy(held, a, k / 2 * sizeof *held);
  memset(a, 0, k * sizeof *a);
  for (uint32_t i = 0; i < k / 2; i++) a[column[i]] = held[i];
  return true;
}

static Step exec_float_mma(Warp *warp, const Inst *inst, uint32_t mask) {
  Step step;
  MmaTiles tiles;
  MmaRow sums[MAX_M];
  const MmaShape *shape = find_shape((WordId)inst->shape);
  if (!whole_warp(warp, inst, mask, &step)) return step;
  assert(shape->k <= MAX_MMA_FLOAT_K && "more columns than A has"); // I1
  gather_floats(warp, inst, shape, &tiles);
  for (int row = 0; inst->is_sparse && row < MAX_M; row++)
    if (!spread_float_row(warp, inst, &tiles, row, shape->k)) return STEP_FAULT;
  mma_multiply(&tiles, shape->k, sums);
  const uint32_t *start = inst->op + inst->num_ops - (inst->sub ? 2 : 4);
  (inst->sub ? add_halves : add_singles)(warp, start, sums);
  (inst->type == TYPE_F16 ? halves_result : singles_result)(warp, inst, sums);
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

static void gather_int_a(const Warp *warp, const Inst *inst,
                         const MmaShape *shape, IntTiles *tiles) {
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

static void gather_int_b(const Warp *warp, const Inst *inst,
                         const MmaShape *shape, IntTiles *tiles) {
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
  if (!sparse_columns(warp, inst, reg(warp, inst->op[inst->num_ops]), row, k,
                      column))
    return false;
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
  const MmaShape *shape = find_shape((WordId)inst->shape);
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
  case TYPE_F64:
    return shape == WORD_M8N8K4 || shape == WORD_M16N8K4 ||
           shape == WORD_M16N8K8 || shape == WORD_M16N8K16;
  default: return false;
  }
}

static ExecFn pick_floats(const Form *form, Inst *inst, const MmaShape *shape) {
  const TypeId d = (TypeId)form->types[0], a = (TypeId)form->types[1];
  const TypeId b = (TypeId)form->types[2], c = (TypeId)form->types[3];
  const bool is_fp8 = a == TYPE_E4M3 || a == TYPE_E5M2;
  const bool b_ok = is_fp8 ? b == TYPE_E4M3 || b == TYPE_E5M2 : a == b;
  const bool half_ok = a == TYPE_F16 || is_fp8;
  const bool wants_f32 = is_fp8 && inst->is_sparse;
  if (!b_ok || inst->reg_size != 4 || WORD_OF(form, SATFINITE) || d != c ||
      WORD_OF(form, OP) || WORD_OF(form, MODE) || (wants_f32 && d != TYPE_F32))
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

static bool is_int_element(TypeId type) {
  return type == TYPE_S8 || type == TYPE_U8 || type == TYPE_S4 ||
         type == TYPE_U4 || type == TYPE_B1;
}

static ExecFn pick_ints(const Form *form, Inst *inst, const MmaShape *shape) {
  const TypeId a = (TypeId)form->types[1], b = (TypeId)form->types[2];
  const uint32_t bits = mma_element_bits(a);
  const WordId op = WORD_OF(form, OP);
  const bool is_bits = a == TYPE_B1;
  if (!is_int_element(a) || !is_int_element(b)) return NULL;
  if (form->types[0] != TYPE_S32 || form->types[3] != TYPE_S32 ||
      mma_element_bits(b) != bits || inst->reg_size != 4 ||
      (is_bits && WORD_OF(form, SATFINITE)) || is_bits != (op != WORD_NONE) ||
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
  const MmaShape *shape = find_shape(WORD_OF(form, SHAPE));
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
  if (a == TYPE_F64) return pick_mma_doubles(form, inst, shape->m, shape->k);
  return type_table[a].class == CLASS_FLOAT ? pick_floats(form, inst, shape)
                                            : pick_ints(form, inst, shape);
}

// The last operand is the metadata.
ExecFn pick_mma_sparse(const Form *form, Inst *inst) {
  const TypeId a = (TypeId)form->types[1];
  const MmaShape *shape = find_shape(WORD_OF(form, SHAPE));
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
