// wmma.c -- the older interface of matrix products: wmma.load, wmma.store and
// wmma.mma.
//
// The manual does not say which lane has which element; programs may only treat
// all elements of a fragment alike.  Here a register has as many as fit, and
// the next lane the following ones: C and D by rows, A and B by rows or columns
// as the layout says, so that a fragment that is multiplied with the wrong
// layout gives wrong results, as on hardware.  Fragments of f16 always have
// eight registers; those that are not needed repeat the others.
//
// For example, A of m16n16k16 has 256 elements.  With f16, two are in a
// register of a lane, so 256 / 2 / 32 = 4 registers are needed, and register 4
// + i repeats register i.  By rows, register 1 of lane 3 begins with element (1
// * 32 + 3) * 2 = 70, which is in row 70 / 16 = 4 and column 70 % 16 = 6. With
// a stride of 24 elements it is at element 4 * 24 + 6 = 102 of the memory.
#include <fenv.h>

#include "runtime/simulator/matrix/mma.h"
#include "runtime/simulator/memory/lanes.h"
#include "runtime/simulator/number/number.h"
#include "runtime/simulator/watch/watch.h"

enum { MAX_SIDE = 32, MAX_INNER = 128, MAX_ELEMENTS = 1024 };

typedef struct {
  WordId word;
  uint8_t m, n, k;
} WmmaShape;

static const WmmaShape shapes[] = {
    {WORD_M16N16K16, 16, 16, 16}, {WORD_M8N32K16, 8, 32, 16},
    {WORD_M32N8K16, 32, 8, 16},   {WORD_M16N16K8, 16, 16, 8},
    {WORD_M8N8K4, 8, 8, 4},       {WORD_M8N8K32, 8, 8, 32},
    {WORD_M8N8K128, 8, 8, 128},
};

static const WmmaShape *find_shape(WordId word) {
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
    if (shapes[i].word == word) return &shapes[i];
  return NULL;
}

typedef struct {
  TypeId type;
  uint32_t rows, columns;
  bool by_columns;      // order of the elements in memory
  bool held_by_columns; // order of the elements in registers
} WmmaMatrix;

// A fragment's matrix: `part` is WORD_A, B, C or D.
static WmmaMatrix matrix_of(const WmmaShape *shape, WordId part, TypeId type,
                            bool by_columns) {
  const uint32_t rows = part == WORD_B ? shape->k : shape->m;
  const uint32_t columns = part == WORD_A ? shape->k : shape->n;
  return (WmmaMatrix){type, rows, columns, by_columns,
                      part <= WORD_B && by_columns};
}

static uint32_t per_register(TypeId type) {
  return type == TYPE_F64 ? 1 : 32 / mma_element_bits(type);
}

static uint32_t registers_needed(const WmmaMatrix *matrix) {
  return matrix->rows * matrix->columns / per_register(matrix->type) / LANES;
}

// -- Memory ------------------------------------------------------------------

typedef struct {
  uint64_t base;
  uint32_t stride; // elements from a row, or column, to the next
} Area;

// The address and the stride must be the same in all lanes.
static bool find_area(Warp *warp, const Inst *inst, const uint32_t *address,
                      const uint32_t *stride, const WmmaMatrix *matrix,
                      Area *area) {
  const uint32_t *given = stride ? reg(warp, *stride) : NULL;
  area->base = lane_address(warp, address, 0);
  area->stride = given                ? given[0]
                 : matrix->by_columns ? matrix->rows
                                      : matrix->columns;
  for (int lane = 1; lane < LANES; lane++) {
    if (lane_address(warp, address, lane) == area->base &&
        (!given || given[lane] == area->stride))
      continue;
    report(warp, inst, lane, KIND_INVALID,
           "another address or stride than lane 0 has");
    return false;
  }
  return true;
}

// Bytes of a register, from `at` on, and of memory.
static bool move_bytes(Warp *warp, const Inst *inst, int lane, uint64_t address,
                       uint8_t *at, uint32_t size, bool is_store) {
  const Access access = is_store ? ACCESS_WRITE : ACCESS_READ;
  Place place;
  if (!memory_place(warp, inst, lane, inst->space, address, size, access,
                    &place))
    return false;
  RacePage *page = shadow_enter(warp, inst, lane, &place, size, access,
                                is_store ? at : NULL);
  memcpy(is_store ? place.host : at, is_store ? at : place.host, size);
  shadow_exit(page);
  return true;
}

// The address of an element, the first of those that are moved at once.
static uint64_t element_address(const WmmaMatrix *matrix, const Area *area,
                                uint32_t index) {
  const uint32_t bits =
      matrix->type == TYPE_F64 ? 64 : mma_element_bits(matrix->type);
  const uint32_t width =
      matrix->held_by_columns ? matrix->rows : matrix->columns;
  const uint32_t line = index / width, place = index % width;
  const bool same = matrix->held_by_columns == matrix->by_columns;
  const uint64_t at = same ? (uint64_t)line * area->stride + place
                           : (uint64_t)place * area->stride + line;
  return area->base + at * bits / 8;
}

// Moves register i of every lane, at once if its elements are adjacent in
// memory.
static bool move_register(Warp *warp, const Inst *inst,
                          const WmmaMatrix *matrix, const Area *area,
                          uint32_t i, uint32_t offset, bool is_store) {
  const uint32_t each = per_register(matrix->type), size = inst->reg_size;
  const uint32_t pieces =
      matrix->held_by_columns == matrix->by_columns ? 1 : each;
  for (uint32_t piece = 0; piece < LANES * pieces; piece++) {
    const uint32_t lane = piece / pieces, j = piece % pieces;
    const uint32_t index = (i * LANES + lane) * each + j;
    uint8_t *at =
        (uint8_t *)reg(warp, offset) + size * lane + size / pieces * j;
    if (!move_bytes(warp, inst, (int)lane, element_address(matrix, area, index),
                    at, size / pieces, is_store))
      return false;
  }
  return true;
}

static Step move_fragment(Warp *warp, const Inst *inst, uint32_t mask,
                          bool is_store) {
  Step step;
  Area area;
  if (!whole_warp(warp, inst, mask, &step)) return step;
  const uint32_t *address = inst->op + (is_store ? 0 : inst->num_dst);
  const uint32_t *fragment = inst->op + (is_store ? 3 : 0);
  const bool has_stride = inst->given == 3;
  const WmmaMatrix matrix =
      matrix_of(find_shape((WordId)inst->shape), (WordId)inst->bool_op,
                (TypeId)inst->type, inst->trans);
  if (!find_area(warp, inst, address,
                 has_stride ? inst->op + inst->num_ops - 1 : NULL, &matrix,
                 &area))
    return STEP_FAULT;
  const uint32_t needed = registers_needed(&matrix);
  for (uint32_t i = 0; i < inst->num_dst; i++)
    if (!move_register(warp, inst, &matrix, &area, i % needed, fragment[i],
                       is_store))
      return STEP_FAULT;
  return STEP_NEXT;
}

static Step exec_load(Warp *warp, const Inst *inst, uint32_t mask) {
  return move_fragment(warp, inst, mask, false);
}

static Step exec_store(Warp *warp, const Inst *inst, uint32_t mask) {
  return move_fragment(warp, inst, mask, true);
}

// -- Products ----------------------------------------------------------------

static double value_of(TypeId type, uint32_t bits) {
  if (type == TYPE_S32) return (double)(int32_t)bits;
  if (type == TYPE_F32) return (double)float_from_bits(bits);
  return type_table[type].class == CLASS_FLOAT
             ? (double)mma_to_float(type, bits)
             : (double)mma_to_int(type, bits);
}

// Element `index` of a fragment, in the order of memory.
static double element_at(const Warp *warp, const uint32_t *fragment,
                         TypeId type, uint32_t index) {
  const uint32_t each = per_register(type);
  const uint32_t lane = index / each % LANES;
  const void *place = reg(warp, fragment[index / each / LANES]);
  if (type == TYPE_F64) return ((const double *)place)[lane];
  const uint32_t bits = 32 / each;
  const uint32_t word = ((const uint32_t *)place)[lane] >> index % each * bits;
  return value_of(type, bits == 32 ? word : word & ((1u << bits) - 1));
}

static void gather(const Warp *warp, const uint32_t *fragment,
                   const WmmaMatrix *matrix, double *out) {
  for (uint32_t row = 0; row < matrix->rows; row++) {
    for (uint32_t column = 0; column < matrix->columns; column++)
      *out++ =
          element_at(warp, fragment, matrix->type,
                     matrix->held_by_columns ? column * matrix->rows + row
                                             : row * matrix->columns + column);
  }
}

// A value of D, rounded to its type.
static void scatter(const Warp *warp, const Inst *inst, uint32_t index,
                    double value) {
  const TypeId type = (TypeId)inst->type;
  const uint32_t each = per_register(type), lane = index / each % LANES;
  void *place = reg(warp, inst->op[index / each / LANES]);
  const double most = INT32_MAX, least = INT32_MIN;
  if (inst->sat) value = value > most ? most : value < least ? least : value;
  if (type == TYPE_F64)
    ((double *)place)[lane] = value;
  else if (type == TYPE_F16)
    ((uint16_t *)place)[lane * 2 + index % 2] =
        (uint16_t)format_encode(format_of(TYPE_F16), value, WORD_RN, false);
  else if (type == TYPE_F32)
    ((uint32_t *)place)[lane] =
        value != value ? CANONICAL_NAN : bits_from_float((float)value);
  else
    ((uint32_t *)place)[lane] = (uint32_t)(int64_t)value;
}

static double multiply(const Inst *inst, double a, double b, double sum) {
  if (inst->type == TYPE_F64) return fma_in_mode(a, b, sum);
  if (inst->type2 != TYPE_B1) return sum + a * b;
  const bool x = a != 0, y = b != 0;
  return sum + (double)(inst->bool_op == WORD_AND ? x && y : x != y);
}

// Adds the products first, except for f64, whose steps round.
static double dot(const Inst *inst, const WmmaShape *shape, const double *a,
                  const double *b, double start) {
  const bool rounds = inst->type == TYPE_F64;
  double sum = rounds ? start : 0;
  for (uint32_t k = 0; k < shape->k; k++)
    sum = multiply(inst, a[k], b[k * shape->n], sum);
  return rounds ? sum : start + sum;
}

typedef struct {
  double a[MAX_ELEMENTS], b[MAX_ELEMENTS], c[MAX_ELEMENTS];
} WmmaTiles;

static Step exec_product(Warp *warp, const Inst *inst, uint32_t mask) {
  Step step;
  WmmaTiles tiles;
  if (!whole_warp(warp, inst, mask, &step)) return step;
  const WmmaShape *shape = find_shape((WordId)inst->shape);
  const uint32_t *operand = inst->op + inst->num_dst;
  const WmmaMatrix a =
      matrix_of(shape, WORD_A, (TypeId)inst->type2, inst->trans & 1);
  const WmmaMatrix b =
      matrix_of(shape, WORD_B, (TypeId)inst->type3, inst->trans & 2);
  const WmmaMatrix c = matrix_of(shape, WORD_C, (TypeId)inst->sub, false);
  gather(warp, operand, &a, tiles.a);
  gather(warp, operand + inst->imm, &b, tiles.b);
  gather(warp, inst->op + inst->num_ops - registers_needed(&c), &c, tiles.c);
  if (inst->round) fesetround(host_round((WordId)inst->round));
  for (uint32_t i = 0; i < (uint32_t)shape->m * shape->n; i++)
    scatter(warp, inst, i,
            dot(inst, shape, tiles.a + i / shape->n * shape->k,
                tiles.b + i % shape->n, tiles.c[i]));
  if (inst->round) fesetround(FE_TONEAREST);
  return STEP_NEXT;
}

// -- Forms -------------------------------------------------------------------

static bool has_shape(TypeId type, WordId shape) {
  switch (type) {
  case TYPE_F16:
  case TYPE_BF16:
  case TYPE_S8:
  case TYPE_U8:
    return shape == WORD_M16N16K16 || shape == WORD_M8N32K16 ||
           shape == WORD_M32N8K16;
  case TYPE_TF32: return shape == WORD_M16N16K8;
  case TYPE_F64: return shape == WORD_M8N8K4;
  case TYPE_S4:
  case TYPE_U4: return shape == WORD_M8N8K32;
  case TYPE_B1: return shape == WORD_M8N8K128;
  default: return false;
  }
}

// Accumulators have the shapes of the products.
static bool can_accumulate(TypeId type, WordId shape) {
  switch (type) {
  case TYPE_F16: return has_shape(TYPE_F16, shape);
  case TYPE_F32:
    return has_shape(TYPE_F16, shape) || has_shape(TYPE_TF32, shape);
  case TYPE_S32:
    return has_shape(TYPE_S8, shape) || has_shape(TYPE_S4, shape) ||
           has_shape(TYPE_B1, shape);
  case TYPE_F64: return has_shape(TYPE_F64, shape);
  default: return false;
  }
}

static uint32_t registers_held(const WmmaMatrix *matrix, WordId part) {
  const bool is_half = matrix->type == TYPE_F16 && part <= WORD_B;
  return is_half ? 8 : registers_needed(matrix);
}

static bool is_together(const Form *form) {
  return WORD_OF(form, SYNC) && WORD_OF(form, ALIGNED) &&
         WORD_OF(form, LAYOUT_A);
}

// Matrices of elements smaller than a byte have only one layout.
static bool layout_fits(TypeId type, WordId part, WordId layout) {
  if (part > WORD_B || mma_element_bits(type) >= 8) return true;
  return layout == (part == WORD_A ? WORD_ROW : WORD_COL);
}

static bool fragment_fits(const Form *form, Inst *inst) {
  const WmmaShape *shape = find_shape(WORD_OF(form, SHAPE));
  const TypeId type = (TypeId)form->types[0];
  const WordId part = WORD_OF(form, OP);
  if (!shape || !is_together(form) || part < WORD_A || part > WORD_D ||
      inst->reg_size != (type == TYPE_F64 ? 8 : 4) ||
      !layout_fits(type, part, WORD_OF(form, LAYOUT_A)))
    return false;
  inst->trans = WORD_OF(form, LAYOUT_A) == WORD_COL;
  const WmmaMatrix matrix = matrix_of(shape, part, type, inst->trans);
  return (part <= WORD_B ? has_shape(type, shape->word)
                         : can_accumulate(type, shape->word)) &&
         inst->num_dst == registers_held(&matrix, part);
}

ExecFn pick_wmma_load(const Form *form, Inst *inst) {
  return WORD_OF(form, GROUP) == WORD_LOAD && WORD_OF(form, OP) != WORD_D &&
                 fragment_fits(form, inst)
             ? exec_load
             : NULL;
}

ExecFn pick_wmma_store(const Form *form, Inst *inst) {
  return WORD_OF(form, GROUP) == WORD_STORE && WORD_OF(form, OP) == WORD_D &&
                 fragment_fits(form, inst)
             ? exec_store
             : NULL;
}

static bool accumulators_fit(const Inst *inst) {
  const TypeId a = (TypeId)inst->type2, c = (TypeId)inst->sub;
  const TypeId d = (TypeId)inst->type;
  switch (a) {
  case TYPE_F16:
    return (d == TYPE_F16 || d == TYPE_F32) && (c == TYPE_F16 || c == TYPE_F32);
  case TYPE_F64: return d == a && c == a;
  case TYPE_BF16:
  case TYPE_TF32: return d == TYPE_F32 && c == d;
  default: return d == TYPE_S32 && c == d;
  }
}

static bool operations_fit(const Form *form, TypeId a) {
  const bool is_bits = a == TYPE_B1;
  const WordId op = WORD_OF(form, OP), round = WORD_OF(form, ROUND);
  return is_bits == (op == WORD_XOR || op == WORD_AND) &&
         (is_bits || op == WORD_NONE) &&
         WORD_OF(form, MODE) == (is_bits ? WORD_POPC : WORD_NONE) &&
         (!WORD_OF(form, SATFINITE) ||
          (!is_bits && type_table[a].class != CLASS_FLOAT)) &&
         (!round || a == TYPE_F64);
}

// The types of D, A, B and C are in type, type2, type3 and sub.
static ExecFn pick_product(const Form *form, Inst *inst) {
  const WmmaShape *shape = find_shape(WORD_OF(form, SHAPE));
  const TypeId type_a = (TypeId)inst->type2, type_b = (TypeId)inst->type3;
  if (!shape || WORD_OF(form, GROUP) != WORD_MMA || !is_together(form) ||
      !WORD_OF(form, LAYOUT_B) || type_a != type_b ||
      !has_shape(type_a, shape->word) || !has_shape(type_b, shape->word) ||
      !accumulators_fit(inst) || !operations_fit(form, type_a) ||
      inst->reg_size != (type_a == TYPE_F64 ? 8 : 4) ||
      !layout_fits(type_a, WORD_A, WORD_OF(form, LAYOUT_A)) ||
      !layout_fits(type_b, WORD_B, WORD_OF(form, LAYOUT_B)))
    return NULL;
  inst->trans = (uint8_t)((WORD_OF(form, LAYOUT_A) == WORD_COL ? 1 : 0) |
                          (WORD_OF(form, LAYOUT_B) == WORD_COL ? 2 : 0));
  inst->sat = WORD_OF(form, SATFINITE) != WORD_NONE;
  const WmmaMatrix a = matrix_of(shape, WORD_A, type_a, false);
  const WmmaMatrix b = matrix_of(shape, WORD_B, type_b, false);
  const WmmaMatrix c = matrix_of(shape, WORD_C, (TypeId)inst->sub, false);
  const WmmaMatrix d = matrix_of(shape, WORD_D, (TypeId)inst->type, false);
  inst->imm = registers_held(&a, WORD_A);
  return inst->num_dst == registers_needed(&d) &&
                 inst->num_ops == inst->num_dst + inst->imm +
                                      registers_held(&b, WORD_B) +
                                      registers_needed(&c)
             ? exec_product
             : NULL;
}

ExecFn pick_wmma(const Form *form, Inst *inst) {
  inst->sub = form->types[3];
  return form->types[1] == TYPE_F16 ? NULL : pick_product(form, inst);
}

// The types of D and C alone: A and B are of f16.
ExecFn pick_wmma_half(const Form *form, Inst *inst) {
  inst->sub = form->types[1];
  inst->type2 = inst->type3 = TYPE_F16;
  return pick_product(form, inst);
}
