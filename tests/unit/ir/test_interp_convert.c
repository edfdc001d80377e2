// test_interp_convert.c -- conversions between number formats on edge values,
// against MPFR.
#include "op_edges.h"

#ifdef TILE_HAVE_MPFR

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
    const bool one_nan = isnan(x) && elem_info[to].bits <= 16;
    const uint64_t nan = elem_info[to].bits == 8 ? 0x7f : 0x7fff;
    if (one_nan ? c->out[k] == nan : same_float(c->out[k], want, to, 0))
      continue;
    fail_msg("%s %a to %s: %#llx, not %#llx", elem_info[from].name, x,
             elem_info[to].name, (unsigned long long)c->out[k],
             (unsigned long long)want);
  }
}

// Edge values of the narrower format, and the values halfway between them.
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

static void test_all_ops_were_run(void **state) {
  (void)state;
  check_home(HOME_CONVERSIONS);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_float_conversions),
      cmocka_unit_test(test_int_to_float),
      cmocka_unit_test(test_float_to_int),
      cmocka_unit_test(test_all_ops_were_run),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void) {
  print_message("SKIP: floats need MPFR\n");
  return 0;
}

#endif
