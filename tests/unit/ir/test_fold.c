// test_fold.c -- folding against C arithmetic.
#include "fold_kit.h"

#include "ir/number.h"
#include "ir/rewrite.h"

#include <math.h>

static const int signless[] = {ELEM_i1, ELEM_i8, ELEM_i16, ELEM_i32, ELEM_i64};

// -- Integers ----------------------------------------------------------------

// One op on constants; its value, which must fold.
static int64_t fold2(Fixture *f, OpKind kind, Elem elem, int64_t x, int64_t y) {
  const Type *type = scalar(f, elem);
  Value *operands[] = {build_int(&f->b, type, x), build_int(&f->b, type, y)};
  const int n = op_info[kind].num_operands;
  const Value *value = build_value(&f->b, kind, n, operands, type);
  const Value *folded = op_fold(&f->b, value->def);
  int64_t result = 0;
  assert_non_null(folded);
  assert_true(value_constant_int(folded, &result));
  return result;
}

static int bits_set(unsigned x) {
  int n = 0;
  for (; x; x &= x - 1) n++;
  return n;
}

static int zeros_above(unsigned x) {
  int n = 0;
  while (n < 8 && !(x >> (7 - n) & 1)) n++;
  return n;
}

// The meaning of an op on i8, in int.
static int meaning(OpKind kind, int x, int y) {
  const int ux = x & 255, uy = y & 255;
  switch (kind) {
  case OP_addi: return x + y;
  case OP_subi: return x - y;
  case OP_muli: return x * y;
  case OP_mulhsi: return (x * y) >> 8;
  case OP_mulhui: return (ux * uy) >> 8;
  case OP_divsi: return y ? x / y : -1;
  case OP_divui: return y ? ux / uy : 255;
  case OP_remsi: return y ? x % y : x;
  case OP_remui: return y ? ux % uy : x;
  case OP_andi: return x & y;
  case OP_ori: return x | y;
  case OP_xori: return x ^ y;
  case OP_shli: return uy < 8 ? x * (1 << uy) : 0;
  case OP_shrsi: return uy < 8 ? x >> uy : x < 0 ? -1 : 0;
  case OP_shrui: return uy < 8 ? ux >> uy : 0;
  case OP_maxsi: return x > y ? x : y;
  case OP_maxui: return ux > uy ? ux : uy;
  case OP_minsi: return x < y ? x : y;
  case OP_minui: return ux < uy ? ux : uy;
  case OP_absi: return x < 0 ? -x : x;
  case OP_clz: return zeros_above((unsigned)ux);
  default: return bits_set((unsigned)ux);
  }
}

static void bytes_fold_as_c_computes(void **state) {
  (void)state;
  for (int kind = OP_addi; kind <= OP_popcount; kind++) {
    Fixture f;
    fixture_open(&f);
    for (int x = -128; x < 128; x += x % 3 ? 1 : 3) {
      for (int y = -128; y < 128; y += y % 5 ? 1 : 4) {
        const int wanted = (int8_t)meaning((OpKind)kind, x, y);
        const int64_t got = fold2(&f, (OpKind)kind, ELEM_i8, x, y);
        if (got != wanted) {
          fail_msg("%s %d, %d: %d, not %d", op_info[kind].name, x, y, (int)got,
                   wanted);
        }
      }
    }
    arena_free(&f.arena);
  }
}

static void wide_integers_fold(void **state) {
  (void)state;
  Fixture f;
  fixture_open(&f);
  const int64_t min = INT64_MIN, max = INT64_MAX;
  assert_true(fold2(&f, OP_addi, ELEM_i64, max, 1) == min);
  assert_true(fold2(&f, OP_subi, ELEM_i64, min, 1) == max);
  assert_true(fold2(&f, OP_divsi, ELEM_i64, min, -1) == min);
  assert_true(fold2(&f, OP_divsi, ELEM_i64, 7, 0) == -1);
  assert_true(fold2(&f, OP_remsi, ELEM_i64, min, -1) == 0);
  assert_true(fold2(&f, OP_divui, ELEM_i64, -1, 2) == max);
  assert_true(fold2(&f, OP_mulhsi, ELEM_i64, min, min) == 1LL << 62);
  assert_true(fold2(&f, OP_mulhsi, ELEM_i64, -3, 5) == -1);
  assert_true(fold2(&f, OP_mulhui, ELEM_i64, -1, -1) == -2);
  assert_true(fold2(&f, OP_shrsi, ELEM_i64, min, 64) == -1);
  assert_true(fold2(&f, OP_shli, ELEM_i64, 1, 63) == min);
  assert_true(fold2(&f, OP_absi, ELEM_i64, min, 0) == min);
  assert_true(fold2(&f, OP_divsi, ELEM_i32, INT32_MIN, -1) == INT32_MIN);
  assert_true(fold2(&f, OP_mulhui, ELEM_i32, -1, -1) == -2);
  arena_free(&f.arena);
}

static void booleans_are_one_bit_numbers(void **state) {
  (void)state;
  Fixture f;
  fixture_open(&f);
  for (int x = 0; x < 2; x++) {
    for (int y = 0; y < 2; y++) {
      assert_int_equal(fold2(&f, OP_addi, ELEM_i1, x, y), x ^ y);
      assert_int_equal(fold2(&f, OP_subi, ELEM_i1, x, y), x ^ y);
      assert_int_equal(fold2(&f, OP_muli, ELEM_i1, x, y), x & y);
      assert_int_equal(fold2(&f, OP_maxui, ELEM_i1, x, y), x | y);
      assert_int_equal(fold2(&f, OP_maxsi, ELEM_i1, x, y), x & y);
      assert_int_equal(fold2(&f, OP_xori, ELEM_i1, x, y), x ^ y);
      assert_int_equal(fold2(&f, OP_shrsi, ELEM_i1, x, y), x);
    }
  }
  arena_free(&f.arena);
}

static int64_t fold_cmp(Fixture *f, Elem elem, Predicate predicate, Value *x,
                        Value *y) {
  const OpKind kind = elem_info[elem].is_float ? OP_cmpf : OP_cmpi;
  const Value *value = build_cmp(&f->b, kind, predicate, x, y);
  int64_t result = -1;
  assert_true(value_constant_int(op_fold(&f->b, value->def), &result));
  return result;
}

static void comparisons_fold(void **state) {
  (void)state;
  Fixture f;
  fixture_open(&f);
  for (size_t i = 1; i < sizeof signless / sizeof *signless; i++) {
    const Type *type = scalar(&f, (Elem)signless[i]);
    Value *one = build_int(&f.b, type, 1), *minus = build_int(&f.b, type, -1);
    static const int expected[] = {0, 1, 0, 0, 1, 1, 1, 1, 0, 0};
    for (int p = PREDICATE_eq; p <= PREDICATE_uge; p++) {
      assert_int_equal(fold_cmp(&f, type->elem, (Predicate)p, one, minus),
                       expected[p]);
    }
  }
  const Type *f32 = scalar(&f, ELEM_f32);
  Value *nan = build_float(&f.b, f32, NAN), *two = build_float(&f.b, f32, 2);
  for (int p = PREDICATE_eq; p <= PREDICATE_ge; p++) {
    const bool ne = p == PREDICATE_ne;
    assert_int_equal(fold_cmp(&f, ELEM_f32, (Predicate)p, nan, two), ne);
    assert_int_equal(fold_cmp(&f, ELEM_f32, (Predicate)p, nan, nan), ne);
  }
  arena_free(&f.arena);
}

// -- Floats ------------------------------------------------------------------

static bool fold_float(Fixture *f, OpKind kind, Elem elem, double x, double y,
                       double *out) {
  const Type *type = scalar(f, elem);
  Value *operands[] = {build_float(&f->b, type, x),
                       build_float(&f->b, type, y)};
  const int n = op_info[kind].num_operands;
  const Value *value = build_value(&f->b, kind, n, operands, type);
  const Value *folded = op_fold(&f->b, value->def);
  const Attr *attr;
  if (!folded || !value_is_constant(folded, &attr)) return false;
  *out = attr->as.f;
  return true;
}

static void floats_fold_as_the_hardware(void **state) {
  (void)state;
  static const float values[] = {0.0f,   -0.0f,       1.0f,     -1.0f, 0.1f,
                                 3.0f,   1e-40f,      1e38f,    3e38f, -7.25f,
                                 1e-20f, 16777217.0f, 0x1p-149f};
  const size_t n = sizeof values / sizeof *values;
  Fixture f;
  fixture_open(&f);
  for (size_t i = 0; i < n * n; i++) {
    const float x = values[i / n], y = values[i % n];
    const float wanted[] = {x + y, x - y, x * y, x / y};
    static const OpKind kinds[] = {OP_addf, OP_subf, OP_mulf, OP_divf};
    for (int k = 0; k < 4; k++) {
      double got;
      if (!fold_float(&f, kinds[k], ELEM_f32, x, y, &got)) {
        assert_true(k == 3); // division with denormals or zeros
        continue;
      }
      const double exact = wanted[k];
      assert_memory_equal(&got, &exact, sizeof got);
    }
  }
  double got;
  assert_true(fold_float(&f, OP_divf_rn, ELEM_f32, 1, 3, &got));
  assert_true(got == 1.0f / 3.0f);
  assert_true(fold_float(&f, OP_addf, ELEM_f16, 2048, 1, &got) && got == 2048);
  assert_true(fold_float(&f, OP_addf, ELEM_f16, 2048, 3, &got) && got == 2052);
  assert_true(fold_float(&f, OP_mulf, ELEM_f16, 300, 300, &got) && isinf(got));
  assert_true(fold_float(&f, OP_addf, ELEM_bf16, 256, 1, &got) && got == 256);
  arena_free(&f.arena);
}

static void nans_are_left_to_the_device(void **state) {
  (void)state;
  Fixture f;
  fixture_open(&f);
  double got;
  assert_false(fold_float(&f, OP_subf, ELEM_f32, INFINITY, INFINITY, &got));
  assert_false(fold_float(&f, OP_mulf, ELEM_f32, INFINITY, 0, &got));
  assert_false(fold_float(&f, OP_addf, ELEM_f32, NAN, 1, &got));
  assert_false(fold_float(&f, OP_maxf, ELEM_f32, NAN, 1, &got));
  assert_false(fold_float(&f, OP_negf, ELEM_f32, NAN, 1, &got));
  assert_false(fold_float(&f, OP_exp, ELEM_f32, 1, 1, &got));
  arena_free(&f.arena);
}

static void zeros_keep_their_sign(void **state) {
  (void)state;
  Fixture f;
  fixture_open(&f);
  double got;
  assert_true(fold_float(&f, OP_maxf, ELEM_f32, -0.0, 0.0, &got));
  assert_false(signbit(got));
  assert_true(fold_float(&f, OP_minf, ELEM_f32, 0.0, -0.0, &got));
  assert_true(signbit(got));
  assert_true(fold_float(&f, OP_negf, ELEM_f32, 0, 0, &got) && signbit(got));
  assert_true(fold_float(&f, OP_absf, ELEM_f32, -0.0, 0, &got));
  assert_false(signbit(got));
  arena_free(&f.arena);
}

// -- Conversions -------------------------------------------------------------

static const Attr *convert(Fixture *f, OpKind kind, Elem from, int64_t i,
                           double x, Elem to) {
  const Type *type = scalar(f, from);
  Value *value = elem_info[from].is_float ? build_float(&f->b, type, x)
                                          : build_int(&f->b, type, i);
  value = build_value(&f->b, kind, 1, &value, scalar(f, to));
  const Attr *attr = NULL;
  const Value *folded = op_fold(&f->b, value->def);
  return folded && value_is_constant(folded, &attr) ? attr : NULL;
}

static void conversions_fold(void **state) {
  (void)state;
  Fixture f;
  fixture_open(&f);
#define INT(kind, from, i, to) convert(&f, OP_##kind, from, i, 0, to)
#define FLT(kind, from, x, to) convert(&f, OP_##kind, from, 0, x, to)
  assert_int_equal(INT(extsi, ELEM_i8, -3, ELEM_i32)->as.i, -3);
  assert_int_equal(INT(extui, ELEM_i8, -3, ELEM_i32)->as.i, 253);
  assert_int_equal(INT(extsi, ELEM_i1, 1, ELEM_i32)->as.i, -1);
  assert_int_equal(INT(extui, ELEM_i1, 1, ELEM_i32)->as.i, 1);
  assert_int_equal(INT(trunci, ELEM_i32, 200, ELEM_i8)->as.i, -56);
  assert_true(INT(sitofp, ELEM_i32, -7, ELEM_f32)->as.f == -7);
  assert_true(INT(uitofp, ELEM_i8, -1, ELEM_f16)->as.f == 255);
  assert_true(INT(sitofp, ELEM_i32, 16777217, ELEM_f32)->as.f == 16777216);
  assert_null(INT(sitofp, ELEM_i64, INT64_MAX, ELEM_f32));
  assert_int_equal(FLT(fptosi, ELEM_f32, -1.9, ELEM_i32)->as.i, -1);
  assert_int_equal(FLT(fptosi, ELEM_f32, 1e30, ELEM_i32)->as.i, INT32_MAX);
  assert_int_equal(FLT(fptosi, ELEM_f32, -1e30, ELEM_i8)->as.i, -128);
  assert_int_equal(FLT(fptosi, ELEM_f64, NAN, ELEM_i64)->as.i, 0);
  assert_true(FLT(fptosi, ELEM_f64, 1e19, ELEM_i64)->as.i == INT64_MAX);
  assert_true(FLT(fptosi, ELEM_f64, -1e19, ELEM_i64)->as.i == INT64_MIN);
  assert_int_equal(FLT(fptoui, ELEM_f32, 255.5, ELEM_i8)->as.i, -1);
  assert_int_equal(FLT(fptoui, ELEM_f32, -5, ELEM_i8)->as.i, 0);
  assert_true(FLT(fptoui, ELEM_f64, 0x1p63, ELEM_i64)->as.i == INT64_MIN);
  assert_int_equal(FLT(fptoui, ELEM_f64, 1e30, ELEM_i64)->as.i, -1);
  assert_true(FLT(extf, ELEM_f16, 0.1, ELEM_f32)->as.f ==
              float_round(0.1, ELEM_f16));
  assert_true(FLT(truncf, ELEM_f32, 0.1, ELEM_f16)->as.f ==
              float_round(0.1f, ELEM_f16));
  assert_null(FLT(truncf, ELEM_f32, NAN, ELEM_f16));
  assert_int_equal(FLT(bitcast, ELEM_f32, 1, ELEM_i32)->as.i, 0x3f800000);
  assert_true(INT(bitcast, ELEM_i32, 0x3f800000, ELEM_f32)->as.f == 1);
  assert_true(INT(bitcast, ELEM_i16, -32768, ELEM_bf16)->as.f == 0);
  assert_null(INT(bitcast, ELEM_i32, -1, ELEM_f32));
  assert_true(INT(bitcast, ELEM_i16, 0x7c00, ELEM_f16)->as.f == INFINITY);
  assert_true(INT(bitcast, ELEM_i8, 0x7b, ELEM_f8e5)->as.f == 57344);
  assert_null(INT(bitcast, ELEM_i8, 0x7c, ELEM_f8e5));
#undef INT
#undef FLT
  arena_free(&f.arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bytes_fold_as_c_computes),
      cmocka_unit_test(wide_integers_fold),
      cmocka_unit_test(booleans_are_one_bit_numbers),
      cmocka_unit_test(comparisons_fold),
      cmocka_unit_test(floats_fold_as_the_hardware),
      cmocka_unit_test(nans_are_left_to_the_device),
      cmocka_unit_test(zeros_keep_their_sign),
      cmocka_unit_test(conversions_fold),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
