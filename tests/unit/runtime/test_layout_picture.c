// test_layout_picture.c -- tables of the owners of elements.
#include "runtime/picture/layout_picture.h"
#include "tests/unit/arena_test.h"

#include <stdio.h>
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
  // The widest label is in the lower half of many short rows.
  const Layout *tall = layout_reshape(&table, layout, 2, (int64_t[]){32, 4});
  text = str_in(&arena);
  picture_svg(&arena, "tall", tall, &text);
  assert_non_null(strstr(str_text(&text), "x=\"90\" y=\"56\" width=\"62\""));
}

// -- Places ------------------------------------------------------------------

enum { ROWS = 2, COLUMNS = 4 };

typedef struct {
  int x, y, width, height;
  int label_x, label_y;
} Cell;

// The cells, in the order of rows, each with its label behind it.
static void read_cells(const char *svg, Cell *cells) {
  for (int i = 0; i < ROWS * COLUMNS; i++) {
    Cell *c = &cells[i];
    svg = strstr(svg, "<rect x=");
    assert_non_null(svg);
    assert_int_equal(
        sscanf(svg, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"", &c->x,
               &c->y, &c->width, &c->height),
        4);
    svg = strstr(svg, "<text");
    assert_int_equal(
        sscanf(svg, "<text x=\"%d\" y=\"%d\"", &c->label_x, &c->label_y), 2);
  }
}

// The place of the number of a row or column: those of columns come first.
static void find_number(const char *svg, int index, int *x, int *y) {
  for (int i = 0; i <= index; i++) svg = strstr(svg + 1, "<text");
  int number = -1;
  assert_int_equal(
      sscanf(svg, "<text x=\"%d\" y=\"%d\" fill=\"#555\">%d<", x, y, &number),
      3);
  assert_int_equal(number, index < COLUMNS ? index : index - COLUMNS);
}

static void check_cell(const Cell *cells, int row, int column,
                       const char *svg) {
  const Cell *c = &cells[row * COLUMNS + column], *first = cells;
  assert_int_equal(c->x, first->x + column * first->width);
  assert_int_equal(c->y, first->y + row * first->height);
  assert_int_equal(c->label_x, c->x + c->width / 2);
  assert_in_range(c->label_y, c->y + c->height / 2, c->y + c->height - 1);
  int x, y;
  find_number(svg, column, &x, &y);
  assert_int_equal(x, c->label_x);
  assert_in_range(y, 1, first->y - 1);
  find_number(svg, COLUMNS + row, &x, &y);
  assert_int_equal(y, c->label_y);
  assert_in_range(x, 1, first->x - 1);
}

static void labels_are_in_their_cells(void **state) {
  (void)state;
  LayoutTable table;
  layout_table_init(&table, &arena);
  const BlockedSpec spec = {
      .per_thread = {1, 2}, .lanes = {2, 2}, .warps = {1, 1}, .order = {1, 0}};
  const Layout *layout =
      layout_blocked(&table, 2, (int64_t[]){ROWS, COLUMNS}, &spec);
  Str text = str_in(&arena);
  picture_svg(&arena, "cells", layout, &text);
  const char *svg = str_text(&text);
  Cell cells[ROWS * COLUMNS];
  int width, height;
  assert_int_equal(sscanf(strstr(svg, " width="), " width=\"%d\" height=\"%d\"",
                          &width, &height),
                   2);
  read_cells(svg, cells);
  const Cell *last = &cells[ROWS * COLUMNS - 1];
  assert_true(last->x + last->width <= width);
  assert_true(last->y + last->height <= height);
  const char *title = strstr(svg, "<text");
  for (int r = 0; r < ROWS; r++)
    for (int c = 0; c < COLUMNS; c++) check_cell(cells, r, c, title);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pictures_of_text),
      cmocka_unit_test(pictures_as_svg),
      cmocka_unit_test(cells_as_wide_as_their_labels),
      cmocka_unit_test(labels_are_in_their_cells),
  };
  return cmocka_run_group_tests(tests, arena_set_up, arena_tear_down);
}
