// report.c -- counts of a launch as text or JSON, by class, loop and line.
//
// JSON has an object in each line, so that a file may hold many launches.  The
// names are those of the simulator's counters where they mean the same.
#include "runtime/counts/report.h"

#include "ir/base/base.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOBODY = 1 }; // the counter of time that belongs to no row

typedef struct {
  int loop; // the row of the loop around it; -1: none
  int line;
  const char *class, *file;
  uint64_t times;        // how often it ran, or its elements; of a loop, trips
  uint64_t bytes, flops; // all
  double seconds;
} WorkRow;

// A sum of rows, under a name or at a place.
typedef struct {
  const char *name;
  const WorkRow *at;
  uint64_t bytes, flops;
  double seconds;
} WorkSum;

typedef struct {
  Arena *arena;
  const WorkReport *about;
  const char *kernel;
  Vec(WorkRow) rows;
  Vec(WorkSum) classes, loops, lines;
  WorkSum all;
  double nobody; // seconds
  Str out;
} ReportWriter;

// -- Reading the table -------------------------------------------------------

static const char *take_until(Arena *arena, const char **text, char end) {
  const char *begin = *text;
  while (**text && **text != end) (*text)++;
  const char *word = arena_strndup(arena, begin, (size_t)(*text - begin));
  if (**text) (*text)++;
  return word;
}

static uint64_t take_number(const char **text) {
  char *end;
  const long long x = strtoll(*text, &end, 10);
  *text = end;
  return (uint64_t)x;
}

static void read_row(ReportWriter *w, const char **text, const uint64_t *sums) {
  WorkRow row = {.loop = (int)take_number(text)};
  row.times = sums[take_number(text)];
  row.seconds = (double)sums[take_number(text)] * w->about->second_of_tick;
  row.bytes = take_number(text) * row.times;
  row.flops = take_number(text) * row.times;
  row.line = (int)take_number(text);
  (*text)++; // a tab
  row.class = take_until(w->arena, text, '\t');
  row.file = take_until(w->arena, text, '\n');
  assert(row.loop < (int)w->rows.count && "a loop follows what is in it"); // I2
  vec_push(w->arena, &w->rows, row);
}

static void read_table(ReportWriter *w, const char *text,
                       const uint64_t *sums) {
  take_number(&text); // of counters
  const uint64_t count = take_number(&text);
  text++; // a blank
  w->kernel = take_until(w->arena, &text, '\n');
  for (uint64_t i = 0; i < count; i++) read_row(w, &text, sums);
  w->nobody = (double)sums[NOBODY] * w->about->second_of_tick;
}

// -- Sums --------------------------------------------------------------------

static void add(WorkSum *to, const WorkRow *row) {
  to->bytes += row->bytes;
  to->flops += row->flops;
  to->seconds += row->seconds;
}

static void add_to_class(ReportWriter *w, const WorkRow *row) {
  if (!row->bytes && !row->flops) return;
  for (size_t i = 0; i < w->classes.count; i++) {
    if (strcmp(w->classes.items[i].name, row->class)) continue;
    add(&w->classes.items[i], row);
    return;
  }
  WorkSum sum = {.name = row->class};
  add(&sum, row);
  vec_push(w->arena, &w->classes, sum);
}

static void add_to_line(ReportWriter *w, const WorkRow *row) {
  if (!row->bytes && !row->flops && row->seconds <= 0) return;
  for (size_t i = 0; i < w->lines.count; i++) {
    const WorkRow *at = w->lines.items[i].at;
    if (at->line != row->line || strcmp(at->file, row->file)) continue;
    add(&w->lines.items[i], row);
    return;
  }
  WorkSum sum = {.at = row};
  add(&sum, row);
  vec_push(w->arena, &w->lines, sum);
}

// Adds a row to all loops around it.
static void add_to_loops(ReportWriter *w, size_t number) {
  const WorkRow *rows = w->rows.items;
  const bool is_loop = !strcmp(rows[number].class, "loop");
  if (is_loop) vec_push(w->arena, &w->loops, (WorkSum){.at = &rows[number]});
  int loop = is_loop ? (int)number : rows[number].loop;
  for (; loop >= 0; loop = rows[loop].loop) {
    for (size_t i = 0; i < w->loops.count; i++) {
      if (w->loops.items[i].at == &rows[loop])
        add(&w->loops.items[i], &rows[number]);
    }
  }
}

static int by_place(const void *a, const void *b) {
  const WorkRow *x = ((const WorkSum *)a)->at, *y = ((const WorkSum *)b)->at;
  const int order = strcmp(x->file, y->file);
  return order ? order : (x->line > y->line) - (x->line < y->line);
}

static void sum_up(ReportWriter *w) {
  for (size_t i = 0; i < w->rows.count; i++) {
    const WorkRow *row = &w->rows.items[i];
    add(&w->all, row);
    add_to_class(w, row);
    add_to_loops(w, i);
    add_to_line(w, row);
  }
  if (w->lines.count)
    qsort(w->lines.items, w->lines.count, sizeof *w->lines.items, by_place);
}

// -- Text --------------------------------------------------------------------

static const char *place_of(const ReportWriter *w, const WorkRow *row) {
  const char *slash = strrchr(row->file, '/');
  if (!row->line) return "(no line)";
  return arena_printf(w->arena, "%s:%d", slash ? slash + 1 : row->file,
                      row->line);
}

static void text_sum(ReportWriter *w, const char *name, const WorkSum *sum) {
  str_addf(&w->out, "  %-32s %14llu %14llu %10.3f\n", name,
           (unsigned long long)sum->bytes, (unsigned long long)sum->flops,
           sum->seconds * 1e3);
}

static void text_head(ReportWriter *w, const char *what) {
  str_addf(&w->out, "  %-32s %14s %14s %10s\n", what, "bytes", "operations",
           "ms");
}

static void text_loops(ReportWriter *w) {
  if (w->loops.count) text_head(w, "loop, trips");
  for (size_t i = 0; i < w->loops.count; i++) {
    const WorkRow *row = w->loops.items[i].at;
    text_sum(w,
             arena_printf(w->arena, "%s, %llu", place_of(w, row),
                          (unsigned long long)row->times),
             &w->loops.items[i]);
  }
}

static void write_text(ReportWriter *w) {
  const uint32_t *grid = w->about->grid;
  str_addf(&w->out,
           "%s: grid %u,%u,%u, %llu programs, %d threads: %.3f ms, %.3f ms of "
           "all threads\n",
           w->kernel, grid[0], grid[1], grid[2],
           (unsigned long long)w->about->num_programs, w->about->num_threads,
           w->about->seconds * 1e3, (w->all.seconds + w->nobody) * 1e3);
  text_head(w, "class");
  for (size_t i = 0; i < w->classes.count; i++)
    text_sum(w, w->classes.items[i].name, &w->classes.items[i]);
  text_loops(w);
  text_head(w, "line");
  for (size_t i = 0; i < w->lines.count; i++)
    text_sum(w, place_of(w, w->lines.items[i].at), &w->lines.items[i]);
  text_sum(w, "(counting, and the rest)", &(WorkSum){.seconds = w->nobody});
}

// -- JSON --------------------------------------------------------------------

static void json_sum(ReportWriter *w, const WorkSum *sum) {
  str_addf(&w->out, "\"bytes\":%llu,\"flops\":%llu,\"seconds\":%.9f",
           (unsigned long long)sum->bytes, (unsigned long long)sum->flops,
           sum->seconds);
}

static void json_places(ReportWriter *w, const char *name, const WorkSum *sums,
                        size_t count, bool are_loops) {
  str_addf(&w->out, ",\"%s\":[", name);
  for (size_t i = 0; i < count; i++) {
    const WorkRow *row = sums[i].at;
    str_add(&w->out, i ? ",{\"file\":" : "{\"file\":");
    str_add_json(&w->out, row->file);
    str_addf(&w->out, ",\"line\":%d,", row->line);
    if (are_loops)
      str_addf(&w->out, "\"trips\":%llu,", (unsigned long long)row->times);
    json_sum(w, &sums[i]);
    str_add_char(&w->out, '}');
  }
  str_add_char(&w->out, ']');
}

static void write_json(ReportWriter *w) {
  const uint32_t *grid = w->about->grid;
  str_add(&w->out, "{\"kernel\":");
  str_add_json(&w->out, w->kernel);
  str_addf(&w->out,
           ",\"grid\":[%u,%u,%u],\"programs\":%llu,\"num_threads\":%d,"
           "\"seconds\":%.9f,\"all\":{",
           grid[0], grid[1], grid[2],
           (unsigned long long)w->about->num_programs, w->about->num_threads,
           w->about->seconds);
  json_sum(w, &w->all);
  str_add(&w->out, "},\"classes\":{");
  for (size_t i = 0; i < w->classes.count; i++) {
    str_addf(&w->out, "%s\"%s\":{", i ? "," : "", w->classes.items[i].name);
    json_sum(w, &w->classes.items[i]);
    str_add_char(&w->out, '}');
  }
  str_add_char(&w->out, '}');
  json_places(w, "loops", w->loops.items, w->loops.count, true);
  json_places(w, "lines", w->lines.items, w->lines.count, false);
  str_addf(&w->out, ",\"other_seconds\":%.9f}\n", w->nobody);
}

void report_write(Arena *arena, const WorkReport *report, const char *table,
                  const uint64_t *sums, const char *request) {
  ReportWriter w = {.arena = arena, .about = report, .out = str_in(arena)};
  const char *path = strchr(request, ':') + 1;
  read_table(&w, table, sums);
  sum_up(&w);
  if (*request == 'j')
    write_json(&w);
  else
    write_text(&w);
  FILE *file = strcmp(path, "-") ? fopen(path, "a") : stdout;
  if (!file) return;
  fwrite(str_text(&w.out), 1, w.out.length, file);
  if (file == stdout)
    fflush(file);
  else
    fclose(file);
}
