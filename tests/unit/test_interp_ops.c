// test_interp_ops.c -- every elementwise op on edge values of every type,
// against 128-bit integers and MPFR.
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

static uint64_t get(const void *bytes, size_t size, int index) {
  uint64_t bits = 0;
  memcpy(&bits, (const char *)bytes + size * (size_t)index, size);
  return bits;
}

static void put(void *bytes, size_t size, int index, uint64_t bits) {
  memcpy((char *)bytes + size * (size_t)index, &bits, size);
}

static size_t elem_size(Elem elem) {
  return elem_info[elem].bits < 8 ? 1 : (size_t)elem_info[elem].bits / 8;
}

static void fill_pairs(Case *c, const Edges *edges) {
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
static Value *lanes_of(Builder *b, Value *arg, Value *places) {
  const Type *type = type_with_element(&b->m->types, places->type, arg->type);
  return build_addptr(b, type, build_splat(b, type, arg), places);
}

// Stores `op(x, y, z)` of the case's lanes; `attr` is set when not ATTR_COUNT.
static void run_case(Case *c, OpKind kind, int operands, const Elem *from,
                     Elem to, AttrKey attr, int64_t value) {
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

// -- Integers ----------------------------------------------------------------

static const Elem ints[] = {ELEM_i1, ELEM_i8, ELEM_i16, ELEM_i32, ELEM_i64};

static uint64_t low(Wide value, int bits) {
  const uint64_t mask = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
  return (uint64_t)value & mask;
}

static Wide as_signed(uint64_t bits, int width) {
  const Wide value = bits;
  return bits >> (width - 1) & 1 ? value - ((Wide)1 << width) : value;
}

static Edges int_edges(Elem elem) {
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

static Wide shift_ref(Wide x, Wide by, int bits, bool left) {
  for (int i = 0; i < bits && by > 0; i++, by--) {
    if (left) {
      x *= 2;
    } else {
      x = (x - (x & 1)) / 2; // rounds down
    }
  }
  return x;
}

static int count_ref(uint64_t x, int bits, bool leading) {
  int count = 0;
  for (int i = bits - 1; i >= 0; i--) {
    const bool set = x >> i & 1;
    if (leading && set) return count;
    count += leading || set;
  }
  return count;
}

// floor(x * y / 2^bits)
static Wide high_ref(Wide x, Wide y, int bits) {
  return (x * y - (Wide)low(x * y, bits)) / ((Wide)1 << bits);
}

static Wide unsigned_high_ref(uint64_t x, uint64_t y, int bits) {
  if (bits < 64) return high_ref(x, y, bits);
  const uint64_t xl = (uint32_t)x, xh = x >> 32, yl = (uint32_t)y, yh = y >> 32;
  const uint64_t middle = xh * yl + (xl * yl >> 32);
  const uint64_t other = xl * yh + (uint32_t)middle;
  return (Wide)(xh * yh + (middle >> 32) + (other >> 32));
}

static Wide int_ref(OpKind kind, uint64_t ux, uint64_t uy, int bits) {
  const Wide x = as_signed(ux, bits), y = as_signed(uy, bits);
  switch ((int)kind) {
  case OP_addi: return x + y;
  case OP_subi: return x - y;
  case OP_muli: return bits == 64 ? (Wide)(ux * uy) : x * y;
  case OP_mulhsi: return high_ref(x, y, bits);
  case OP_mulhui: return unsigned_high_ref(ux, uy, bits);
  case OP_divsi: return y ? x / y : -1;
  case OP_divui: return uy ? (Wide)(ux / uy) : -1;
  case OP_remsi: return y ? x - x / y * y : x;
  case OP_remui: return uy ? (Wide)(ux % uy) : x;
  case OP_andi: return (Wide)(ux & uy);
  case OP_ori: return (Wide)(ux | uy);
  case OP_xori: return (Wide)(ux ^ uy);
  case OP_shli: return shift_ref(x, uy, bits, true);
  case OP_shrsi: return shift_ref(x, uy, bits, false);
  case OP_shrui: return shift_ref(ux, uy, bits, false);
  case OP_maxsi: return x > y ? x : y;
  case OP_maxui: return ux > uy ? ux : uy;
  case OP_minsi: return x < y ? x : y;
  case OP_minui: return ux < uy ? ux : uy;
  case OP_absi: return x < 0 ? -x : x;
  case OP_clz: return count_ref(ux, bits, true);
  case OP_popcount: return count_ref(ux, bits, false);
  default: fail_msg("no reference for %s", op_info[kind].name); return 0;
  }
}

static void check_ints(OpKind kind, Elem elem) {
  static Case c;
  const int n = op_info[kind].num_operands, bits = elem_info[elem].bits;
  const Edges edges = int_edges(elem);
  fill_pairs(&c, &edges);
  run_case(&c, kind, n, (Elem[]){elem, elem}, elem, ATTR_COUNT, 0);
  for (int i = 0; i < LANES; i++) {
    const uint64_t want = low(int_ref(kind, c.x[0][i], c.x[1][i], bits), bits);
    if (c.out[i] == want) continue;
    fail_msg("%s %s %#llx, %#llx: %#llx, not %#llx", op_info[kind].name,
             elem_info[elem].name, (unsigned long long)c.x[0][i],
             (unsigned long long)c.x[1][i], (unsigned long long)c.out[i],
             (unsigned long long)want);
  }
}

static void test_ints(void **state) {
  (void)state;
  for (int kind = 0; kind < OP_COUNT; kind++) {
    if (op_info[kind].rule != RULE_INTS) continue;
    for (int i = 0; i < 5; i++) check_ints((OpKind)kind, ints[i]);
  }
}

static bool cmpi_ref(Predicate p, uint64_t ux, uint64_t uy, int bits) {
  const Wide x = as_signed(ux, bits), y = as_signed(uy, bits);
  const bool results[] = {
      [PREDICATE_eq] = x == y,
      [PREDICATE_ne] = x != y,
      [PREDICATE_lt] = x<y, [PREDICATE_le] = x <= y, [PREDICATE_gt] = x> y,
      [PREDICATE_ge] = x >= y,
      [PREDICATE_ult] =
          ux<uy, [PREDICATE_ule] = ux <= uy, [PREDICATE_ugt] = ux> uy,
      [PREDICATE_uge] = ux >= uy,
  };
  return results[p];
}

static void test_cmpi(void **state) {
  (void)state;
  static Case c;
  for (int i = 0; i < 5; i++) {
    const Edges edges = int_edges(ints[i]);
    const int bits = elem_info[ints[i]].bits;
    fill_pairs(&c, &edges);
    for (int p = PREDICATE_eq; p <= PREDICATE_uge; p++) {
      run_case(&c, OP_cmpi, 2, (Elem[]){ints[i], ints[i]}, ELEM_i1,
               ATTR_predicate, p);
      for (int k = 0; k < LANES; k++) {
        assert_int_equal(c.out[k],
                         cmpi_ref((Predicate)p, c.x[0][k], c.x[1][k], bits));
      }
    }
  }
}

static void test_int_casts(void **state) {
  (void)state;
  static Case c;
  for (int i = 0; i < 5; i++) {
    const Edges edges = int_edges(ints[i]);
    const int from = elem_info[ints[i]].bits;
    fill_pairs(&c, &edges);
    for (int j = 0; j < 5; j++) {
      const int to = elem_info[ints[j]].bits;
      if (from == to) continue;
      const OpKind first = to > from ? OP_extsi : OP_trunci;
      const OpKind last = to > from ? OP_extui : OP_trunci;
      for (OpKind kind = first; kind <= last; kind++) {
        run_case(&c, kind, 1, &ints[i], ints[j], ATTR_COUNT, 0);
        for (int k = 0; k < LANES; k++) {
          const Wide x =
              kind == OP_extsi ? as_signed(c.x[0][k], from) : (Wide)c.x[0][k];
          assert_int_equal(c.out[k], low(x, to));
        }
      }
    }
  }
}

// -- Floats ------------------------------------------------------------------

#ifdef TILE_HAVE_MPFR

static const Elem floats[] = {ELEM_f16, ELEM_bf16, ELEM_f32, ELEM_f64};

static Edges float_edges(Elem elem) {
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

typedef int (*Mpfr1)(mpfr_t, const mpfr_t, mpfr_rnd_t);
typedef int (*Mpfr2)(mpfr_t, const mpfr_t, const mpfr_t, mpfr_rnd_t);

static int round_with(mpfr_t out, const mpfr_t x, OpKind kind) {
  switch ((int)kind) {
  case OP_floor: return mpfr_rint(out, x, MPFR_RNDD);
  case OP_ceil: return mpfr_rint(out, x, MPFR_RNDU);
  case OP_trunc: return mpfr_rint(out, x, MPFR_RNDZ);
  default: return mpfr_rint(out, x, MPFR_RNDN);
  }
}

static double pick_ref(OpKind kind, double x, double y) {
  const bool max = kind == OP_maxf || kind == OP_maximumf;
  const bool nan_wins = kind == OP_maximumf || kind == OP_minimumf;
  if (isnan(x) || isnan(y)) {
    if (nan_wins) return NAN;
    return isnan(x) ? y : x;
  }
  if (x == y) return (signbit(x) != 0) == max ? y : x;
  return (x > y) == max ? x : y;
}

// Ops that are correctly rounded; false if `kind` is not one.
static bool exact_ref(OpKind kind, mpfr_t out, mpfr_t *x, int *ternary) {
  switch ((int)kind) {
  case OP_addf: *ternary = mpfr_add(out, x[0], x[1], MPFR_RNDN); break;
  case OP_subf: *ternary = mpfr_sub(out, x[0], x[1], MPFR_RNDN); break;
  case OP_mulf: *ternary = mpfr_mul(out, x[0], x[1], MPFR_RNDN); break;
  case OP_divf:
  case OP_divf_rn: *ternary = mpfr_div(out, x[0], x[1], MPFR_RNDN); break;
  case OP_remf: *ternary = mpfr_fmod(out, x[0], x[1], MPFR_RNDN); break;
  case OP_fma: *ternary = mpfr_fma(out, x[0], x[1], x[2], MPFR_RNDN); break;
  case OP_sqrt:
  case OP_sqrt_rn: *ternary = mpfr_sqrt(out, x[0], MPFR_RNDN); break;
  case OP_floor:
  case OP_ceil:
  case OP_trunc:
  case OP_rint: *ternary = round_with(out, x[0], kind); break;
  case OP_negf: *ternary = mpfr_neg(out, x[0], MPFR_RNDN); break;
  case OP_absf: *ternary = mpfr_abs(out, x[0], MPFR_RNDN); break;
  default: return false;
  }
  return true;
}

static int near_ref(OpKind kind, mpfr_t out, mpfr_t x) {
  int ternary;
  switch ((int)kind) {
  case OP_rsqrt: // of -0 it is -inf, as IEEE 754 has it
    ternary = mpfr_rec_sqrt(out, x, MPFR_RNDN);
    if (mpfr_zero_p(x)) mpfr_setsign(out, out, mpfr_signbit(x), MPFR_RNDN);
    return ternary;
  case OP_exp: return mpfr_exp(out, x, MPFR_RNDN);
  case OP_exp2: return mpfr_exp2(out, x, MPFR_RNDN);
  case OP_log: return mpfr_log(out, x, MPFR_RNDN);
  case OP_log2: return mpfr_log2(out, x, MPFR_RNDN);
  case OP_sin: return mpfr_sin(out, x, MPFR_RNDN);
  case OP_cos: return mpfr_cos(out, x, MPFR_RNDN);
  case OP_tanh: return mpfr_tanh(out, x, MPFR_RNDN);
  case OP_erf: return mpfr_erf(out, x, MPFR_RNDN);
  default: fail_msg("no reference for %s", op_info[kind].name); return 0;
  }
}

static bool is_pick(OpKind kind) {
  return kind >= OP_maxf && kind <= OP_minimumf;
}

// What the op should give, in units of the format allowed between.
static double float_ref(OpKind kind, const double *x, Elem elem, int *units) {
  *units = 0;
  if (is_pick(kind)) return pick_ref(kind, x[0], x[1]);
  mpfr_t out, in[3];
  mpfr_init2(out, elem_info[elem].mantissa_bits + 1);
  for (int i = 0; i < 3; i++) {
    mpfr_init2(in[i], 53);
    mpfr_set_d(in[i], x[i], MPFR_RNDN);
  }
  int ternary;
  if (!exact_ref(kind, out, in, &ternary)) {
    ternary = near_ref(kind, out, in[0]);
    *units = 1;
  }
  const double value = ref_finish(out, ternary, elem);
  mpfr_clear(out);
  for (int i = 0; i < 3; i++) mpfr_clear(in[i]);
  return value;
}

static bool same_float(uint64_t a, uint64_t b, Elem elem, int units) {
  if (ref_is_nan(a, elem) || ref_is_nan(b, elem)) {
    return ref_is_nan(a, elem) && ref_is_nan(b, elem);
  }
  const uint64_t apart = a > b ? a - b : b - a;
  return apart <= (uint64_t)units;
}

static void check_floats(OpKind kind, Elem elem) {
  static Case c;
  const int n = op_info[kind].num_operands;
  const Edges edges = float_edges(elem);
  fill_pairs(&c, &edges);
  run_case(&c, kind, n, (Elem[]){elem, elem, elem}, elem, ATTR_COUNT, 0);
  for (int i = 0; i < LANES; i++) {
    const double x[] = {ref_decode(c.x[0][i], elem),
                        ref_decode(c.x[1][i], elem),
                        ref_decode(c.x[2][i], elem)};
    int units;
    const double value = float_ref(kind, x, elem, &units);
    const uint64_t want = ref_encode(value, elem);
    if (same_float(c.out[i], want, elem, units)) continue;
    fail_msg("%s %s %a, %a, %a: %#llx (%a), not %#llx (%a)", op_info[kind].name,
             elem_info[elem].name, x[0], x[1], x[2],
             (unsigned long long)c.out[i], ref_decode(c.out[i], elem),
             (unsigned long long)want, value);
  }
}

static void test_floats(void **state) {
  (void)state;
  for (int kind = 0; kind < OP_COUNT; kind++) {
    if (op_info[kind].rule != RULE_FLOATS) continue;
    for (int i = 0; i < 4; i++) check_floats((OpKind)kind, floats[i]);
  }
}

static bool cmpf_ref(Predicate p, double x, double y) {
  if (isnan(x) || isnan(y)) return p == PREDICATE_ne;
  const bool results[] = {
      [PREDICATE_eq] = x == y,
      [PREDICATE_ne] = x != y,
      [PREDICATE_lt] = x<y, [PREDICATE_le] = x <= y, [PREDICATE_gt] = x> y,
      [PREDICATE_ge] = x >= y};
  return results[p];
}

static void test_cmpf(void **state) {
  (void)state;
  static Case c;
  for (int i = 0; i < 4; i++) {
    const Elem elem = floats[i];
    const Edges edges = float_edges(elem);
    fill_pairs(&c, &edges);
    for (int p = PREDICATE_eq; p <= PREDICATE_ge; p++) {
      run_case(&c, OP_cmpf, 2, (Elem[]){elem, elem}, ELEM_i1, ATTR_predicate,
               p);
      for (int k = 0; k < LANES; k++) {
        assert_int_equal(c.out[k],
                         cmpf_ref((Predicate)p, ref_decode(c.x[0][k], elem),
                                  ref_decode(c.x[1][k], elem)));
      }
    }
  }
}

// -- Conversions -------------------------------------------------------------

static const Elem all_floats[] = {ELEM_f8e5, ELEM_f8e4nv, ELEM_f16,
                                  ELEM_bf16, ELEM_f32,    ELEM_f64};

static double largest_ref(Elem elem) {
  if (elem == ELEM_f8e4nv) return 448;
  return ref_decode(ref_exponent_mask(elem) - 1, elem);
}

// Overflow of f8 saturates, and so do infinities.
static double saturate_ref(double rounded, Elem elem) {
  if (elem == ELEM_f8e4nv && fabs(rounded) > 448) {
    return copysign(448, rounded);
  }
  if (elem == ELEM_f8e5 && isinf(rounded)) {
    return copysign(largest_ref(elem), rounded);
  }
  return rounded;
}

static double convert_ref(double x, Elem to, mpfr_rnd_t direction) {
  mpfr_t in, out;
  mpfr_init2(in, 53);
  mpfr_init2(out, elem_info[to].mantissa_bits + 1);
  mpfr_set_d(in, x, MPFR_RNDN);
  int ternary = mpfr_set(out, in, direction);
  double value;
  if (direction == MPFR_RNDN) {
    value = ref_finish(out, ternary, to);
  } else { // cut off below the smallest unit, keep the largest above it
    const int ulp = 1 - ref_bias(to) - elem_info[to].mantissa_bits;
    value = mpfr_get_d(out, MPFR_RNDZ);
    if (fabs(value) < ldexp(1, 1 - ref_bias(to))) {
      value = copysign(ldexp(trunc(ldexp(fabs(x), -ulp)), ulp), x);
    }
    if (fabs(value) > largest_ref(to) && !isinf(x)) {
      value = copysign(largest_ref(to), x);
    }
  }
  mpfr_clear(in);
  mpfr_clear(out);
  return saturate_ref(value, to);
}

static void check_conversion(Case *c, Elem from, Elem to, OpKind kind,
                             Rounding rounding) {
  run_case(c, kind, 1, &from, to,
           kind == OP_truncf ? ATTR_rounding : ATTR_COUNT, rounding);
  const mpfr_rnd_t direction = rounding == ROUNDING_rtz ? MPFR_RNDZ : MPFR_RNDN;
  for (int k = 0; k < LANES; k++) {
    const double x = ref_decode(c->x[0][k], from);
    const uint64_t want = ref_encode(convert_ref(x, to, direction), to);
    if (same_float(c->out[k], want, to, 0)) continue;
    fail_msg("%s %a to %s: %#llx, not %#llx", elem_info[from].name, x,
             elem_info[to].name, (unsigned long long)c->out[k],
             (unsigned long long)want);
  }
}

// Edge values of the narrower format, and what lies halfway between them.
static void fill_halves(Case *c, Elem from, Elem to) {
  const Edges edges = float_edges(to), own = float_edges(from);
  for (int i = 0; i < LANES; i++) {
    const double x = ref_decode(edges.bits[i % EDGES], to);
    const double next = ref_decode(edges.bits[i % EDGES] + 1, to);
    const double places[] = {x, (x + next) / 2, (3 * x + next) / 4,
                             nextafter((x + next) / 2, x),
                             nextafter((x + next) / 2, next)};
    const double place = places[i / EDGES % 5];
    c->x[0][i] = own.bits[i % EDGES];
    if (i < EDGES * 25 && isfinite(place)) {
      c->x[0][i] = ref_encode(convert_ref(place, from, MPFR_RNDN), from);
    }
  }
}

static void test_float_conversions(void **state) {
  (void)state;
  static Case c;
  for (int i = 0; i < 6; i++) {
    for (int j = 0; j < 6; j++) {
      const Elem from = all_floats[i], to = all_floats[j];
      if (from == to) continue;
      const bool wider = elem_info[to].bits > elem_info[from].bits;
      fill_halves(&c, from, to);
      check_conversion(&c, from, to, wider ? OP_extf : OP_truncf,
                       ROUNDING_rtne);
      if (!wider) check_conversion(&c, from, to, OP_truncf, ROUNDING_rtz);
    }
  }
}

static double from_int_ref(Wide x, Elem to) {
  mpfr_t out;
  mpfr_init2(out, elem_info[to].mantissa_bits + 1);
  const uint64_t magnitude = (uint64_t)(x < 0 ? -x : x);
  mpfr_t exact;
  mpfr_init2(exact, 80);
  mpfr_set_ui(exact, (unsigned long)(magnitude >> 32), MPFR_RNDN);
  mpfr_mul_2ui(exact, exact, 32, MPFR_RNDN);
  mpfr_add_ui(exact, exact, (unsigned long)(uint32_t)magnitude, MPFR_RNDN);
  if (x < 0) mpfr_neg(exact, exact, MPFR_RNDN);
  const int ternary = mpfr_set(out, exact, MPFR_RNDN);
  const double value = ref_finish(out, ternary, to);
  mpfr_clear(out);
  mpfr_clear(exact);
  return value;
}

static void check_from_int(OpKind kind, Elem from, Elem to) {
  static Case c;
  const Edges edges = int_edges(from);
  const int bits = elem_info[from].bits;
  fill_pairs(&c, &edges);
  for (int i = 64; i < LANES; i++) { // and around the points halfway
    const int at = i % bits;
    const uint64_t value = (UINT64_C(1) << at) + (UINT64_C(1) << at * 7 / 8) +
                           (UINT64_C(1) << at * 5 / 6) + (uint64_t)(i % 3) - 1;
    c.x[0][i] = low((Wide)value, bits);
  }
  run_case(&c, kind, 1, &from, to, ATTR_COUNT, 0);
  for (int k = 0; k < LANES; k++) {
    const Wide x =
        kind == OP_sitofp ? as_signed(c.x[0][k], bits) : (Wide)c.x[0][k];
    assert_int_equal(c.out[k], ref_encode(from_int_ref(x, to), to));
  }
}

static void test_int_to_float(void **state) {
  (void)state;
  for (int i = 0; i < 5; i++) {
    for (int j = 0; j < 4; j++) {
      check_from_int(OP_sitofp, ints[i], floats[j]);
      check_from_int(OP_uitofp, ints[i], floats[j]);
    }
  }
}

static Wide to_int_ref(double x, Wide min, Wide max) {
  if (isnan(x)) return 0;
  if (x <= (double)min) return min;
  if (x >= (double)max) return max; // (double)max is max or max + 1
  return (Wide)x;
}

static void check_to_int(OpKind kind, Elem from, Elem to) {
  static Case c;
  const Edges edges = float_edges(from);
  const int bits = elem_info[to].bits;
  const bool is_signed = kind == OP_fptosi;
  const Wide half = (Wide)1 << (bits - 1);
  fill_pairs(&c, &edges);
  for (int i = 64; i < LANES; i++) {
    const double limit = ldexp(1, i % 66) * (i & 1 ? 1 : -1);
    const double near = limit + (i % 7 - 3) * 0.5;
    c.x[0][i] = ref_encode(convert_ref(near, from, MPFR_RNDN), from);
  }
  run_case(&c, kind, 1, &from, to, ATTR_COUNT, 0);
  for (int k = 0; k < LANES; k++) {
    const double x = ref_decode(c.x[0][k], from);
    const Wide want = is_signed ? to_int_ref(x, -half, half - 1)
                                : to_int_ref(x, 0, 2 * half - 1);
    assert_int_equal(c.out[k], low(want, bits));
  }
}

static void test_float_to_int(void **state) {
  (void)state;
  for (int i = 0; i < 5; i++) {
    for (int j = 0; j < 4; j++) {
      check_to_int(OP_fptosi, floats[j], ints[i]);
      check_to_int(OP_fptoui, floats[j], ints[i]);
    }
  }
}

#endif

// -- Bits --------------------------------------------------------------------

// Loads, stores and bit casts keep every bit, of NaNs too.
static void test_bitcast(void **state) {
  (void)state;
  static Case c;
  for (int from = 0; from < ELEM_COUNT; from++) {
    for (int to = 0; to < ELEM_COUNT; to++) {
      const int bits = elem_info[from].bits;
      if (bits != elem_info[to].bits || bits == 1) continue;
      for (int i = 0; i < LANES; i++) {
        const uint64_t mixed = (uint64_t)i * UINT64_C(0x9e3779b97f4a7c15);
        c.x[0][i] = low((Wide)(mixed >> 7), bits);
        if (i % 4 == 0) c.x[0][i] = low(-(Wide)i, bits); // NaNs
      }
      const Elem elem = (Elem)from;
      run_case(&c, OP_bitcast, 1, &elem, (Elem)to, ATTR_COUNT, 0);
      assert_memory_equal(c.out, c.x[0], sizeof c.out);
    }
  }
}

static void test_select(void **state) {
  (void)state;
  static Case c;
  for (int elem = 0; elem < ELEM_COUNT; elem++) {
    for (int i = 0; i < LANES; i++) {
      c.x[0][i] = i * 5 % 3 == 0;
      c.x[1][i] = low(i, elem_info[elem].bits);
      c.x[2][i] = low(i + 1, elem_info[elem].bits);
    }
    run_case(&c, OP_select, 3, (Elem[]){ELEM_i1, (Elem)elem, (Elem)elem},
             (Elem)elem, ATTR_COUNT, 0);
    for (int i = 0; i < LANES; i++) {
      assert_int_equal(c.out[i], c.x[0][i] ? c.x[1][i] : c.x[2][i]);
    }
  }
}

static void test_addresses(void **state) {
  (void)state;
  int64_t out[2];
  int16_t in[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  Kit kit;
  kit_open(&kit, "kernel @k(%out: ptr<i64>, %in: ptr<i16>, %n: i32) {\n"
                 "  %p = addptr %in, %n : ptr<i16>\n"
                 "  %a = ptrtoint %p : i64\n"
                 "  %b = ptrtoint %in : i64\n"
                 "  %d = subi %a, %b : i64\n"
                 "  store %out, %d\n"
                 "  %q = inttoptr %a : ptr<i16>\n"
                 "  %m = constant {value = -2} : i64\n"
                 "  %r = addptr %q, %m : ptr<i16>\n"
                 "  %x = load %r : i16\n"
                 "  %w = extsi %x : i64\n"
                 "  %one = constant {value = 1} : i32\n"
                 "  %o = addptr %out, %one : ptr<i64>\n"
                 "  store %o, %w\n"
                 "  return\n"
                 "}\n");
  kit_memory(&kit, 0, out, sizeof out);
  kit_memory(&kit, 1, in, sizeof in);
  kit.args[2].as.i = 7;
  kit_pass(&kit);
  assert_int_equal(out[0], 14);
  assert_int_equal(out[1], 5);
}

static void test_all_ops_were_run(void **state) {
  (void)state;
#ifdef TILE_HAVE_MPFR
  for (int kind = 0; kind < OP_COUNT; kind++) {
    const bool wanted = op_info[kind].traits & TRAIT_ELEMENTWISE;
    if (wanted && !kit_seen[kind]) fail_msg("%s", op_info[kind].name);
  }
#else
  print_message("SKIP: floats need MPFR\n");
#endif
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_ints),
      cmocka_unit_test(test_cmpi),
      cmocka_unit_test(test_int_casts),
#ifdef TILE_HAVE_MPFR
      cmocka_unit_test(test_floats),
      cmocka_unit_test(test_cmpf),
      cmocka_unit_test(test_float_conversions),
      cmocka_unit_test(test_int_to_float),
      cmocka_unit_test(test_float_to_int),
#endif
      cmocka_unit_test(test_bitcast),
      cmocka_unit_test(test_select),
      cmocka_unit_test(test_addresses),
      cmocka_unit_test(test_all_ops_were_run),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
