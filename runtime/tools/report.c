// report.c -- sizes of --sweep and --try; and `tilec bench --report`: sizes,
// labels and lines from a triton.testing.Benchmark in the file.
//
// The benchmark's function is host code and does not run: the kernel's figures
// are the line "triton", and a peer whose name is a line's value gives the
// figures of that line.
#include "runtime/tools/errors.h"
#include "runtime/tools/run.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

// -- Given sizes -------------------------------------------------------------

static int fail_too_many(Tool *tool, const char *option) {
  return tool_fail(tool, EXIT_USAGE, ERROR_sweep_too_many, option, MAX_SWEEPS,
                   MAX_POINTS);
}

int run_read_sweeps(Tool *tool, const char *option, const NameValues *given,
                    Sweeps *out) {
  *out = (Sweeps){.count = given->count, .num_points = 1};
  if (given->count > MAX_SWEEPS) return fail_too_many(tool, option);
  for (size_t i = 0; i < given->count; i++) {
    const NameValue *pair = &given->items[i];
    Sweep *sweep = &out->items[i];
    const char *why;
    sweep->name = pair->name;
    if (!sweep_read(&tool->arena, pair->value, sweep, &why))
      return tool_fail(tool, EXIT_USAGE, ERROR_sweep_values, option, pair->name,
                       pair->value, why);
    out->num_points *= sweep->count;
    if (out->num_points > MAX_POINTS) return fail_too_many(tool, option);
  }
  return EXIT_FINE;
}

// -- Reading a report --------------------------------------------------------

typedef struct {
  Tool *tool;
  SourceUnit *unit;
  PerfReports all;
  DiagList diags;
  bool ok;
} ReportReading;

static void read_body(void *data) {
  ReportReading *r = data;
  frontend_add_sources(r->unit->program, &r->diags);
  r->ok =
      frontend_reports(r->unit->program, &r->tool->arena, &r->diags, &r->all);
}

static const char *names_of(Tool *tool, const PerfReports *all) {
  Str out = str_in(&tool->arena);
  for (int i = 0; i < all->count; i++)
    str_addf(&out, "%s%s", i ? ", " : "", all->items[i].name);
  return str_text(&out);
}

// The report with the given name, or the only one; NULL: none.
static const PerfReport *choose(const Tool *tool, const PerfReports *all) {
  const char *asked = tool->options.report;
  for (int i = 0; *asked && i < all->count; i++)
    if (!strcmp(all->items[i].name, asked)) return &all->items[i];
  return !*asked && all->count == 1 ? &all->items[0] : NULL;
}

static int read_report(Tool *tool, const PerfReport **out) {
  TileSource source;
  ReportReading r = {.tool = tool};
  int code = tool_read_source(tool, &source);
  if (!code) code = tool_parse(tool, &source, &r.unit);
  if (code) return code;
  diag_init(&r.diags, &tool->arena);
  if (!unit_protect_with(r.unit, &tool->arena, read_body, &r))
    return tool_finish(tool, TILE_OUT_OF_MEMORY);
  *out = choose(tool, &r.all);
  if (*out && (r.ok || *tool->options.report)) return EXIT_FINE;
  report_list(&tool->report, &r.diags); // messages about all reports
  if (!r.ok) return tool_finish(tool, TILE_COMPILE_ERROR);
  if (!r.all.count)
    return tool_fail(tool, EXIT_USAGE, ERROR_report_none, tool->options.file);
  return tool_fail(tool, EXIT_USAGE, ERROR_report_which, tool->options.file,
                   names_of(tool, &r.all));
}

// -- Its sizes ---------------------------------------------------------------

// Adds a sweep: each `stride`-th value from `from` on; 0: one value at all
// points.
static int add_sweep(Tool *tool, const PerfReport *report, const char *name,
                     const int64_t *from, int stride, Sweeps *out) {
  const int count = report->num_points;
  if (sweeps_have(out, name)) return EXIT_FINE;
  if (out->count == MAX_SWEEPS)
    return tool_fail(tool, EXIT_USAGE, ERROR_report_sizes, report->name,
                     MAX_SWEEPS, name);
  int64_t *values = arena_array(&tool->arena, int64_t, count);
  for (int i = 0; i < count; i++) values[i] = from[i * stride];
  out->items[out->count++] = (Sweep){name, values, (size_t)count};
  return EXIT_FINE;
}

static int add_sizes(Tool *tool, const PerfReport *report, Sweeps *out) {
  int code = EXIT_FINE;
  for (int i = 0; !code && i < report->num_names; i++)
    code = add_sweep(tool, report, report->x_names[i], &report->values[i],
                     report->num_names, out);
  return code;
}

// Adds whole numbers in `args` as fixed sizes.
static int add_fixed(Tool *tool, const PerfReport *report, Sweeps *out) {
  int code = EXIT_FINE;
  for (int i = 0; !code && i < report->num_args; i++) {
    char *end;
    const char *text = report->arg_values[i];
    const int64_t value = strtoll(text, &end, 10);
    if (end != text && !*end)
      code = add_sweep(tool, report, report->arg_names[i], &value, 0, out);
  }
  return code;
}

// -- Lines -------------------------------------------------------------------

const ReportLine *report_line(const PerfReport *report, const char *value) {
  for (int i = 0; report && i < report->num_lines; i++)
    if (!strcmp(report->lines[i].value, value)) return &report->lines[i];
  return NULL;
}

const ReportLine *report_kernel_line(const PerfReport *report,
                                     const char *kernel) {
  const ReportLine *line = kernel ? report_line(report, kernel) : NULL;
  for (int i = 0; !line && report && i < report->num_lines; i++)
    if (!strncasecmp(report->lines[i].value, "triton", 6))
      line = &report->lines[i];
  const bool is_sole = report && report->num_lines == 1;
  return !line && is_sole ? &report->lines[0] : line;
}

static bool has_peer(const Options *options, const char *name) {
  for (size_t i = 0; i < options->peers.count; i++)
    if (!strcmp(options->peers.items[i].name, name)) return true;
  return false;
}

static void tell_missing(Tool *tool, const PerfReport *report) {
  const Options *options = &tool->options;
  const ReportLine *own = report_kernel_line(report, options->kernel);
  for (int i = 0; i < report->num_lines; i++) {
    const ReportLine *line = &report->lines[i];
    if (line != own && !has_peer(options, line->value))
      tool_warn(tool, WARNING_report_line, line->name, line->value);
  }
}

int bench_read_report(Tool *tool, Sweeps *sweeps, const PerfReport **out) {
  const PerfReport *report = NULL;
  if (tool->options.sweeps.count)
    return tool_fail(tool, EXIT_USAGE, ERROR_report_with_sweep);
  int code = read_report(tool, &report);
  if (code || !report) return code;
  *sweeps =
      (Sweeps){.num_points = (size_t)report->num_points, .are_together = true};
  code = add_sizes(tool, report, sweeps);
  if (!code) code = add_fixed(tool, report, sweeps);
  if (code) return code;
  tell_missing(tool, report);
  *out = report;
  return EXIT_FINE;
}

// -- Its plot ----------------------------------------------------------------

// The unit of the values that the benchmark's function returns.
static FigureUnit unit_of(const PerfReport *report) {
  if (strstr(report->y_label, "FLOP")) return DRAW_FLOPS;
  if (strstr(report->y_label, "B/s")) return DRAW_BYTES;
  return strstr(report->y_label, "ms") ? DRAW_TIME : DRAW_MOST;
}

void report_describe(Arena *arena, const PerfReport *report, Figures *out) {
  FigureStyle *styles = arena_array(arena, FigureStyle, out->num_series + 1);
  for (size_t i = 0; i < out->num_series; i++)
    for (int k = 0; k < report->num_lines; k++)
      if (!strcmp(report->lines[k].name, out->names[i]))
        styles[i] =
            (FigureStyle){report->lines[k].colour, report->lines[k].stroke};
  if (*report->name) out->title = report->name;
  if (*report->x_label) out->x_label = report->x_label;
  out->x = 0;
  out->x_is_linear = !report->x_log;
  out->y_is_log = report->y_log;
  out->unit = unit_of(report);
  out->styles = styles;
}
