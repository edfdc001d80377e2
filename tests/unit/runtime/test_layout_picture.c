// test_layout_picture.c -- tables of the owners of elements.
#include "runtime/picture/layout_picture.h"
#include "tests/unit/arena_test.h"

#include <string.h>

static void pictures_of_text(void **state) {
  (void)state;
  const char *text = pictures_of_ir(
      &arena,
      "#0 = layout<register = [[0, 1]], lane = [[0, 2], [1, 0]], warp = [[0, "
      "0]], block = [] -> 2x4>\n"
      "#1 = layout<offset = [[0, 1], [1, 1]] -> 2x2>\n"
      "kernel @k() {\n"
      "}\n");
  assert_string_equal(
      text,
      "#0: 2x4 in 2 x 4 threads, 2 registers each, every element 2 times\n"
      "    register [0,1]\n"
      "    lane     [0,2] [1,0]\n"
      "    warp     [0,0]\n"
      "    warp:lane:register of runs of 2 by column\n"
      "                  0        2\n"
      "  row 0     0:00:0   0:01:0 \n"
      "  row 1     0:02:0   0:03:0 \n"
      "\n"
      "#1: 2x2 in shared memory\n"
      "    offset   [0,1] [1,1]\n"
      "    offset by column\n"
      "                  0        1\n"
      "  row 0           0        1\n"
      "  row 1           3        2\n"
      "\n"
      "#0 = layout<register = [[0, 1]], lane = [[0, 2], [1, 0]], warp = "
      "[[0, 0]], block = [] -> 2x4>\n"
      "#1 = layout<offset = [[0, 1], [1, 1]] -> 2x2>\n"
      "kernel @k() {\n"
      "}\n");
}

static int count(const char *text, const char *what) {
  int found = 0;
  for (; (text = strstr(text, what)); text += strlen(what)) found++;
  return found;
}

static void pictures_as_svg(void **state) {
  (void)state;
  LayoutTable table;
  layout_table_init(&table, &arena);
  const char *at = "layout<register = [[0, 1]], lane = [[0, 2], [1, 0]], warp "
                   "= [], block = [] -> 2x4>",
             *error;
  const Layout *layout = layout_parse(&table, &at, &error);
  Str text = str_in(&arena);
  picture_svg(&arena, "small", layout, &text);
  const char *svg = str_text(&text);
  assert_int_equal(count(svg, "<rect"), 1 + 8);
  assert_int_equal(count(svg, "<text"), 1 + 2 + 4 + 8);
  assert_non_null(strstr(svg, "small: 2x4<"));
  assert_non_null(strstr(svg, ">l3 r1</text>"));
  assert_non_null(strstr(svg, "</svg>\n"));
}

// Letters are 6 pixels wide: "w1 l31 r1" has room for its 54.
static void cells_as_wide_as_their_labels(void **state) {
  (void)state;
  LayoutTable table;
  layout_table_init(&table, &arena);
  const BlockedSpec spec = {.per_thread = {2}, .lanes = {32}, .warps = {2}};
  const Layout *layout = layout_blocked(&table, 1, (int64_t[]){128}, &spec);
  const Layout *rows = layout_reshape(&table, layout, 2, (int64_t[]){16, 8});
  Str text = str_in(&arena);
  picture_svg(&arena, "wide", rows, &text);
  const char *svg = str_text(&text);
  assert_non_null(strstr(svg, ">w1 l31 r1</text>"));
  assert_non_null(strstr(svg, "x=\"90\" y=\"56\" width=\"62\""));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pictures_of_text),
      cmocka_unit_test(pictures_as_svg),
      cmocka_unit_test(cells_as_wide_as_their_labels),
  };
  return cmocka_run_group_tests(tests, arena_set_up, arena_tear_down);
}
