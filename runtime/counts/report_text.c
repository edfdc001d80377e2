// report_text.c -- counts of a launch as tables for a reader.
#include "runtime/counts/sums.h"

#include <string.h>

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

// -- Shares of the time ------------------------------------------------------

static double part(double x, double of) {
  return of > 0 ? x / of : 0;
}

// The time on processors of all threads, or the time that has passed if that
// was not counted.
static double busy_seconds(const ReportWriter *w, const WorkSum *sum) {
  enum { TIME = EVENT_processor_us }; // counted in nanoseconds
  return w->counted[TIME] ? (double)sum->events[TIME] * 1e-9 : sum->seconds;
}

// Rates are those of one thread.
static void text_parts(ReportWriter *w, const char *name, const WorkSum *sum) {
  const double memory = part(sum->memory_seconds, sum->seconds);
  const double dots = part(sum->dot_seconds, sum->seconds);
  const double rest = sum->seconds > 0 ? 1 - memory - dots : 0;
  const double busy = busy_seconds(w, sum);
  str_addf(&w->out, "  %-32s %8.0f %% %8.0f %% %8.0f %% %10.2f %10.2f\n", name,
           100 * memory, 100 * dots, 100 * rest,
           part((double)sum->bytes, busy) * 1e-9,
           part((double)sum->flops, busy) * 1e-9);
}

static void text_shares(ReportWriter *w) {
  str_addf(&w->out, "  %-32s %10s %10s %10s %10s %10s\n", "time of", "memory",
           "products", "the rest", "GB/s", "GFLOP/s");
  for (size_t i = 0; i < w->loops.count; i++)
    text_parts(w, place_of(w, w->loops.items[i].at), &w->loops.items[i]);
  text_parts(w, "(all)", &w->all);
}

// -- Counters of the system --------------------------------------------------

static void text_titles(ReportWriter *w) {
  for (int i = 0; i < WORK_EVENTS; i++) {
    if (w->counted[i]) str_addf(&w->out, " %14s", event_info[i].title);
  }
  str_add_char(&w->out, '\n');
}

static void text_events(ReportWriter *w, const uint64_t *sums) {
  for (int i = 0; i < WORK_EVENTS; i++) {
    if (w->counted[i])
      str_addf(&w->out, " %14llu",
               (unsigned long long)(sums[i] / event_info[i].unit));
  }
  str_add_char(&w->out, '\n');
}

static void text_counted(ReportWriter *w) {
  str_addf(&w->out, "  %-32s", "counted in");
  text_titles(w);
  for (size_t i = 0; i < w->loops.count; i++) {
    str_addf(&w->out, "  %-32s", place_of(w, w->loops.items[i].at));
    text_events(w, w->loops.items[i].events);
  }
  str_addf(&w->out, "  %-32s", "(all)");
  text_events(w, w->all.events);
}

static void text_threads(ReportWriter *w) {
  str_addf(&w->out, "  %-21s %10s", "thread, programs", "ms");
  text_titles(w);
  for (int i = 0; w->about->threads && i < w->about->num_threads; i++) {
    const ThreadWork *own = &w->about->threads[i];
    if (!own->num_programs) continue;
    const char *name = arena_printf(w->arena, "%d, %llu", i,
                                    (unsigned long long)own->num_programs);
    str_addf(&w->out, "  %-21s %10.3f", name,
             (double)own->ticks * w->about->second_of_tick * 1e3);
    text_events(w, own->sums);
  }
}

// Adds the counters that were refused for one reason.
static void text_refusals(ReportWriter *w) {
  for (int i = 0; i < WORK_EVENTS; i++) {
    const char *why = report_refusal(w, i);
    const bool told = why && i && report_refusal(w, i - 1) == why;
    if (!why) continue;
    str_addf(&w->out, told ? ", %s" : "  (without %s", event_info[i].title);
    const bool last = i + 1 == WORK_EVENTS || report_refusal(w, i + 1) != why;
    if (last) str_addf(&w->out, ": %s)\n", why);
  }
  const double running = report_running_part(w);
  if (running < 1)
    str_addf(&w->out, "  (counters ran for %.0f %% of the time)\n",
             100 * running);
}

// -- All ---------------------------------------------------------------------

void report_write_text(ReportWriter *w) {
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
  text_shares(w);
  text_counted(w);
  text_threads(w);
  text_refusals(w);
}
