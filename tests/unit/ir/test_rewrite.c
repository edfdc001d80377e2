// test_rewrite.c -- identities, dead code and the driver that applies them.
//
// Backs I5 of ir/rewrite.
#include "fold_kit.h"

#include "ir/rewrite.h"
#include "ir/text.h"
#include "ir/verify.h"

#include <stdio.h>

// The kernel after rewriting is `expected`; `body` follows the parameters.
static void becomes(const char *body, const char *expected) {
  static const char head[] =
      "kernel @k(%x: i32, %f: f32, %c: i1, %p: ptr<i32>, %q: ptr<f32>, %b: "
      "ptr<i1>, %byte: i8, %bytes: ptr<i8>) {\n";
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

// Its infinities saturate on the way back; f8e4nv has none.
static void there_and_back_f8e5_may_differ(void **state) {
  (void)state;
  static const char there_and_back[] = "  %h = bitcast %byte : f8e5\n"
                                       "  %0 = extf %h : f16\n"
                                       "  %1 = truncf %0 : f8e5\n"
                                       "  %2 = bitcast %1 : i8\n"
                                       "  store %bytes, %2\n";
  becomes(there_and_back, there_and_back);
  becomes("  %h = bitcast %byte : f8e4nv\n"
          "  %0 = extf %h : f16\n"
          "  %1 = truncf %0 : f8e4nv\n"
          "  %2 = bitcast %1 : i8\n"
          "  store %bytes, %2\n",
          "  store %bytes, %byte\n");
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
      cmocka_unit_test(integer_identities_hold),
      cmocka_unit_test(things_that_are_no_identities_stay),
      cmocka_unit_test(float_identities_hold),
      cmocka_unit_test(there_and_back_f8e5_may_differ),
      cmocka_unit_test(comparisons_and_selects_fold),
      cmocka_unit_test(shapes_of_uniform_tiles_fold),
      cmocka_unit_test(dead_code_goes_with_its_producers),
      cmocka_unit_test(folding_reaches_into_regions),
      cmocka_unit_test(rewrites_run_until_the_limit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
