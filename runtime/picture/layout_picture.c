// layout_picture.c -- tables of the owners of elements.
//
// A table has the last two axes; for the other axes it shows index 0.  Its
// cells are runs of adjacent elements in consecutive registers of one thread: a
// run is as wide as the narrowest access that the layout allows.
#include "runtime/picture/layout_picture.h"

#include "ir/layout_access.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum {
  TEXT_ROWS = 16,
  TEXT_COLUMNS = 8,
  SVG_SIZE = 32,
  NO_PLACE = -1,
};

// -- The table ---------------------------------------------------------------

typedef struct {
  const Layout *layout;
  int64_t rows, columns; // of the tile's last two axes
  int run;               // elements of a cell
  int width;             // of a cell in pixels
  int *place;            // lowest word with each element
} Table;

// The next word of a layout whose bits select no copies.
static uint32_t next_word(uint32_t word, uint32_t skipped) {
  return ((word | skipped) + 1) & ~skipped;
}

static int *find_places(Arena *arena, const Layout *layout) {
  const int64_t count = layout_num_elements(layout);
  int *place = arena_array(arena, int, (size_t)count);
  for (int64_t i = 0; i < count; i++) place[i] = NO_PLACE;
  const uint32_t skipped = layout_free_bits(layout);
  int bits = 0;
  for (int d = 0; d < LAYOUT_NUM_DIMS; d++) bits += layout->num_bits[d];
  for (uint32_t word = 0; word < 1U << bits; word = next_word(word, skipped)) {
    place[layout_apply(layout, word)] = (int)word;
  }
  return place;
}

static Table table_of(Arena *arena, const Layout *layout) {
  const int rank = layout->rank;
  Table table = {.layout = layout, .rows = 1, .columns = 1, .run = 1};
  if (rank > 0) table.columns = layout_size(layout, rank - 1);
  if (rank > 1) table.rows = layout_size(layout, rank - 2);
  if (rank > 0 && !layout->shared)
    table.run = 1 << layout_log2_contiguous(layout, rank - 1);
  assert(table.rows * table.columns <= layout_num_elements(layout)); // I1
  table.place = find_places(arena, layout);
  return table;
}

static uint32_t part(const Layout *layout, LayoutDim dim, int word) {
  return layout_unpack(layout, dim, (uint32_t)word);
}

// -- Text --------------------------------------------------------------------

static void add_shape(const Layout *layout, Str *out) {
  if (!layout->rank) str_add(out, "1");
  for (int i = 0; i < layout->rank; i++) {
    str_addf(out, "%s%lld", i ? "x" : "", (long long)layout_size(layout, i));
  }
}

static void add_bit(const Layout *layout, uint32_t word, Str *out) {
  int64_t coords[LAYOUT_MAX_RANK];
  layout_coords(layout, layout_apply(layout, word), coords);
  str_add(out, " [");
  for (int i = 0; i < layout->rank; i++) {
    str_addf(out, "%s%lld", i ? "," : "", (long long)coords[i]);
  }
  str_add(out, "]");
}

static void add_bits(const Layout *layout, Str *out) {
  for (int d = 0; d < LAYOUT_NUM_DIMS; d++) {
    const int first = layout_first_bit(layout, (LayoutDim)d);
    if (!layout->num_bits[d]) continue;
    str_addf(out, "    %-8s", layout_dim_name[d]);
    for (int i = 0; i < layout->num_bits[d]; i++) {
      add_bit(layout, 1U << (first + i), out);
    }
    str_add_char(out, '\n');
  }
}

static int count_bits(uint32_t word) {
  int count = 0;
  for (; word; word &= word - 1) count++;
  return count;
}

static void add_summary(const Table *table, Str *out) {
  const Layout *layout = table->layout;
  if (layout->shared) {
    str_add(out, " in shared memory\n");
    return;
  }
  const int copies = 1 << count_bits(layout_free_bits(layout));
  str_addf(out, " in %d x %d threads, %d register%s each",
           layout_count(layout, LAYOUT_WARP), layout_count(layout, LAYOUT_LANE),
           layout_num_registers(layout),
           layout_num_registers(layout) == 1 ? "" : "s");
  if (copies > 1) str_addf(out, ", every element %d times", copies);
  str_add_char(out, '\n');
}

// Appends "1:05:2": warp 1, lane 5, from register 2 on; for shared memory the
// offset.
static void add_cell(const Table *table, int64_t row, int64_t column,
                     Str *out) {
  const Layout *layout = table->layout;
  const int word = table->place[row * table->columns + column];
  if (word == NO_PLACE) {
    str_add(out, "        -");
  } else if (layout->shared) {
    str_addf(out, " %8d", word);
  } else {
    str_addf(out, " %2u:%02u:%-2u", part(layout, LAYOUT_WARP, word),
             part(layout, LAYOUT_LANE, word),
             part(layout, LAYOUT_REGISTER, word));
  }
}

static void add_heading(const Table *table, int64_t columns, Str *out) {
  str_add(out,
          table->layout->shared ? "    offset " : "    warp:lane:register ");
  if (table->run > 1) str_addf(out, "of runs of %d ", table->run);
  str_add(out, "by column\n          ");
  for (int64_t c = 0; c < columns; c += table->run) {
    str_addf(out, " %8lld", (long long)c);
  }
  str_add(out, columns < table->columns ? "  ...\n" : "\n");
}

static void add_table(const Table *table, Str *out) {
  const int64_t most = (int64_t)TEXT_COLUMNS * table->run;
  const int64_t columns = table->columns < most ? table->columns : most;
  const int64_t rows = table->rows < TEXT_ROWS ? table->rows : TEXT_ROWS;
  add_heading(table, columns, out);
  for (int64_t r = 0; r < rows; r++) {
    str_addf(out, "  row %-4lld", (long long)r);
    for (int64_t c = 0; c < columns; c += table->run) {
      add_cell(table, r, c, out);
    }
    str_add(out, columns < table->columns ? "  ...\n" : "\n");
  }
  if (rows < table->rows) str_add(out, "  ...\n");
}

void picture_text(Arena *arena, const char *name, const Layout *layout,
                  Str *out) {
  const Table table = table_of(arena, layout);
  str_addf(out, "%s: ", name);
  add_shape(layout, out);
  add_summary(&table, out);
  add_bits(layout, out);
  add_table(&table, out);
}

// -- SVG ---------------------------------------------------------------------

enum { LEAST_WIDTH = 44, CELL_HEIGHT = 28, MARGIN = 28 };
enum { LETTER_WIDTH = 6, SPACING = 8 }; // at most, of monospace 10

// Colours by lane, darker by warp.
static void add_fill(const Table *table, int word, Str *out) {
  const Layout *layout = table->layout;
  if (layout->shared) { // by the place in a row of 8
    str_addf(out, "hsl(%d,65%%,80%%)", word % 8 * 360 / 8);
    return;
  }
  const int lanes = layout_count(layout, LAYOUT_LANE);
  const int warp = (int)part(layout, LAYOUT_WARP, word) % 6;
  str_addf(out, "hsl(%d,65%%,%d%%)",
           (int)part(layout, LAYOUT_LANE, word) * 360 / lanes, 86 - 7 * warp);
}

static void add_label(const Table *table, int word, Str *out) {
  const Layout *layout = table->layout;
  if (layout->shared) {
    str_addf(out, "%d", word);
    return;
  }
  if (layout->num_bits[LAYOUT_WARP])
    str_addf(out, "w%u ", part(layout, LAYOUT_WARP, word));
  str_addf(out, "l%u r%u", part(layout, LAYOUT_LANE, word),
           part(layout, LAYOUT_REGISTER, word));
}

static int shown(int64_t size) {
  return size < SVG_SIZE ? (int)size : SVG_SIZE;
}

// The width of the longest label.
static int cell_width(Arena *arena, const Table *table) {
  int width = LEAST_WIDTH;
  for (int r = 0; r < shown(table->rows); r++) {
    for (int c = 0; c < shown(table->columns); c++) {
      const int word = table->place[r * table->columns + c];
      Str label = str_in(arena);
      if (word != NO_PLACE) add_label(table, word, &label);
      const int wanted = (int)label.length * LETTER_WIDTH + SPACING;
      if (wanted > width) width = wanted;
    }
  }
  return width;
}

static void add_text(int x, int y, const char *style, const char *text,
                     Str *out) {
  str_addf(out, "<text x=\"%d\" y=\"%d\" %s>%s</text>\n", x, y, style, text);
}

static void add_square(const Table *table, int row, int column, Str *out) {
  const int word = table->place[row * table->columns + column];
  const int x = MARGIN + column * table->width;
  const int y = 2 * MARGIN + row * CELL_HEIGHT;
  if (word == NO_PLACE) return;
  str_addf(out,
           "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" "
           "stroke=\"#555\" fill=\"",
           x, y, table->width, CELL_HEIGHT);
  add_fill(table, word, out);
  str_addf(out, "\"/>\n<text x=\"%d\" y=\"%d\">", x + table->width / 2,
           y + CELL_HEIGHT / 2 + 4);
  add_label(table, word, out);
  str_add(out, "</text>\n");
}

static void add_axes(const Table *table, Str *out) {
  char number[16];
  for (int c = 0; c < shown(table->columns); c++) {
    snprintf(number, sizeof number, "%d", c);
    add_text(MARGIN + c * table->width + table->width / 2, 2 * MARGIN - 6,
             "fill=\"#555\"", number, out);
  }
  for (int r = 0; r < shown(table->rows); r++) {
    snprintf(number, sizeof number, "%d", r);
    add_text(MARGIN / 2, 2 * MARGIN + r * CELL_HEIGHT + CELL_HEIGHT / 2 + 4,
             "fill=\"#555\"", number, out);
  }
}

void picture_svg(Arena *arena, const char *name, const Layout *layout,
                 Str *out) {
  Table table = table_of(arena, layout);
  const int rows = shown(table.rows), columns = shown(table.columns);
  const bool cut = rows < table.rows || columns < table.columns;
  table.width = cell_width(arena, &table);
  const int width = 2 * MARGIN + columns * table.width;
  const int height = 3 * MARGIN + rows * CELL_HEIGHT;
  Str title = str_in(arena);
  str_addf(&title, "%s: ", name);
  add_shape(layout, &title);
  if (cut) str_addf(&title, ", the first %d x %d", rows, columns);
  str_addf(out,
           "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
           "height=\"%d\" font-family=\"monospace\" font-size=\"10\" "
           "text-anchor=\"middle\">\n"
           "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
           width, height);
  add_text(MARGIN, 18, "text-anchor=\"start\" font-size=\"13\"",
           str_text(&title), out);
  add_axes(&table, out);
  for (int r = 0; r < rows; r++) {
    for (int c = 0; c < columns; c++) add_square(&table, r, c, out);
  }
  str_add(out, "</svg>\n");
}

// -- IR ----------------------------------------------------------------------

// The layout that a line `#0 = layout<...>` defines.
static const Layout *layout_of_line(LayoutTable *table, const char *line) {
  const char *at = strstr(line, " = "), *error;
  const char *end = strchr(line, '\n');
  if (*line != '#' || !at || (end && at > end)) return NULL;
  at += strlen(" = ");
  return layout_parse(table, &at, &error);
}

const char *pictures_of_ir(Arena *arena, const char *ir) {
  LayoutTable table;
  layout_table_init(&table, arena);
  Str out = str_in(arena);
  const char *line = ir;
  while (*line) {
    const Layout *layout = layout_of_line(&table, line);
    const int length = (int)strcspn(line, " ");
    if (layout) {
      picture_text(arena, arena_printf(arena, "%.*s", length, line), layout,
                   &out);
      str_add_char(&out, '\n');
    }
    line += strcspn(line, "\n");
    line += *line == '\n';
  }
  str_add(&out, ir);
  return str_text(&out);
}
