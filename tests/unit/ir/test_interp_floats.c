// test_interp_floats.c -- float ops on edge values of every format, against
// MPFR.
#include "op_edges.h"

#ifdef TILE_HAVE_MPFR

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

// The result that the op should give, in units of the format allowed between.
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

static void test_all_ops_were_run(void **state) {
  (void)state;
  check_home(HOME_FLOATS);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_floats),
      cmocka_unit_test(test_cmpf),
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
