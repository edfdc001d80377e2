// test_figures.c -- results of a benchmark, in each form in which they are
// written, and reading them again.
#include "runtime/tools/parts/figures.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const int64_t sizes[] = {16, 64}, widths[] = {3, 5, 7};
static const Sweeps sweeps = {.items = {{"n", sizes, 2}, {"w,x", widths, 3}},
                              .count = 2,
                              .num_points = 6};
static const char *const names[] = {"ours", "a \"peer\", slow"};
// Rates differ in each point, and the last one was not measured.
static const Figure figures[12] = {{1e-3, 5e-4, 2e-3, 21, 4e6, 8e9, NULL},
                                   {2e-3, 1e-3, 4e-3, 9, 4e6, 8e9, NULL},
                                   {3e-3, 2e-3, 4e-3, 21, 3e6, 6e9, NULL},
                                   {4e-3, 3e-3, 5e-3, 9, 3e6, 6e9, NULL},
                                   {5e-3, 4e-3, 6e-3, 21, 5e6, 1e10, NULL},
                                   {6e-3, 5e-3, 7e-3, 9, 6e6, 1.2e10, NULL},
                                   {7e-3, 6e-3, 8e-3, 21, 7e6, 7e9, NULL},
                                   {8e-3, 7e-3, 9e-3, 9, 8e6, 8e9, NULL},
                                   {9e-3, 8e-3, 1e-2, 21, 9e6, 9e9, NULL},
                                   {1e-2, 9e-3, 2e-2, 9, 1e7, 1e10, NULL},
                                   {2e-2, 1e-2, 3e-2, 21, 2e7, 2e10, NULL},
                                   {0, 0, 0, 0, 4e6, 8e9, NULL}};

static Figures all(bool has_bytes, bool has_flops) {
  return (Figures){.title = "it's \"k\" on cpu",
                   .sweeps = &sweeps,
                   .names = names,
                   .num_series = 2,
                   .figures = figures,
                   .has_bytes = has_bytes,
                   .has_flops = has_flops};
}

static void in_arena(void (*body)(void *arena)) {
  Arena arena;
  arena_init(&arena, &system_allocator);
  assert_true(arena_protect(&arena, body, &arena));
  arena_free(&arena);
}

// -- Times -------------------------------------------------------------------

static void test_figure_of(void **state) {
  (void)state;
  double times[] = {5, 1, 9, 3, 7};
  Figure figure = figure_of(times, 5);
  assert_true(figure.median == 5 && figure.num_times == 5);
  assert_true(figure.least <= 3 && figure.least >= 1);
  assert_true(figure.most >= 7 && figure.most <= 9);
  figure = figure_of(times, 1);
  assert_true(figure.median == 1 && figure.least == 1 && figure.most == 1);
}

// -- Tables ------------------------------------------------------------------

static const char *printed(Arena *arena, const Figures *f) {
  char *text = NULL;
  size_t length = 0;
  FILE *to = open_memstream(&text, &length);
  assert_non_null(to);
  figures_print(f, to);
  fclose(to);
  const char *kept = arena_strndup(arena, text, length);
  free(text);
  return kept;
}

static void table(void *arena) {
  Figures f = all(true, true);
  assert_string_equal(
      printed(arena, &f),
      "it's \"k\" on cpu\n"
      "           n         w,x                ours ms      GB/s   TFLOP/s"
      "      a \"peer\", slow ms      GB/s   TFLOP/s\n"
      "          16           3               1.000000         4         8"
      "               2.000000         2         4\n"
      "          16           5               3.000000         1         2"
      "               4.000000      0.75       1.5\n"
      "          16           7               5.000000         1         2"
      "               6.000000         1         2\n"
      "          64           3               7.000000         1         1"
      "               8.000000         1         1\n"
      "          64           5               9.000000         1         1"
      "              10.000000         1         1\n"
      "          64           7              20.000000         1         1"
      "                      -         -         -\n");
  f = all(false, false);
  f.num_series = 1;
  f.sweeps = &(const Sweeps){.num_points = 1};
  assert_string_equal(printed(arena, &f), "it's \"k\" on cpu\n"
                                          "                ours ms\n"
                                          "               1.000000\n");
}

static void test_table(void **state) {
  (void)state;
  in_arena(table);
}

// -- CSV ---------------------------------------------------------------------

static void csv(void *arena) {
  const Figures f = all(false, true);
  assert_string_equal(figures_csv(arena, &f),
                      "n,\"w,x\",series,median,least,most,launches,GB/s,"
                      "TFLOP/s\n"
                      "16,3,ours,0.001,0.0005,0.002,21,,8\n"
                      "16,3,\"a \"\"peer\"\", slow\",0.002,0.001,0.004,9,,4\n"
                      "16,5,ours,0.003,0.002,0.004,21,,2\n"
                      "16,5,\"a \"\"peer\"\", slow\",0.004,0.003,0.005,9,,"
                      "1.5\n"
                      "16,7,ours,0.005,0.004,0.006,21,,2\n"
                      "16,7,\"a \"\"peer\"\", slow\",0.006,0.005,0.007,9,,2\n"
                      "64,3,ours,0.007,0.006,0.008,21,,1\n"
                      "64,3,\"a \"\"peer\"\", slow\",0.008,0.007,0.009,9,,1\n"
                      "64,5,ours,0.009,0.008,0.01,21,,1\n"
                      "64,5,\"a \"\"peer\"\", slow\",0.01,0.009,0.02,9,,1\n"
                      "64,7,ours,0.02,0.01,0.03,21,,1\n"
                      "64,7,\"a \"\"peer\"\", slow\",,,,0,,\n");
}

static void test_csv(void **state) {
  (void)state;
  in_arena(csv);
}

// -- JSON --------------------------------------------------------------------

static void json(void *arena) {
  Figures f = all(true, false);
  f.sweeps = &(const Sweeps){.items = {{"n", sizes, 2}, {"w", widths + 1, 1}},
                             .count = 2,
                             .num_points = 2};
  assert_string_equal(
      figures_json(arena, &f),
      "{\"title\": \"it's \\\"k\\\" on cpu\",\n \"points\": [\n"
      "  {\"at\": {\"n\": 16, \"w\": 5}, \"series\": {\n"
      "   \"ours\": {\"median\": 0.001, \"least\": 0.0005, \"most\": 0.002, "
      "\"launches\": 21, \"gb_per_second\": 4},\n"
      "   \"a \\\"peer\\\", slow\": {\"median\": 0.002, \"least\": 0.001, "
      "\"most\": 0.004, \"launches\": 9, \"gb_per_second\": 2}}},\n"
      "  {\"at\": {\"n\": 64, \"w\": 5}, \"series\": {\n"
      "   \"ours\": {\"median\": 0.003, \"least\": 0.002, \"most\": 0.004, "
      "\"launches\": 21, \"gb_per_second\": 1},\n"
      "   \"a \\\"peer\\\", slow\": {\"median\": 0.004, \"least\": 0.003, "
      "\"most\": 0.005, \"launches\": 9, \"gb_per_second\": 0.75}}}\n]}\n");
  f.has_bytes = false;
  f.has_flops = true;
  f.num_series = 1;
  f.sweeps = &(const Sweeps){.num_points = 1};
  assert_string_equal(figures_json(arena, &f),
                      "{\"title\": \"it's \\\"k\\\" on cpu\",\n \"points\": [\n"
                      "  {\"at\": {}, \"series\": {\n"
                      "   \"ours\": {\"median\": 0.001, \"least\": 0.0005, "
                      "\"most\": 0.002, \"launches\": 21, "
                      "\"tflop_per_second\": 8}}}\n]}\n");
  f.figures = &figures[11];
  assert_string_equal(figures_json(arena, &f),
                      "{\"title\": \"it's \\\"k\\\" on cpu\",\n \"points\": [\n"
                      "  {\"at\": {}, \"series\": {\n"
                      "   \"ours\": {\"median\": null, \"least\": null, "
                      "\"most\": null, \"launches\": 0, "
                      "\"tflop_per_second\": null}}}\n]}\n");
}

static void test_json(void **state) {
  (void)state;
  in_arena(json);
}

static bool find(Arena *arena, const char *text, int64_t n, int64_t w,
                 size_t series, Figure *out) {
  const Figures f = all(true, true);
  const int64_t values[] = {n, w};
  return figures_find(arena, text, strlen(text), &f, values, series, out);
}

// Each figure of JSON is found at its own point, and at no other.
static void found_again(void *arena) {
  const Figures f = all(true, true);
  const char *text = figures_json(arena, &f);
  Figure found;
  for (size_t p = 0; p < 6; p++)
    for (size_t s = 0; s < 2; s++) {
      const Figure *wanted = &figures[p * 2 + s];
      assert_int_equal(
          find(arena, text, sizes[p / 3], widths[p % 3], s, &found),
          wanted->median > 0);
      assert_true(found.median == wanted->median &&
                  found.least == wanted->least && found.most == wanted->most &&
                  found.num_times == wanted->num_times);
    }
  assert_false(find(arena, text, 16, 4, 0, &found));
  assert_false(find(arena, text, 17, 3, 0, &found));
  assert_false(find(arena, "{}", 16, 3, 0, &found));
  assert_false(find(arena, "no JSON", 16, 3, 0, &found));
  assert_false(find(arena,
                    "{\"points\": [{\"at\": {\"n\": \"16\", \"w,x\": 3},"
                    "\"series\": {\"ours\": {\"median\": 1}}}]}",
                    16, 3, 0, &found));
  assert_true(find(arena,
                   "{\"points\": [{\"at\": {\"n\": 16, \"w,x\": 3}, \"series\":"
                   " {\"ours\": {\"median\": 1, \"launches\": -1}}}]}",
                   16, 3, 0, &found));
  assert_int_equal(found.num_times, 0);
}

static void test_found_again(void **state) {
  (void)state;
  in_arena(found_again);
}

// -- Plots -------------------------------------------------------------------

static const char head[] = "$series0 << END\n16 1\n64 2\nEND\n"
                           "$series1 << END\n16 1\nEND\n";

static Figures drawn(void) {
  static const Sweeps one = {
      .items = {{"n", sizes, 2}}, .count = 1, .num_points = 2};
  static const Figure few[] = {{1e-3, 0, 1, 1, 1e6, 1e9, NULL},
                               {1e-3, 0, 1, 1, 1e6, 1e9, NULL},
                               {2e-3, 0, 1, 1, 4e6, 4e9, NULL},
                               {0, 0, 0, 0, 0, 0, NULL}};
  Figures f = all(false, false);
  f.sweeps = &one;
  f.figures = few;
  return f;
}

static void plot(void *arena) {
  static const FigureStyle styles[] = {{"b", "-."}, {"#12abEF", "--"}};
  Figures f = drawn();
  const char *text = figures_plot(arena, &f, "it's.png");
  assert_memory_equal(text, head, strlen(head));
  assert_string_equal(
      text + strlen(head),
      "set terminal pngcairo size 900,600\nset output 'it''s.png'\n"
      "set title 'it''s \"k\" on cpu' noenhanced\n"
      "set xlabel 'n' noenhanced\nset ylabel 'ms'\nset logscale x 2\n"
      "set key left top\nset grid\n"
      "plot $series0 using 1:2 with linespoints title 'ours' noenhanced, "
      "$series1 using 1:2 with linespoints title 'a \"peer\", slow' "
      "noenhanced\n");
  // The picture does not overwrite the script.
  assert_non_null(strstr(figures_plot(arena, &f, "a.gp"),
                         "\nset terminal svg size 900,600\n"
                         "set output 'a.svg'\n"));
  f.x_label = "size";
  f.x_is_linear = f.y_is_log = true;
  f.styles = styles;
  assert_string_equal(
      figures_plot(arena, &f, "png.svg") + strlen(head),
      "set terminal svg size 900,600\nset output 'png.svg'\n"
      "set title 'it''s \"k\" on cpu' noenhanced\n"
      "set xlabel 'size' noenhanced\nset ylabel 'ms'\nset logscale y\n"
      "set key left top\nset grid\n"
      "plot $series0 using 1:2 with linespoints linecolor rgb '#0000ff' "
      "dashtype 4 title 'ours' noenhanced, "
      "$series1 using 1:2 with linespoints linecolor rgb '#12abEF' "
      "dashtype 2 title 'a \"peer\", slow' noenhanced\n");
}

static void test_plot(void **state) {
  (void)state;
  in_arena(plot);
}

// The unit of a figure, from the known counts and the unit that is asked for.
static void units(void *arena) {
  static const struct {
    bool bytes, flops;
    FigureUnit unit;
    const char *label, *points;
  } cases[] = {{false, false, DRAW_MOST, "ms", "16 1\n64 2\n"},
               {true, false, DRAW_MOST, "GB/s", "16 1\n64 2\n"},
               {false, true, DRAW_MOST, "TFLOP/s", "16 1\n64 2\n"},
               {true, true, DRAW_MOST, "TFLOP/s", "16 1\n64 2\n"},
               {true, true, DRAW_BYTES, "GB/s", "16 1\n64 2\n"},
               {true, true, DRAW_TIME, "ms", "16 1\n64 2\n"},
               {false, true, DRAW_BYTES, "TFLOP/s", "16 1\n64 2\n"},
               {true, false, DRAW_FLOPS, "GB/s", "16 1\n64 2\n"},
               {false, false, DRAW_FLOPS, "ms", "16 1\n64 2\n"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    Figures f = drawn();
    f.has_bytes = cases[i].bytes;
    f.has_flops = cases[i].flops;
    f.unit = cases[i].unit;
    const char *text = figures_plot(arena, &f, "o.svg");
    assert_non_null(strstr(text, cases[i].points));
    assert_non_null(
        strstr(text, arena_printf(arena, "ylabel '%s'\n", cases[i].label)));
  }
}

static void test_units(void **state) {
  (void)state;
  in_arena(units);
}

static void colours(void *arena) {
  static const char *const known[][2] = {
      {"blue", "blue"}, {"violet", "violet"},   {"b", "#0000ff"},
      {"g", "#008000"}, {"r", "#ff0000"},       {"c", "#00bfbf"},
      {"m", "#bf00bf"}, {"y", "#bfbf00"},       {"k", "#000000"},
      {"w", "#ffffff"}, {"#09afAF", "#09afAF"}, {"tab:blue", NULL},
      {"bl", NULL},     {"#12345", NULL},       {"#1234567", NULL},
      {"x12345", NULL}, {"#12345g", NULL},      {"", NULL}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    const FigureStyle styles[] = {{known[i][0], NULL}, {NULL, ":"}};
    Figures f = drawn();
    f.styles = styles;
    const char *text = strstr(figures_plot(arena, &f, "o.svg"), "\nplot ");
    const char *wanted =
        known[i][1] ? arena_printf(arena, " linecolor rgb '%s'", known[i][1])
                    : "";
    assert_string_equal(
        text + 1,
        arena_printf(arena,
                     "plot $series0 using 1:2 with linespoints%s title 'ours' "
                     "noenhanced, $series1 using 1:2 with linespoints dashtype "
                     "3 title 'a \"peer\", slow' noenhanced\n",
                     wanted));
  }
}

static void test_colours(void **state) {
  (void)state;
  in_arena(colours);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_figure_of),   cmocka_unit_test(test_table),
      cmocka_unit_test(test_csv),         cmocka_unit_test(test_json),
      cmocka_unit_test(test_found_again), cmocka_unit_test(test_plot),
      cmocka_unit_test(test_units),       cmocka_unit_test(test_colours),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
