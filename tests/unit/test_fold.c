// test_fold.c -- folding against C arithmetic, and the rewrite driver.
#include "ir/fold.h"
#include "ir/number.h"
#include "ir/rewrite.h"
#include "ir/text.h"
#include "ir/verify.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

typedef struct {
  Arena arena;
  DiagList diags;
  Module *m;
  Builder b;
} Fixture;

static void fixture_open(Fixture *f) {
  arena_init(&f->arena, &system_allocator);
  diag_init(&f->diags, &f->arena);
  f->m = module_create(&f->arena, &f->diags);
  const SrcLoc loc = {0};
  Function *function = function_create(f->m, "k", loc, 0, NULL);
  f->b = builder_at_end(f->m, function->body, loc);
}

static const Type *scalar(Fixture *f, Elem elem) {
  return type_scalar(&f->m->types, elem);
}

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
        assert_true(k == 3); // division of what is denormal or zero
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
#undef INT
#undef FLT
  arena_free(&f.arena);
}

// -- Identities and the driver -----------------------------------------------

// The kernel after rewriting is `expected`; `body` follows the parameters.
static void becomes(const char *body, const char *expected) {
  static const char head[] =
      "kernel @k(%x: i32, %f: f32, %c: i1, %p: ptr<i32>, %q: ptr<f32>, %b: "
      "ptr<i1>) {\n";
  Fixture f;
  arena_init(&f.arena, &system_allocator);
  diag_init(&f.diags, &f.arena);
  f.m = module_create(&f.arena, &f.diags);
  Str text = str_in(&f.arena), wanted = str_in(&f.arena);
  str_addf(&text, "%s%s  return\n}\n", head, body);
  str_addf(&wanted, "%s%s  return\n}\n", head, expected);
  Source *source = source_create(&f.arena, "t", text.data, text.length);
  assert_true(module_parse(f.m, source));
  assert_true(module_verify(f.m));
  const bool changed = function_rewrite(f.m->functions, NULL, 0, 0);
  assert_int_equal(changed, strcmp(body, expected) != 0);
  assert_true(module_verify(f.m));
  Str printed = str_in(&f.arena);
  module_print(f.m, NULL, &printed);
  assert_string_equal(printed.data, wanted.data);
  assert_false(function_rewrite(f.m->functions, NULL, 0, 0));
  arena_free(&f.arena);
}

static void identity(const char *op, const char *expected) {
  char body[256], after[64];
  snprintf(body, sizeof body,
           "  %%zero = constant {value = 0} : i32\n"
           "  %%one = constant {value = 1} : i32\n"
           "  %%ones = constant {value = -1} : i32\n"
           "  %%r = %s : i32\n  store %%p, %%r\n",
           op);
  snprintf(after, sizeof after, "  store %%p, %s\n", expected);
  if (expected[0] == '%') {
    becomes(body, after);
    return;
  }
  char constant[128];
  const char *name = expected[0] == '-' ? "ones" : "r";
  snprintf(constant, sizeof constant,
           "  %%%s = constant {value = %s} : i32\n  store %%p, %%%s\n", name,
           expected, name);
  becomes(body, constant);
}

static void integer_identities_hold(void **state) {
  (void)state;
  identity("addi %x, %zero", "%x");
  identity("addi %zero, %x", "%x");
  identity("subi %x, %zero", "%x");
  identity("subi %x, %x", "0");
  identity("muli %one, %x", "%x");
  identity("muli %x, %zero", "0");
  identity("divsi %x, %one", "%x");
  identity("divui %x, %one", "%x");
  identity("remsi %x, %ones", "0");
  identity("remui %x, %one", "0");
  identity("andi %x, %x", "%x");
  identity("andi %ones, %x", "%x");
  identity("andi %x, %zero", "0");
  identity("ori %x, %zero", "%x");
  identity("ori %x, %ones", "-1");
  identity("ori %ones, %x", "-1");
  identity("xori %x, %x", "0");
  identity("xori %x, %zero", "%x");
  identity("shli %x, %zero", "%x");
  becomes("  %z = constant {value = 0} : i32\n"
          "  %r = shrsi %z, %x : i32\n  store %p, %r\n",
          "  %z = constant {value = 0} : i32\n  store %p, %z\n");
  identity("maxsi %x, %x", "%x");
  identity("maxui %x, %zero", "%x");
  identity("minui %x, %ones", "%x");
  identity("minui %zero, %x", "0");
  identity("select %c, %x, %x", "%x");
}

static void things_that_are_no_identities_stay(void **state) {
  (void)state;
  becomes("  %z = constant {value = 0} : i32\n"
          "  %0 = subi %z, %x : i32\n"
          "  store %p, %0\n"
          "  %1 = divsi %x, %x : i32\n"
          "  store %p, %1\n"
          "  %2 = shli %x, %x : i32\n"
          "  store %p, %2\n",
          "  %z = constant {value = 0} : i32\n"
          "  %0 = subi %z, %x : i32\n"
          "  store %p, %0\n"
          "  %1 = divsi %x, %x : i32\n"
          "  store %p, %1\n"
          "  %2 = shli %x, %x : i32\n"
          "  store %p, %2\n");
  // x + 0 is not x for x = -0; x * 0 and x - x are not 0 for a NaN.
  static const char floats[] = "  %z = constant {value = 0.0} : f32\n"
                               "  %0 = addf %f, %z : f32\n"
                               "  %1 = mulf %0, %z : f32\n"
                               "  %2 = subf %1, %1 : f32\n"
                               "  store %q, %2\n"
                               "  %3 = cmpf %f, %f {predicate = eq} : i1\n"
                               "  store %b, %3\n";
  becomes(floats, floats);
}

static void float_identities_hold(void **state) {
  (void)state;
  becomes("  %m = constant {value = -0.0} : f32\n"
          "  %z = constant {value = 0.0} : f32\n"
          "  %o = constant {value = 1.0} : f32\n"
          "  %0 = addf %m, %f : f32\n"
          "  %1 = subf %0, %z : f32\n"
          "  %2 = mulf %o, %1 : f32\n"
          "  %3 = divf %2, %o : f32\n"
          "  %4 = negf %3 : f32\n"
          "  %5 = negf %4 : f32\n"
          "  %6 = extf %5 : f64\n"
          "  %7 = truncf %6 : f32\n"
          "  store %q, %7\n",
          "  store %q, %f\n");
}

static void comparisons_and_selects_fold(void **state) {
  (void)state;
  becomes("  %t = constant {value = true} : i1\n"
          "  %n = constant {value = false} : i1\n"
          "  %0 = select %c, %t, %n : i1\n"
          "  store %b, %0\n"
          "  %1 = cmpi %p, %p {predicate = ule} : i1\n"
          "  %2 = select %1, %c, %n : i1\n"
          "  store %b, %2\n",
          "  store %b, %c\n"
          "  store %b, %c\n");
}

static void shapes_of_uniform_tiles_fold(void **state) {
  (void)state;
  becomes("  %s = splat %x : tile<16xi32>\n"
          "  %e = expand_dims %s {axis = 0} : tile<1x16xi32>\n"
          "  %w = broadcast %e : tile<2x16xi32>\n"
          "  %t = trans %w {order = [1, 0]} : tile<16x2xi32>\n"
          "  %r = reshape %t : tile<32xi32>\n"
          "  %one = constant {value = 1} : i32\n"
          "  %ones = splat %one : tile<16xi32>\n"
          "  %cat = cat %ones, %ones {axis = 0} : tile<32xi32>\n"
          "  %sum = addi %r, %cat : tile<32xi32>\n"
          "  %i = arange {start = 5, end = 6} : tile<1xi32>\n"
          "  %j = broadcast %i : tile<32xi32>\n"
          "  %sum2 = addi %sum, %j : tile<32xi32>\n"
          "  %ps = splat %p : tile<32xptr<i32>>\n"
          "  %zero = constant {value = 0} : tile<32xi32>\n"
          "  %ps2 = addptr %ps, %zero : tile<32xptr<i32>>\n"
          "  store %ps2, %sum2\n",
          "  %r = splat %x : tile<32xi32>\n"
          "  %cat = constant {value = 1} : tile<32xi32>\n"
          "  %sum = addi %r, %cat : tile<32xi32>\n"
          "  %j = constant {value = 5} : tile<32xi32>\n"
          "  %sum2 = addi %sum, %j : tile<32xi32>\n"
          "  %ps = splat %p : tile<32xptr<i32>>\n"
          "  store %ps, %sum2\n");
}

static void dead_code_goes_with_its_producers(void **state) {
  (void)state;
  becomes("  %l = load %p : i32\n"
          "  %a = addi %l, %x : i32\n"
          "  %d = if %c : i32 () {\n"
          "    %e = muli %a, %a : i32\n"
          "    yield values(%e)\n"
          "  } () {\n"
          "    yield values(%x)\n"
          "  }\n",
          "  %l = load %p : i32\n");
}

static void folding_reaches_into_regions(void **state) {
  (void)state;
  becomes("  %one = constant {value = 1} : i32\n"
          "  %two = addi %one, %one : i32\n"
          "  if %c () {\n"
          "    %four = muli %two, %two : i32\n"
          "    store %p, %four\n"
          "    yield\n"
          "  } () {\n"
          "    yield\n"
          "  }\n",
          "  if %c () {\n"
          "    %four = constant {value = 4} : i32\n"
          "    store %p, %four\n"
          "    yield\n"
          "  } () {\n"
          "    yield\n"
          "  }\n");
}

// x + y to y + x, for ever.
static Value *swap(Builder *b, Op *op) {
  return build_addi(b, op_result(op)->type, op_operand(op, 1),
                    op_operand(op, 0));
}

static Value *double_in_place(Builder *b, Op *op) {
  int64_t value = op_attr(op, ATTR_value)->as.i;
  if (value >= 1000) return NULL;
  op_set_int(b->m, op, ATTR_value, 2 * value);
  return op_result(op);
}

static void rewrites_run_until_the_limit(void **state) {
  (void)state;
  Fixture f;
  fixture_open(&f);
  const Type *i32 = scalar(&f, ELEM_i32);
  Value *pid = build_program_id(&f.b, 0), *np = build_num_programs(&f.b, 0);
  Value *sum = build_addi(&f.b, i32, pid, np);
  Value *seven = build_int(&f.b, i32, 7);
  Value *values[] = {sum, seven};
  Op *print = build_op(&f.b, OP_device_print, 2, values, NULL, 0, NULL);
  build_return(&f.b);
  const Rewrite rewrites[] = {{OP_addi, swap}, {OP_constant, double_in_place}};
  assert_true(function_rewrite(f.m->functions, rewrites, 2, 0));
  assert_int_equal(op_operand(print, 0)->def->kind, OP_addi);
  int64_t value;
  assert_true(value_constant_int(op_operand(print, 1), &value));
  assert_int_equal(value, 7 * 256);
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
      cmocka_unit_test(integer_identities_hold),
      cmocka_unit_test(things_that_are_no_identities_stay),
      cmocka_unit_test(float_identities_hold),
      cmocka_unit_test(comparisons_and_selects_fold),
      cmocka_unit_test(shapes_of_uniform_tiles_fold),
      cmocka_unit_test(dead_code_goes_with_its_producers),
      cmocka_unit_test(folding_reaches_into_regions),
      cmocka_unit_test(rewrites_run_until_the_limit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
