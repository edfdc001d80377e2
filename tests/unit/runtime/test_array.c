// test_array.c -- generated inputs, poison, comparisons.
#include "runtime/tools/array.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void in_arena(void (*body)(void *arena)) {
  Arena arena;
  arena_init(&arena, &system_allocator);
  assert_true(arena_protect(&arena, body, &arena));
  arena_free(&arena);
}

static NpyArray make(Arena *arena, const char *text) {
  NpyArray array;
  char why[256] = "";
  assert_true(array_is_generator(text));
  if (!array_generate(arena, text, "x", 7, &array, why, sizeof why))
    fail_msg("%s: %s", text, why);
  return array;
}

static void generators(void *arena) {
  NpyArray a = make(arena, "arange:i64[2x3]");
  assert_int_equal(a.rank, 2);
  assert_int_equal(a.count, 6);
  for (uint64_t i = 0; i < 6; i++) assert_true(array_value(&a, i) == (double)i);
  a = make(arena, "full(-2.5):fp16[4]");
  assert_true(array_value(&a, 3) == -2.5);
  a = make(arena, "full(-3):i8[4]");
  assert_true(array_value(&a, 3) == -3);
  a = make(arena, "full( -3):i32[4]");
  assert_true(array_value(&a, 3) == -3);
  a = make(arena, "zeros:bf16[1]");
  assert_true(array_value(&a, 0) == 0);
  a = make(arena, "rand:fp32[1000]");
  for (uint64_t i = 0; i < a.count; i++) {
    assert_true(array_value(&a, i) >= 0 && array_value(&a, i) <= 1);
  }
  a = make(arena, "rand:i1[100]");
  double sum = 0;
  for (uint64_t i = 0; i < a.count; i++) sum += array_value(&a, i);
  assert_true(sum > 20 && sum < 80);
}

static void misfits(void *arena) {
  static const char *const texts[] = {"full(2.5):i32[4]",
                                      "full(300):i8[4]",
                                      "full(-1):u64[4]",
                                      "full(1e400):i64[4]",
                                      "full(2):i1[4]",
                                      "full(-129):i8[4]",
                                      "full(9223372036854775808):i64[4]",
                                      "full(18446744073709551616):u64[4]"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    NpyArray array;
    char why[256];
    assert_false(
        array_generate(arena, texts[i], "x", 7, &array, why, sizeof why));
  }
  const NpyArray a = make(arena, "full(1.8e19):u64[1]");
  assert_true(array_value(&a, 0) == 1.8e19);
}

static void test_misfits(void **state) {
  (void)state;
  in_arena(misfits);
}

static void test_generators(void **state) {
  (void)state;
  in_arena(generators);
}

static void normal(void *arena) {
  const NpyArray a = make(arena, "randn:fp64[20000]");
  double sum = 0, squares = 0;
  for (uint64_t i = 0; i < a.count; i++) {
    sum += array_value(&a, i);
    squares += array_value(&a, i) * array_value(&a, i);
  }
  assert_true(fabs(sum / 20000) < 0.03);
  assert_true(fabs(squares / 20000 - 1) < 0.05);
  const NpyArray again = make(arena, "randn:fp64[20000]");
  assert_memory_equal(a.data, again.data, 8 * 20000);
}

static void test_normal(void **state) {
  (void)state;
  in_arena(normal);
}

static void poisoned(void *arena) {
  static const char *const floats[] = {
      "empty:fp64[3]",  "empty:fp32[3]",     "empty:fp16[3]", "empty:bf16[3]",
      "empty:fp8e5[3]", "empty:fp8e4nv[3]",  "empty:i32[3]",  "empty:u8[3]",
      "empty:i64[3]",   "empty:fp8e4b15[3]",
  };
  for (int i = 0; i < 10; i++) {
    const NpyArray a = make(arena, floats[i]);
    assert_true(poison_is_at(&a, 2));
    if (i < 6) assert_true(isnan(array_value(&a, 2)));
  }
}

static void test_poison(void **state) {
  (void)state;
  in_arena(poisoned);
}

static void refused(void *arena) {
  static const char *const texts[] = {
      "rand:fp32",
      "rand:fp33[4]",
      "rand:fp32[x]",
      "rand:fp32[4",
      "rand:fp32[4]x",
      "rand:fp32[-1]",
      "rand:fp32[4x]",
      "full():fp32[4]",
      "full(2:fp32[4]",
      "rand:[4]",
      "rand:fp32[99999999999999x99999999999999]",
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    NpyArray a;
    char why[256] = "";
    assert_false(array_generate(arena, texts[i], "x", 0, &a, why, sizeof why));
    assert_non_null(strstr(why, "makes no sense"));
  }
  assert_false(array_is_generator("random"));
  assert_false(array_is_generator("full"));
  assert_false(array_is_generator("3"));
}

static void test_refused(void **state) {
  (void)state;
  in_arena(refused);
}

static void test_compare(void **state) {
  (void)state;
  const float found[] = {1, 2, NAN, INFINITY, 5, 1000};
  float expected[] = {1, 2, NAN, INFINITY, 5, 1001};
  const NpyArray a = {
      .dtype = TILE_FP32, .rank = 1, .shape = {6}, .count = 6, .data = found};
  NpyArray b = a;
  b.data = expected;
  Comparison c = array_compare(&a, &b, 1e-2);
  assert_int_equal(c.num_wrong, 0);
  assert_int_equal(c.worst, 5);
  c = array_compare(&a, &b, 1e-4);
  assert_int_equal(c.num_wrong, 1);
  expected[2] = 0; // NaN where none is expected
  expected[3] = 1;
  c = array_compare(&a, &b, 1e30);
  assert_int_equal(c.num_wrong, 2);
  assert_int_equal(c.worst, 2);
}

static void check_apart(Arena *arena, const char *found, const char *expected,
                        double error, const char *text) {
  const NpyArray a = make(arena, found), b = make(arena, expected);
  const Comparison c = array_compare(&a, &b, 0);
  assert_int_equal(c.num_wrong, a.count);
  assert_true(c.error == error);
  assert_string_equal(array_value_text(arena, &a, 0), text);
}

static void integers_apart(void *arena) {
  check_apart(arena, "full(9007199254740993):i64[3]",
              "full(9007199254740992):i64[3]", 0x1p-53 / (1 + 0x1p-53),
              "9007199254740993");
  check_apart(arena, "full(18446744073709551615):u64[3]",
              "full(18446744073709551614):u64[3]", 0x1p-64,
              "18446744073709551615");
  check_apart(arena, "full(-9223372036854775808):i64[3]",
              "full(-9223372036854775807):i64[3]", 0x1p-63,
              "-9223372036854775808");
  check_apart(arena, "full(9007199254740993):u64[3]",
              "full(9007199254740992):fp64[3]", 0x1p-53, "9007199254740993");
  check_apart(arena, "full(18446744073709551615):u64[1]", "full(-1):i64[1]",
              0x1p63, "18446744073709551615");
  check_apart(arena, "full(3):i8[1]", "full(2.5):fp32[1]", 0.5 / 3.5, "3");
}

// These are equal as doubles.
static void test_integers(void **state) {
  (void)state;
  in_arena(integers_apart);
}

static void index_text(void *arena) {
  const NpyArray a = {.rank = 3, .shape = {2, 3, 4}};
  assert_string_equal(array_index_text(arena, &a, 23), "[1, 2, 3]");
  const NpyArray scalar = {.rank = 0};
  assert_string_equal(array_index_text(arena, &scalar, 0), "[]");
}

static void test_index_text(void **state) {
  (void)state;
  in_arena(index_text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_generators), cmocka_unit_test(test_misfits),
      cmocka_unit_test(test_normal),     cmocka_unit_test(test_poison),
      cmocka_unit_test(test_refused),    cmocka_unit_test(test_compare),
      cmocka_unit_test(test_index_text), cmocka_unit_test(test_integers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
