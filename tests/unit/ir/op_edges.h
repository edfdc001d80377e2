// op_edges.h -- runs an elementwise op on edge values of a type in the
// interpreter.
#ifndef TILE_TESTS_OP_EDGES_H
#define TILE_TESTS_OP_EDGES_H

#include "interp_kit.h"

#include "format_ref.h"
#include "ir/builder.h"

enum { EDGES = 32, LANES = EDGES * EDGES };

__extension__ typedef __int128 Wide;

// -- Running one op over all pairs of edge values ----------------------------

typedef struct {
  Elem elem;
  uint64_t bits[EDGES];
} Edges;

typedef struct {
  int operands;
  uint64_t x[3][LANES]; // encodings
  uint64_t out[LANES];
} Case;

static inline uint64_t get(const void *bytes, size_t size, int index) {
  uint64_t bits = 0;
  memcpy(&bits, (const char *)bytes + size * (size_t)index, size);
  return bits;
}

static inline void put(void *bytes, size_t size, int index, uint64_t bits) {
  memcpy((char *)bytes + size * (size_t)index, &bits, size);
}

static inline size_t elem_size(Elem elem) {
  return elem_info[elem].bits < 8 ? 1 : (size_t)elem_info[elem].bits / 8;
}

static inline void fill_pairs(Case *c, const Edges *edges) {
  for (int i = 0; i < LANES; i++) {
    c->x[0][i] = edges->bits[i / EDGES];
    c->x[1][i] = edges->bits[i % EDGES];
    c->x[2][i] = edges->bits[(i * 7 + i / EDGES * 3) % EDGES];
  }
}

static const Type *ptr_to(Builder *b, Elem elem) {
  TypeTable *types = &b->m->types;
  return type_pointer(types, type_scalar(types, elem), SPACE_GLOBAL);
}

// Pointers to the lanes behind argument `index`.
static inline Value *lanes_of(Builder *b, Value *arg, Value *places) {
  const Type *type = type_with_element(&b->m->types, places->type, arg->type);
  return build_addptr(b, type, build_splat(b, type, arg), places);
}

// Stores `op(x, y, z)` of the case's lanes; `attr` is set when not ATTR_COUNT.
static inline void run_case(Case *c, OpKind kind, int operands,
                            const Elem *from, Elem to, AttrKey attr,
                            int64_t value) {
  static uint64_t in[3][LANES], out[LANES];
  Kit kit;
  kit_init(&kit);
  TypeTable *types = &kit.m->types;
  const int64_t lanes = LANES;
  Builder b = {.m = kit.m};
  const Type *params[4];
  for (int i = 0; i < operands; i++) params[i] = ptr_to(&b, from[i]);
  params[operands] = ptr_to(&b, to);
  Function *f = function_create(kit.m, "k", (SrcLoc){0}, operands + 1, params);
  b.block = f->body;
  Value *places = build_arange(&b, 0, lanes), *x[3];
  for (int i = 0; i < operands; i++) {
    Value *p = lanes_of(&b, &f->body->args[i], places);
    x[i] = op_result(build_load(&b, p, NULL, NULL));
    for (int k = 0; k < LANES; k++) {
      put(in[i], elem_size(from[i]), k, c->x[i][k]);
    }
    kit_memory(&kit, i, in[i], LANES * elem_size(from[i]));
  }
  const Type *type = type_tile(types, 1, &lanes, type_scalar(types, to), NULL);
  Value *result = build_value(&b, kind, operands, x, type);
  if (attr != ATTR_COUNT) op_set_int(kit.m, result->def, attr, value);
  build_store(&b, lanes_of(&b, &f->body->args[operands], places), result, NULL);
  build_return(&b);
  kit_memory(&kit, operands, out, LANES * elem_size(to));
  kit_pass(&kit);
  for (int k = 0; k < LANES; k++) c->out[k] = get(out, elem_size(to), k);
}

// -- Edge values -------------------------------------------------------------

static const Elem ints[] = {ELEM_i1, ELEM_i8, ELEM_i16, ELEM_i32, ELEM_i64};

static inline uint64_t low(Wide value, int bits) {
  const uint64_t mask = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
  return (uint64_t)value & mask;
}

static inline Wide as_signed(uint64_t bits, int width) {
  const Wide value = bits;
  return bits >> (width - 1) & 1 ? value - ((Wide)1 << width) : value;
}

static inline Edges int_edges(Elem elem) {
  const int w = elem_info[elem].bits;
  Edges e = {.elem = elem};
  const uint64_t min = UINT64_C(1) << (w - 1);
  const uint64_t values[] = {0,
                             1,
                             2,
                             3,
                             5,
                             7,
                             10,
                             100,
                             (uint64_t)w - 1,
                             (uint64_t)w,
                             (uint64_t)w + 1,
                             min,
                             min + 1,
                             min + 2,
                             min - 1,
                             min - 2,
                             min - 3,
                             -UINT64_C(1),
                             -UINT64_C(2),
                             -UINT64_C(3),
                             -UINT64_C(7),
                             -UINT64_C(10),
                             -UINT64_C(100),
                             UINT64_C(0x5555555555555555),
                             UINT64_C(0xaaaaaaaaaaaaaaaa),
                             min >> 1,
                             (min >> 1) + 1,
                             min / 3,
                             UINT64_C(0x0123456789abcdef),
                             UINT64_C(0xfedcba9876543210),
                             0xff,
                             0x8000};
  for (int i = 0; i < EDGES; i++) e.bits[i] = low((Wide)values[i], w);
  return e;
}

static const Elem floats[] = {ELEM_f16, ELEM_bf16, ELEM_f32, ELEM_f64};

static inline Edges float_edges(Elem elem) {
  const int m = elem_info[elem].mantissa_bits;
  const uint64_t sign = ref_sign(elem), inf = ref_exponent_mask(elem);
  const uint64_t one = (uint64_t)ref_bias(elem) << m;
  const uint64_t implied = UINT64_C(1) << m; // one step of the exponent
  const bool f8 = elem == ELEM_f8e4nv;
  const uint64_t infinity = f8 ? sign - 1 : inf;
  const uint64_t values[EDGES] = {0,
                                  sign,
                                  1,
                                  2,
                                  sign | 1,
                                  sign | 3,
                                  implied - 1,
                                  implied,
                                  implied + 1,
                                  one,
                                  sign | one,
                                  one + 1,
                                  one - 1,
                                  one + implied,
                                  sign | (one + implied + implied / 2),
                                  one + implied / 2,
                                  one - 3 * implied / 2,
                                  one + 3 * implied + implied / 3,
                                  sign | (one + 2 * implied + implied / 5),
                                  infinity - 1,
                                  sign | (infinity - 1),
                                  infinity - implied,
                                  infinity,
                                  sign | infinity,
                                  sign - 1,
                                  one + (uint64_t)m * implied,
                                  one + (uint64_t)(m + 1) * implied,
                                  one + (uint64_t)(m - 1) * implied + 1,
                                  sign |
                                      (one + (uint64_t)(m - 1) * implied + 3),
                                  one / 2,
                                  one / 2 + 5,
                                  sign | (one - implied)};
  Edges e = {.elem = elem};
  memcpy(e.bits, values, sizeof values);
  return e;
}

static inline bool same_float(uint64_t a, uint64_t b, Elem elem, int units) {
  if (ref_is_nan(a, elem) || ref_is_nan(b, elem)) {
    return ref_is_nan(a, elem) && ref_is_nan(b, elem);
  }
  const uint64_t apart = a > b ? a - b : b - a;
  return apart <= (uint64_t)units;
}

// -- Tests of each op --------------------------------------------------------

// Each op belongs to one of the tests; a new op is in the test of bits, and
// missing there.
typedef enum { HOME_INTS, HOME_FLOATS, HOME_CONVERSIONS, HOME_BITS } Home;

static inline Home home_of(OpKind kind) {
  if (op_info[kind].rule == RULE_INTS) return HOME_INTS;
  if (op_info[kind].rule == RULE_FLOATS) return HOME_FLOATS;
  switch ((int)kind) {
  case OP_cmpi:
  case OP_extsi:
  case OP_extui:
  case OP_trunci: return HOME_INTS;
  case OP_cmpf: return HOME_FLOATS;
  case OP_extf:
  case OP_truncf:
  case OP_sitofp:
  case OP_uitofp:
  case OP_fptosi:
  case OP_fptoui: return HOME_CONVERSIONS;
  default: return HOME_BITS;
  }
}

static inline void check_home(Home home) {
  for (int kind = 0; kind < OP_COUNT; kind++) {
    const bool wanted = op_info[kind].traits & TRAIT_ELEMENTWISE;
    if (!wanted || home_of((OpKind)kind) != home) continue;
    if (!kit_seen[kind]) fail_msg("%s", op_info[kind].name);
  }
}

#endif
