// figures.c -- results of a benchmark, as a table, JSON, CSV or a plot.
#include "runtime/tools/parts/figures.h"

#include "runtime/base/base.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

Figure figure_of(double *times, size_t count) {
  const Spread spread = spread_of(times, count);
  assert(spread.least <= spread.median && spread.median <= spread.most); // I2
  return (Figure){.median = spread.median,
                  .least = spread.least,
                  .most = spread.most,
                  .num_times = count};
}

static const Figure *figure_at(const Figures *f, size_t point, size_t series) {
  return &f->figures[point * f->num_series + series];
}

static bool is_measured(const Figure *figure) {
  return figure->median > 0 && isfinite(figure->median);
}

static double per_second(double amount, const Figure *figure) {
  return is_measured(figure) ? amount / figure->median : 0;
}

static double gigabytes(const Figure *figure) {
  return per_second(figure->bytes, figure) / 1e9;
}

static double teraflops(const Figure *figure) {
  return per_second(figure->flops, figure) / 1e12;
}

// -- A table -----------------------------------------------------------------

static int max(int a, int b) {
  return a > b ? a : b;
}

static int sweep_width(const Sweep *s) {
  int width = max(10, (int)strlen(s->name));
  for (size_t i = 0; i < s->count; i++)
    width = max(width, snprintf(NULL, 0, "%" PRId64, s->values[i]));
  return width;
}

// Names are whole: they may differ at their end alone.
static int series_width(const Figures *f, size_t series) {
  return max(18, (int)strlen(f->names[series]));
}

static void print_head(const Figures *f, const int *widths, FILE *to) {
  fprintf(to, "%s\n", f->title);
  for (size_t i = 0; i < f->sweeps->count; i++)
    fprintf(to, "  %*s", widths[i], f->sweeps->items[i].name);
  for (size_t i = 0; i < f->num_series; i++) {
    fprintf(to, "  %*s ms", series_width(f, i), f->names[i]);
    if (f->has_bytes) fprintf(to, "%10s", "GB/s");
    if (f->has_flops) fprintf(to, "%10s", "TFLOP/s");
  }
  fputs("\n", to);
}

static void print_none(const Figures *f, const Figure *figure, int width,
                       FILE *to) {
  fprintf(to, "  %*s", width, figure->why ? "failed" : "-");
  if (f->has_bytes) fprintf(to, "%10s", "-");
  if (f->has_flops) fprintf(to, "%10s", "-");
}

static void print_figure(const Figures *f, const Figure *figure, int width,
                         FILE *to) {
  fprintf(to, "  %*.6f", width, figure->median * 1e3);
  if (f->has_bytes) fprintf(to, "%10.4g", gigabytes(figure));
  if (f->has_flops) fprintf(to, "%10.4g", teraflops(figure));
}

void figures_print(const Figures *f, FILE *to) {
  int64_t values[MAX_SWEEPS];
  int widths[MAX_SWEEPS];
  for (size_t i = 0; i < f->sweeps->count; i++)
    widths[i] = sweep_width(&f->sweeps->items[i]);
  print_head(f, widths, to);
  for (size_t p = 0; p < f->sweeps->num_points; p++) {
    sweeps_at(f->sweeps, p, values);
    for (size_t i = 0; i < f->sweeps->count; i++)
      fprintf(to, "  %*" PRId64, widths[i], values[i]);
    for (size_t i = 0; i < f->num_series; i++) {
      const Figure *figure = figure_at(f, p, i);
      if (is_measured(figure))
        print_figure(f, figure, series_width(f, i) + 3, to);
      else
        print_none(f, figure, series_width(f, i) + 3, to);
    }
    fputs("\n", to);
  }
}

// -- JSON and CSV ------------------------------------------------------------

static void put_member(Str *out, const char *name, bool is_known,
                       double value) {
  str_addf(out, "\"%s\": ", name);
  if (is_known && isfinite(value))
    str_addf(out, "%.9g", value);
  else
    str_add(out, "null");
}

static void put_figure(const Figures *f, const Figure *figure, Str *out) {
  const bool is_known = is_measured(figure);
  str_add_char(out, '{');
  put_member(out, "median", is_known, figure->median);
  str_add(out, ", ");
  put_member(out, "least", is_known, figure->least);
  str_add(out, ", ");
  put_member(out, "most", is_known, figure->most);
  str_addf(out, ", \"launches\": %zu", figure->num_times);
  if (f->has_bytes) {
    str_add(out, ", ");
    put_member(out, "gb_per_second", is_known, gigabytes(figure));
  }
  if (f->has_flops) {
    str_add(out, ", ");
    put_member(out, "tflop_per_second", is_known, teraflops(figure));
  }
  if (figure->why) {
    str_add(out, ", \"error\": ");
    str_add_json(out, figure->why);
  }
  str_add_char(out, '}');
}

static void put_point(const Figures *f, size_t point, Str *out) {
  int64_t values[MAX_SWEEPS];
  sweeps_at(f->sweeps, point, values);
  str_add(out, "  {\"at\": {");
  for (size_t i = 0; i < f->sweeps->count; i++) {
    if (i) str_add(out, ", ");
    str_add_json(out, f->sweeps->items[i].name);
    str_addf(out, ": %" PRId64, values[i]);
  }
  str_add(out, "}, \"series\": {");
  for (size_t i = 0; i < f->num_series; i++) {
    str_add(out, i ? ",\n   " : "\n   ");
    str_add_json(out, f->names[i]);
    str_add(out, ": ");
    put_figure(f, figure_at(f, point, i), out);
  }
  str_add(out, "}}");
}

const char *figures_json(Arena *arena, const Figures *f) {
  Str out = str_in(arena);
  str_add(&out, "{\"title\": ");
  str_add_json(&out, f->title);
  str_add(&out, ",\n \"points\": [\n");
  for (size_t p = 0; p < f->sweeps->num_points; p++) {
    put_point(f, p, &out);
    str_add(&out, p + 1 < f->sweeps->num_points ? ",\n" : "\n");
  }
  str_add(&out, "]}\n");
  return str_text(&out);
}

// Appends a cell; names with a comma or a quote are quoted.
static void put_cell(Str *out, const char *text) {
  if (!text[strcspn(text, ",\"\n")]) {
    str_add(out, text);
    return;
  }
  str_add_char(out, '"');
  for (; *text; text++) {
    if (*text == '"') str_add_char(out, '"');
    str_add_char(out, *text);
  }
  str_add_char(out, '"');
}

static bool has_errors(const Figures *f) {
  const size_t count = f->sweeps->num_points * f->num_series;
  for (size_t i = 0; i < count; i++) {
    if (f->figures[i].why) return true;
  }
  return false;
}

// Appends a cell behind others; it is empty if the value is unknown.
static void put_number(Str *out, bool is_known, double value) {
  str_add_char(out, ',');
  if (is_known && isfinite(value)) str_addf(out, "%.9g", value);
}

static void put_row(const Figures *f, size_t point, size_t series,
                    bool with_error, Str *out) {
  int64_t values[MAX_SWEEPS];
  const Figure *figure = figure_at(f, point, series);
  sweeps_at(f->sweeps, point, values);
  for (size_t i = 0; i < f->sweeps->count; i++)
    str_addf(out, "%" PRId64 ",", values[i]);
  put_cell(out, f->names[series]);
  const bool is_known = is_measured(figure);
  put_number(out, is_known, figure->median);
  put_number(out, is_known, figure->least);
  put_number(out, is_known, figure->most);
  str_addf(out, ",%zu", figure->num_times);
  put_number(out, is_known && f->has_bytes, gigabytes(figure));
  put_number(out, is_known && f->has_flops, teraflops(figure));
  if (with_error) str_add_char(out, ',');
  if (figure->why) put_cell(out, figure->why);
  str_add_char(out, '\n');
}

const char *figures_csv(Arena *arena, const Figures *f) {
  Str out = str_in(arena);
  const bool with_error = has_errors(f);
  for (size_t i = 0; i < f->sweeps->count; i++) {
    put_cell(&out, f->sweeps->items[i].name);
    str_add_char(&out, ',');
  }
  str_add(&out, "series,median,least,most,launches,GB/s,TFLOP/s");
  str_add(&out, with_error ? ",error\n" : "\n");
  for (size_t p = 0; p < f->sweeps->num_points; p++)
    for (size_t i = 0; i < f->num_series; i++)
      put_row(f, p, i, with_error, &out);
  return str_text(&out);
}

// -- A plot ------------------------------------------------------------------

static FigureUnit drawn_unit(const Figures *f) {
  if (f->unit == DRAW_TIME) return DRAW_TIME;
  if (f->unit == DRAW_BYTES && f->has_bytes) return DRAW_BYTES;
  return f->has_flops ? DRAW_FLOPS : f->has_bytes ? DRAW_BYTES : DRAW_TIME;
}

static double drawn(const Figures *f, const Figure *figure) {
  switch (drawn_unit(f)) {
  case DRAW_FLOPS: return teraflops(figure);
  case DRAW_BYTES: return gigabytes(figure);
  default: return figure->median * 1e3;
  }
}

static const char *drawn_name(const Figures *f) {
  const FigureUnit unit = drawn_unit(f);
  return unit == DRAW_FLOPS ? "TFLOP/s" : unit == DRAW_BYTES ? "GB/s" : "ms";
}

// In gnuplot's '' strings the only escape is ''.
static void put_quoted(Str *out, const char *text) {
  str_add_char(out, '\'');
  for (; *text; text++) {
    if (*text == '\'') str_add_char(out, '\'');
    str_add_char(out, *text);
  }
  str_add_char(out, '\'');
}

static void put_series(const Figures *f, size_t series, Str *out) {
  int64_t values[MAX_SWEEPS];
  str_addf(out, "$series%zu << END\n", series);
  for (size_t p = 0; p < f->sweeps->num_points; p++) {
    const Figure *figure = figure_at(f, p, series);
    sweeps_at(f->sweeps, p, values);
    if (is_measured(figure))
      str_addf(out, "%" PRId64 " %.9g\n", values[f->x], drawn(f, figure));
  }
  str_add(out, "END\n");
}

// gnuplot's colour for a colour of matplotlib; NULL: gnuplot has none of that
// name, and would not draw the line.
static const char *plot_colour(const char *name) {
  static const char *const same[] = {
#define COLOUR(name) name,
#define LETTER(text)
#include "runtime/tools/parts/colours.def"
  };
  static const char *const letters[] = {
#define COLOUR(name)
#define LETTER(text) text,
#include "runtime/tools/parts/colours.def"
  };
  if (*name == '#' && strspn(name + 1, "0123456789abcdefABCDEF") == 6 &&
      !name[7])
    return name;
  for (size_t i = 0; i < sizeof same / sizeof *same; i++)
    if (!strcmp(same[i], name)) return name;
  for (size_t i = 0; i < sizeof letters / sizeof *letters; i++)
    if (*name == *letters[i] && !name[1]) return letters[i] + 1;
  return NULL;
}

static void put_style(const FigureStyle *style, Str *out) {
  static const char *const strokes[] = {"-", "--", ":", "-."};
  const char *colour = style->colour ? plot_colour(style->colour) : NULL;
  if (colour) {
    str_add(out, " linecolor rgb ");
    put_quoted(out, colour);
  }
  for (int i = 0; style->stroke && i < 4; i++)
    if (!strcmp(style->stroke, strokes[i]))
      str_addf(out, " dashtype %d", i + 1);
}

static void put_axes(const Figures *f, Str *out) {
  str_add(out, "\nset title ");
  put_quoted(out, f->title);
  str_add(out, " noenhanced\nset xlabel ");
  put_quoted(out, f->x_label         ? f->x_label
                  : f->sweeps->count ? f->sweeps->items[f->x].name
                                     : "");
  str_addf(out, " noenhanced\nset ylabel '%s'\n", drawn_name(f));
  if (!f->x_is_linear) str_add(out, "set logscale x 2\n");
  if (f->y_is_log) str_add(out, "set logscale y\n");
}

const char *plot_terminal(const char *file) {
  static const char *const terminals[][2] = {
      {".svg", "svg"}, {".png", "pngcairo"}, {".gp", "svg"}};
  for (size_t i = 0; i < sizeof terminals / sizeof *terminals; i++)
    if (text_ends_with(file, terminals[i][0])) return terminals[i][1];
  return NULL;
}

const char *figures_plot(Arena *arena, const Figures *f, const char *file) {
  Str out = str_in(arena);
  for (size_t i = 0; i < f->num_series; i++) put_series(f, i, &out);
  str_addf(&out, "set terminal %s size 900,600\nset output ",
           plot_terminal(file));
  put_quoted(&out,
             text_ends_with(file, ".gp")
                 ? arena_printf(arena, "%.*s.svg", (int)strlen(file) - 3, file)
                 : file);
  put_axes(f, &out);
  str_add(&out, "set key left top\nset grid\nplot ");
  for (size_t i = 0; i < f->num_series; i++) {
    str_addf(&out, "%s$series%zu using 1:2 with linespoints", i ? ", " : "", i);
    if (f->styles) put_style(&f->styles[i], &out);
    str_add(&out, " title ");
    put_quoted(&out, f->names[i]);
    str_add(&out, " noenhanced");
  }
  str_add(&out, "\n");
  return str_text(&out);
}

// -- Earlier measurements ----------------------------------------------------

static bool is_at(const JsonValue *point, const Figures *like,
                  const int64_t *values) {
  const JsonValue *at = json_member(point, "at");
  for (size_t i = 0; i < like->sweeps->count; i++) {
    const JsonValue *value = json_member(at, like->sweeps->items[i].name);
    if (!value || value->kind != JSON_NUMBER ||
        value->number != (double)values[i])
      return false;
  }
  return true;
}

bool figures_are(Arena *arena, const char *json, size_t length) {
  return json_member(json_parse(arena, json, length), "points");
}

bool figures_find(Arena *arena, const char *json, size_t length,
                  const Figures *like, const int64_t *values, size_t series,
                  Figure *out) {
  const JsonValue *all = json_parse(arena, json, length);
  const JsonValue *points = json_member(all, "points");
  const JsonValue *point = points ? points->items : NULL;
  while (point && !is_at(point, like, values)) point = point->next;
  const JsonValue *found =
      json_member(json_member(point, "series"), like->names[series]);
  const double launches = json_number(found, "launches");
  *out = (Figure){.median = json_number(found, "median"),
                  .least = json_number(found, "least"),
                  .most = json_number(found, "most"),
                  .num_times =
                      launches >= 0 && launches < 1e9 ? (size_t)launches : 0};
  return is_measured(out);
}
