// test_arithmetic.c -- arithmetic expressions in the values of options,
// compared with Python's results.
#include "runtime/tools/parts/arithmetic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void in_arena(void (*body)(void *arena)) {
  Arena arena;
  arena_init(&arena, &system_allocator);
  assert_true(arena_protect(&arena, body, &arena));
  arena_free(&arena);
}

// repr(eval(text)) of Python 3.11, floats with 17 digits.
static const char *const sums[][2] = {
    // clang-format off
    {"0+62", "62"},
    {"1+0", "1"},
    {"1+62", "63"},
    {"7+(-2)", "5"},
    {"7+3", "10"},
    {"7+0", "7"},
    {"(-7)+1", "-6"},
    {"(-7)+(-2)", "-9"},
    {"(-7)+0", "-7"},
    {"(-7)+(-1)", "-8"},
    {"9223372036854775807+0", "9223372036854775807"},
    {"(-1)+2", "1"},
    {"(-1)+62", "61"},
    {"2+1", "3"},
    {"2+2", "4"},
    {"2+(-2)", "0"},
    {"2+3", "5"},
    {"2+0", "2"},
    {"2+62", "64"},
    {"0-2", "-2"},
    {"0-(-2)", "2"},
    {"0-(-1)", "1"},
    {"1-2", "-1"},
    {"1-3", "-2"},
    {"1-62", "-61"},
    {"7-2", "5"},
    {"7-3", "4"},
    {"7-0", "7"},
    {"7-(-1)", "8"},
    {"(-7)-1", "-8"},
    {"(-7)-0", "-7"},
    {"(-7)-(-1)", "-6"},
    {"9223372036854775807-2", "9223372036854775805"},
    {"(-1)-1", "-2"},
    {"(-1)-2", "-3"},
    {"(-1)-0", "-1"},
    {"2-1", "1"},
    {"2-2", "0"},
    {"2-(-2)", "4"},
    {"2-3", "-1"},
    {"2-0", "2"},
    {"0*1", "0"},
    {"0*2", "0"},
    {"0*0", "0"},
    {"0*(-1)", "0"},
    {"1*3", "3"},
    {"1*(-1)", "-1"},
    {"7*2", "14"},
    {"7*62", "434"},
    {"(-7)*2", "-14"},
    {"(-7)*3", "-21"},
    {"9223372036854775807*(-1)", "-9223372036854775807"},
    {"(-1)*1", "-1"},
    {"(-1)*2", "-2"},
    {"(-1)*62", "-62"},
    {"2*1", "2"},
    {"2*2", "4"},
    {"2*0", "0"},
    {"0//3", "0"},
    {"0//(-1)", "0"},
    {"1//(-2)", "-1"},
    {"1//62", "0"},
    {"7//2", "3"},
    {"(-7)//1", "-7"},
    {"9223372036854775807//(-1)", "-9223372036854775807"},
    {"(-1)//(-1)", "1"},
    {"0%1", "0"},
    {"0%2", "0"},
    {"1%1", "0"},
    {"1%(-2)", "-1"},
    {"1%3", "1"},
    {"1%(-1)", "0"},
    {"1%62", "1"},
    {"7%1", "0"},
    {"7%2", "1"},
    {"7%3", "1"},
    {"7%62", "7"},
    {"(-7)%2", "1"},
    {"(-7)%(-2)", "-1"},
    {"(-7)%3", "2"},
    {"(-7)%(-1)", "0"},
    {"9223372036854775807%1", "0"},
    {"9223372036854775807%2", "1"},
    {"9223372036854775807%3", "1"},
    {"9223372036854775807%(-1)", "0"},
    {"(-1)%(-2)", "-1"},
    {"(-1)%(-1)", "0"},
    {"(-1)%62", "61"},
    {"2%(-1)", "0"},
    {"0**1", "0"},
    {"0**2", "0"},
    {"0**0", "1"},
    {"1**1", "1"},
    {"1**(-2)", "1"},
    {"1**3", "1"},
    {"1**(-1)", "1"},
    {"7**(-2)", "0.020408163265306121"},
    {"7**(-1)", "0.14285714285714285"},
    {"(-7)**(-2)", "0.020408163265306121"},
    {"(-7)**0", "1"},
    {"(-1)**1", "-1"},
    {"(-1)**3", "-1"},
    {"(-1)**(-1)", "-1"},
    {"2**2", "4"},
    {"2**(-2)", "0.25"},
    {"2**3", "8"},
    {"2**(-1)", "0.5"},
    {"0/62", "0"},
    {"1/2", "0.5"},
    {"1/(-2)", "-0.5"},
    {"1/(-1)", "-1"},
    {"7/2", "3.5"},
    {"7/(-2)", "-3.5"},
    {"(-7)/1", "-7"},
    {"9223372036854775807/2", "4.6116860184273879e+18"},
    {"9223372036854775807/(-2)", "-4.6116860184273879e+18"},
    {"9223372036854775807/(-1)", "-9.2233720368547758e+18"},
    {"(-1)/1", "-1"},
    {"2/1", "2"},
    {"2/(-1)", "-2"},
    {"-2**2", "-4"},
    {"2**-1", "0.5"},
    {"2**3**2", "512"},
    {"-(2)", "-2"},
    {"1+2*3", "7"},
    {"(1+2)*3", "9"},
    {"7-3-2", "2"},
    {"100//7//2", "7"},
    {"100/8/2", "6.25"},
    {"2*3%4", "2"},
    {"-7//2.0", "-4"},
    {"-7%2.5", "0.5"},
    {"7%-2.5", "-0.5"},
    {"7.5//2", "3"},
    {"7.5//-2", "-4"},
    {"0x10+1", "17"},
    {"1.5e3*2", "3000"},
    {"-7.5//2", "-4"},
    {"1e3+.5", "1000.5"},
    {" 1 + 2 ", "3"},
    {"-9223372036854775807-1", "-9223372036854775808"},
    {"-2**63", "-9223372036854775808"},
    {"-(2**63)", "-9223372036854775808"},
    {"-9223372036854775808+1", "-9223372036854775807"},
    {"2**63-1", "9223372036854775807"},
    {"2**64//2**60", "16"},
    {"2**126%1000", "864"},
    {"2**62+(2**62-1)", "9223372036854775807"},
    {"1-2**0.5", "-0.41421356237309515"},
    {"4**0.5", "2"},
    {"0**0", "1"},
    {"(-1)**3", "-1"},
    {"(-1)**4", "1"},
    {"1**64", "1"},
    {"0**5", "0"},
    {"- -3", "3"},
    {"2--3", "5"},
    {"--3*2", "6"},
    {"1/4", "0.25"},
    {"3*-2", "-6"},
    {"5%3", "2"},
    {"-5%3", "1"},
    {"5%-3", "-1"},
    {"5//-3", "-2"},
    {"-5//-3", "1"},
    // clang-format on
};

static void as_python(void *arena) {
  for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) {
    const char *why = NULL;
    const char *found = arithmetic_text(arena, sums[i][0], &why);
    if (!found || strcmp(found, sums[i][1]) != 0)
      fail_msg("%s: %s, not %s", sums[i][0], found ? found : why, sums[i][1]);
  }
}

static void test_as_python(void **state) {
  (void)state;
  in_arena(as_python);
}

// A text without an operator is unchanged; so is a number, in any notation.
static void kept(void *arena) {
  static const char *const texts[] = {
      "",    "3",     "+3",   "0x10", "1e3",   "-inf", "nan",
      "a+1", "1+",    "1+2)", "(1+2", "1 2",   "*2",   "cdiv(1, 2)",
      "1,2", "1+2 x", "1.5x", "2**",  "f(1+2)"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    const char *why = NULL;
    assert_string_equal(arithmetic_text(arena, texts[i], &why), texts[i]);
    assert_null(why);
  }
}

static void test_kept(void **state) {
  (void)state;
  in_arena(kept);
}

static void wrong(void *arena) {
  static const char *const texts[][2] = {
      {"1//0", "a division by zero"},
      {"1/0", "a division by zero"},
      {"1%0", "a division by zero"},
      {"1/0.0", "a division by zero"},
      {"0**-1", "a division by zero"},
      {"2**0//0", "a division by zero"},
      {"9223372036854775807+1", "a number past 64 bits"},
      {"-9223372036854775807-2", "a number past 64 bits"},
      {"4611686018427387904*2", "a number past 64 bits"},
      {"1*9223372036854775808", "a number past 64 bits"},
      {"(-9223372036854775807-1)//-1", "a number past 64 bits"},
      {"-(-9223372036854775807-1)", "a number past 64 bits"},
      {"2**63", "a number past 64 bits"},
      {"-2**63-1", "a number past 64 bits"},
      {"2**126*2", "a number past 64 bits"},
      {"1*18446744073709551616", "a number past 64 bits"},
      {"3**1000000000000", "a number past 64 bits"},
      {"(-8)**0.5", "a power that is no real number"}};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    const char *why = "none";
    assert_null(arithmetic_text(arena, texts[i][0], &why));
    assert_string_equal(why, texts[i][1]);
  }
}

static void test_wrong(void **state) {
  (void)state;
  in_arena(wrong);
}

static bool no_name(void *ctx, const char *name, int64_t *out) {
  (void)ctx, (void)name, (void)out;
  return false;
}

// A number in brackets takes one level, and so does each sign; there are 100
// levels.
static void depth(void *arena) {
  char text[120];
  for (int n = 1; n <= 99; n++) {
    const char *why = NULL;
    memset(text, '-', (size_t)n);
    memcpy(text + n, "(1)", 4);
    assert_string_equal(arithmetic_text(arena, text, &why), n > 98  ? text
                                                            : n % 2 ? "-1"
                                                                    : "1");
  }
  Arithmetic a = {.at = text, .arena = arena, .find = no_name};
  arithmetic_sum(&a);
  assert_string_equal(a.why, "it is nested too deeply");
}

static void test_depth(void **state) {
  (void)state;
  in_arena(depth);
}

// -- With names --------------------------------------------------------------

static bool find(void *ctx, const char *name, int64_t *out) {
  ++*(int *)ctx;
  *out = !strcmp(name, "n") ? 100 : !strcmp(name, "tl.m") ? -7 : 0;
  return *out != 0;
}

static const struct {
  const char *text;
  int64_t value;
  const char *why, *wanted, *rest;
} named[] = {{"n", 100, NULL, NULL, ""},
             {"n + tl.m*2", 86, NULL, NULL, ""},
             {"cdiv(n, 7)", 15, NULL, NULL, ""},
             {"cdiv(98, 7)", 14, NULL, NULL, ""},
             {"triton.cdiv(tl.m, 2)", -3, NULL, NULL, ""},
             {"cdiv(n, -7) , 5", -14, NULL, NULL, ", 5"},
             {"min(n, 3, tl.m)+1", -6, NULL, NULL, ""},
             {"min(3, n)", 3, NULL, NULL, ""},
             {"max(tl.m, 3, n, 99)", 100, NULL, NULL, ""},
             {"max(n, 3)]", 100, NULL, NULL, "]"},
             {"max(2**3, min(9, 12))", 9, NULL, NULL, ""},
             {"n/2", 0, "a division of integers is '//'", NULL, ""},
             {"2**-1", 0, "a power that is no whole number", NULL, ""},
             {"cdiv(n, 0)", 0, "a division by zero", NULL, ""},
             {"cdiv(n)", 0, "cdiv wants two numbers", NULL, ")"},
             {"cdiv(n, 2, 3)", 0, "cdiv wants two numbers", NULL, ")"},
             {"min(n)", 0, "min and max want two numbers or more", NULL, ")"},
             {"most(n, 2)", 0, "there are the functions cdiv, min and max",
              NULL, "n, 2)"},
             {"min(n, 2", 0, NULL, "',' or ')'", ""},
             {"(n", 0, NULL, "')'", ""},
             {"n+", 0, NULL, "a number, a name or '('", ""},
             {"n*]", 0, NULL, "a number, a name or '('", "]"},
             {".5", 0, NULL, NULL, ""}};

static void names(void *arena) {
  for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
    int calls = 0;
    Arithmetic a = {
        .at = named[i].text, .arena = arena, .find = find, .ctx = &calls};
    const WideNumber value = arithmetic_sum(&a);
    if (!strcmp(named[i].text, ".5")) { // a name of no number
      assert_true(a.is_told && calls == 1);
      continue;
    }
    const bool fails = named[i].why || named[i].wanted;
    assert_int_equal(arithmetic_failed(&a), fails);
    assert_string_equal(named[i].why ? a.why : "",
                        named[i].why ? named[i].why : "");
    assert_string_equal(named[i].wanted ? a.wanted : "",
                        named[i].wanted ? named[i].wanted : "");
    if (!fails) assert_true(!value.is_float && value.i == named[i].value);
    if (!named[i].why) assert_string_equal(a.at, named[i].rest);
  }
}

static void test_names(void **state) {
  (void)state;
  in_arena(names);
}

static void unknown(void *arena) {
  int calls = 0;
  Arithmetic a = {.at = "k+k*n", .arena = arena, .find = find, .ctx = &calls};
  arithmetic_sum(&a);
  assert_true(a.is_told && arithmetic_failed(&a));
  assert_int_equal(calls, 1);
  assert_false(arithmetic_take(&a, ""));
}

static void test_unknown(void **state) {
  (void)state;
  in_arena(unknown);
}

// -- Integers ----------------------------------------------------------------

static void test_integer(void **state) {
  (void)state;
  static const struct {
    const char *text;
    bool is_one;
    int64_t value;
    const char *rest;
  } cases[] = {
      {"4*1024,x", true, 4096, ",x"}, {"010", true, 10, ""},
      {"2**10:4", true, 1024, ":4"},  {"-5", true, -5, ""},
      {"7/2", false, 0, ""},          {"1.5", true, 1, ".5"},
      {"x", false, 0, "x"},           {"9223372036854775808", false, 0, ""},
      {"0x10", true, 0, "x10"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *end;
    int64_t value;
    assert_int_equal(arithmetic_integer(cases[i].text, &end, &value),
                     cases[i].is_one);
    assert_string_equal(end, cases[i].rest);
    if (cases[i].is_one) assert_true(value == cases[i].value);
  }
}

// -- Items -------------------------------------------------------------------

static const char *const tuples[][2] = {
    {"1+2", "3"},
    {"(1+2,4)", "(3,4)"},
    {"( 1 + 2 , 4*1024 )", "( 3, 4096)"},
    {"(n=1+2, m = (2**3,))", "(n=3, m = (8,))"},
    {"((1+2)*3, ((4-1),))", "(9, (3,))"},
    {"*fp32:16, 2*2, (i32, 64//2), -1-1", "*fp32:16, 4, (i32, 32), -2"},
    {"('a,1+1)', \"(2+2,\", 1+1)", "('a,1+1)', \"(2+2,\", 2)"},
    {"tensordesc<fp16[4, 2]>, 1+1", "tensordesc<fp16[4, 2]>, 2"},
    {"(1+2", "(3"}, // the reader of the tuple misses its end
    // Unchanged: no expressions, or no values at all.
    {"", ""},
    {"()", "()"},
    {"(0x10, 1e3, None, fp16)", "(0x10, 1e3, None, fp16)"},
    {"(1+2)x, 1)+1", "(3)x, 1)+1"},
    {"(1+, 'a, n+1)", "(1+, 'a, n+1)"},
};

static void items(void *arena) {
  for (size_t i = 0; i < sizeof tuples / sizeof *tuples; i++) {
    const char *why = NULL;
    const char *found = items_compute(arena, tuples[i][0], &why);
    assert_non_null(found);
    assert_string_equal(found, tuples[i][1]);
  }
}

// Each character of the result belongs to a place in the text.
static void places(void *arena) {
  static const char text[] = "(n=2**40, x, 100-99, y)";
  const char *why, *result = items_compute(arena, text, &why);
  assert_string_equal(result, "(n=1099511627776, x, 1, y)");
  static const char names[] = "(nxy)";
  for (const char *name = names; *name; name++) {
    const size_t place = (size_t)(strchr(result, *name) - result);
    assert_int_equal(text[items_place(arena, text, place)], *name);
  }
  assert_null(items_compute(arena, "(1, (2, 1//0), 3)", &why));
  assert_string_equal(why, "a division by zero");
  assert_int_equal(items_depth("(1, ((2), '((('))"), 3);
  assert_int_equal(items_place(arena, "(1, (2, 1//0), 3)", SIZE_MAX), 8);
}

static void test_items(void **state) {
  (void)state;
  in_arena(items);
  in_arena(places);
}

// Expressions are computed within 100 brackets, however many there are.
static void nested(void *arena) {
  enum { MANY = 100000 };
  Str text = str_in(arena);
  const char *why;
  str_add_repeat(&text, '(', MANY);
  str_add(&text, "1+1,");
  const char *result = items_compute(arena, str_text(&text), &why);
  assert_string_equal(result, str_text(&text));
  assert_string_equal(items_compute(arena, result + MANY - 100, &why) + 100,
                      "2,");
}

static void test_nested(void **state) {
  (void)state;
  in_arena(nested);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_as_python), cmocka_unit_test(test_kept),
      cmocka_unit_test(test_wrong),     cmocka_unit_test(test_depth),
      cmocka_unit_test(test_names),     cmocka_unit_test(test_unknown),
      cmocka_unit_test(test_integer),   cmocka_unit_test(test_items),
      cmocka_unit_test(test_nested),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
