// report.c -- counts of a launch by class, loop and line, as the kernel's table
// describes them.
#include "runtime/counts/sums.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The counters of work that belongs to no row, and to no loop.
enum { NOBODY = 1, NOBODY_EVENTS = 2 };

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
  const uint64_t events = take_number(text);
  row.events = events ? &sums[events] : NULL;
  row.bytes = take_number(text) * row.times;
  row.flops = take_number(text) * row.times;
  row.line = (int)take_number(text);
  (*text)++; // a tab
  row.class = take_until(w->arena, text, '\t');
  row.file = take_until(w->arena, text, '\n');
  assert(row.loop < (int)w->rows.count && "a loop follows what is in it"); // I2
  vec_push(w->arena, &w->rows, row);
}

static void add_events(WorkSum *to, const uint64_t *events) {
  for (int i = 0; events && i < WORK_EVENTS; i++) to->events[i] += events[i];
}

static void read_table(ReportWriter *w, const char *text,
                       const uint64_t *sums) {
  take_number(&text); // of counters
  const uint64_t count = take_number(&text);
  text++; // a blank
  w->kernel = take_until(w->arena, &text, '\n');
  for (uint64_t i = 0; i < count; i++) read_row(w, &text, sums);
  w->nobody = (double)sums[NOBODY] * w->about->second_of_tick;
  add_events(&w->all, &sums[NOBODY_EVENTS]);
}

// -- Sums --------------------------------------------------------------------

static bool is_access(const char *class) {
  return !strncmp(class, "global ", 7) || !strcmp(class, "atomic");
}

static void add(WorkSum *to, const WorkRow *row) {
  to->bytes += row->bytes;
  to->flops += row->flops;
  to->seconds += row->seconds;
  if (is_access(row->class)) to->memory_seconds += row->seconds;
  if (!strcmp(row->class, "tensor")) to->dot_seconds += row->seconds;
  add_events(to, row->events);
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

static void find_counted(ReportWriter *w) {
  const WorkReport *about = w->about;
  for (int i = 0; about->threads && i < about->num_threads; i++) {
    const ThreadWork *own = &about->threads[i];
    for (int k = 0; own->counts && k < WORK_EVENTS; k++)
      w->counted[k] |= own->events.files[k] >= 0;
  }
}

const char *report_refusal(const ReportWriter *w, int event) {
  const WorkReport *about = w->about;
  for (int i = 0; about->threads && i < about->num_threads; i++) {
    const ThreadWork *own = &about->threads[i];
    if (own->counts && own->events.files[event] < 0)
      return events_why(own->events.refused[event]);
  }
  return NULL;
}

double report_running_part(const ReportWriter *w) {
  uint64_t enabled = 0, running = 0;
  for (int i = 0; w->about->threads && i < w->about->num_threads; i++) {
    enabled += w->about->threads[i].events.enabled;
    running += w->about->threads[i].events.running;
  }
  return enabled ? (double)running / (double)enabled : 1;
}

static void sum_up(ReportWriter *w) {
  find_counted(w);
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

void report_write(Arena *arena, const WorkReport *report, const char *table,
                  const uint64_t *sums, const char *request) {
  ReportWriter w = {.arena = arena, .about = report, .out = str_in(arena)};
  const char *path = strchr(request, ':') + 1;
  read_table(&w, table, sums);
  sum_up(&w);
  *request == 'j' ? report_write_json(&w) : report_write_text(&w);
  FILE *file = strcmp(path, "-") ? fopen(path, "a") : stdout;
  if (!file) return;
  fwrite(str_text(&w.out), 1, w.out.length, file);
  if (file == stdout)
    fflush(file);
  else
    fclose(file);
}
