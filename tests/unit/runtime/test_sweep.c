// test_sweep.c -- the values that a benchmark runs through, and its points.
#include "runtime/tools/parts/sweep.h"

#include "tests/tools/open_files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void in_arena(void (*body)(void *arena)) {
  Arena arena;
  arena_init(&arena, &system_allocator);
  assert_true(arena_protect(&arena, body, &arena));
  arena_free(&arena);
}

static const char *read(Arena *arena, const char *text) {
  Sweep sweep;
  const char *why = NULL;
  Str out = str_in(arena);
  if (!sweep_read(arena, text, &sweep, &why)) return why;
  assert_null(why);
  for (size_t i = 0; i < sweep.count; i++)
    str_addf(&out, i ? " %lld" : "%lld", (long long)sweep.values[i]);
  return str_text(&out);
}

#define LIST  "a number is wanted, such as 4096 or 2^12"
#define RANGE "a range is FROM:TO, such as 2^10:2^26"
#define STEP  "a step is ':*FACTOR' or ':+DIFFERENCE'"
#define GROW  "the values must grow"

static const char *const texts[][2] = {
    {"7", "7"},
    {"2^0", "1"},
    {"2^12", "4096"},
    {"3^4,5", "81 5"},
    {"0^3,1^99", "0 1"},
    {"0", "0"},
    {"9223372036854775807", "9223372036854775807"},
    {"2^62", "4611686018427387904"},
    {"1:8", "1 2 4 8"},
    {"1:9", "1 2 4 8"},
    {"3:24", "3 6 12 24"},
    {"3^1:3^4", "3 9 27 81"},
    {"2^3:10^3", "8 80 800"},
    {"2^10:2^12", "1024 2048 4096"},
    {"10:1000:*10", "10 100 1000"},
    {"100:500:+100", "100 200 300 400 500"},
    {"0:2:+1", "0 1 2"},
    {"5:5", "5"},
    {"5:5:+1", "5"},
    {"1:100:*2^3", "1 8 64"},
    {"4611686018427387904:9223372036854775807", "4611686018427387904"},
    {"9223372036854775806:9223372036854775807:+3", "9223372036854775806"},
    {"", LIST},
    {"n", LIST},
    {"1,", LIST},
    {",1", LIST},
    {"-1", LIST},
    {"2^63", LIST},
    {"2^", LIST},
    {"9223372036854775808", LIST},
    {"1 2", "numbers are parted by ','"},
    {"1,2x", "numbers are parted by ','"},
    {":1", RANGE},
    {"1:", RANGE},
    {"1:x", RANGE},
    {"1,2:3", RANGE},
    {"1:2^99", RANGE},
    {"1:8:", STEP},
    {"1:8:2", STEP},
    {"1:8:*", STEP},
    {"1:8:+x", STEP},
    {"1:8:*2x", STEP},
    {"1:8x", STEP},
    {"1:8:*1", GROW},
    {"1:8:*0", GROW},
    {"1:8:+0", GROW},
    {"0:8", GROW},
    {"0:8:*3", GROW},
    {"8:1", "the end is before the start"},
    {"1:10001:+1", "these are more than 10000 values"}};

static void values(void *arena) {
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    const char *found = read(arena, texts[i][0]);
    if (strcmp(found, texts[i][1]) != 0)
      fail_msg("'%s': %s, not %s", texts[i][0], found, texts[i][1]);
  }
  Sweep sweep;
  const char *why;
  assert_true(sweep_read(arena, "1:10000:+1", &sweep, &why));
  assert_true(sweep.count == 10000 && sweep.values[9999] == 10000);
}

static void test_values(void **state) {
  (void)state;
  in_arena(values);
}

// -- Points ------------------------------------------------------------------

static const int64_t twos[] = {1, 2}, tens[] = {10, 20, 30}, last[] = {7, 8};

static void test_points(void **state) {
  (void)state;
  const Sweeps sweeps = {
      .items = {{"a", twos, 2}, {"b", tens, 3}, {"c", last, 2}},
      .count = 3,
      .num_points = 12};
  int64_t found[MAX_SWEEPS];
  size_t point = 0;
  for (int a = 0; a < 2; a++)
    for (int b = 0; b < 3; b++)
      for (int c = 0; c < 2; c++) {
        sweeps_at(&sweeps, point++, found);
        assert_true(found[0] == twos[a] && found[1] == tens[b] &&
                    found[2] == last[c]);
      }
  const Sweeps together = {.items = {{"a", twos, 2}, {"c", last, 2}},
                           .count = 2,
                           .num_points = 2,
                           .are_together = true};
  sweeps_at(&together, 1, found);
  assert_true(found[0] == 2 && found[1] == 8);
  sweeps_at(&together, 0, found);
  assert_true(found[0] == 1 && found[1] == 7);
}

static void fill(void *arena) {
  const Sweeps sweeps = {
      .items = {{"n", twos, 2}, {"nn", tens, 3}}, .count = 2, .num_points = 6};
  const int64_t at[] = {-4, 55};
  static const char *const cases[][2] = {
      {"", ""},
      {"n", "n"},
      {"{n}", "-4"},
      {"x{nn}y{n}{n}", "x55y-4-4"},
      {"{nnn}{}{m}", "{nnn}{}{m}"},
      {"{n", "{n"},
      {"{{n}}", "{-4}"},
      {"{n }", "{n }"},
      {"rand:fp32[{n}x{nn}]", "rand:fp32[-4x55]"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    assert_string_equal(sweeps_fill(arena, &sweeps, at, cases[i][0]),
                        cases[i][1]);
}

static void test_fill(void **state) {
  (void)state;
  in_arena(fill);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_values),
      cmocka_unit_test(test_points),
      cmocka_unit_test(test_fill),
  };
  return RUN_TESTS_WITH_FILES(tests);
}
