// bench.c -- `tilec bench FILE`: kernels and configurations over sizes.
//
// Each point has an arena of its own, with its buffers, which is freed before
// the next point.
#include "runtime/tools/errors.h"
#include "runtime/tools/parts/parts.h"
#include "runtime/tools/run.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 100 }; // launches of a series at a point

typedef struct {
  const char *name, *kernel, *config; // NULL: not given
  const char *command;                // of a peer, else NULL
} Series;

typedef struct {
  Tool *tool;
  const PerfReport *report; // NULL: none
  Sweeps sweeps;
  size_t num_kernels;
  Vec(Series) series; // kernels first; --compare's may be last
  Figure *figures;
  const char *earlier; // the text of --compare, else NULL
  size_t earlier_length;
  Figures all;
  int failed; // the exit code of the last failure that cost some figures alone
} Bench;

// -- Series ------------------------------------------------------------------

static const char *series_name(const Bench *b, const char *kernel,
                               const char *config) {
  Arena *arena = &b->tool->arena;
  const ReportLine *line = report_kernel_line(b->report, kernel);
  if (line && !config) return line->name;
  if (!config) return kernel ? kernel : "kernel";
  return kernel ? arena_printf(arena, "%s:%s", kernel, config)
                : arena_printf(arena, "config %s", config);
}

static int check_config(Tool *tool, const char *config) {
  if (!config || !strcmp(config, "best")) return EXIT_FINE;
  if (*config && !config[strspn(config, "0123456789")] && strlen(config) < 7)
    return EXIT_FINE;
  return tool_fail(tool, EXIT_USAGE, ERROR_bad_value, "--config",
                   "numbers or 'best', between commas", config);
}

static int list_kernels(Bench *b) {
  Arena *arena = &b->tool->arena;
  const Texts kernels = texts_split(arena, b->tool->options.kernel);
  const Texts configs = texts_split(arena, b->tool->options.configs);
  for (size_t i = 0; i < kernels.count; i++) {
    for (size_t k = 0; k < configs.count; k++) {
      const char *kernel = kernels.items[i], *config = configs.items[k];
      const int code = check_config(b->tool, config);
      if (code) return code;
      const Series series = {series_name(b, kernel, config), kernel, config,
                             NULL};
      vec_push(arena, &b->series, series);
    }
  }
  b->num_kernels = b->series.count;
  return EXIT_FINE;
}

static int list_series(Bench *b) {
  Arena *arena = &b->tool->arena;
  const Options *o = &b->tool->options;
  int code = list_kernels(b);
  for (size_t i = 0; i < o->peers.count; i++) {
    const NameValue *peer = &o->peers.items[i];
    const ReportLine *line = report_line(b->report, peer->name);
    const Series series = {line ? line->name : peer->name, NULL, NULL,
                           peer->value};
    vec_push(arena, &b->series, series);
  }
  if (code || !o->compare) return code;
  char why[512];
  b->earlier =
      file_read(arena, o->compare, &b->earlier_length, why, sizeof why);
  if (!b->earlier) return tool_fail(b->tool, EXIT_FILES, "%s", why);
  if (!figures_are(arena, b->earlier, b->earlier_length))
    return tool_fail(b->tool, EXIT_FILES, ERROR_compare_file, o->compare);
  for (size_t i = 0; i < b->num_kernels; i++) {
    const Series series = {
        arena_printf(arena, "%s before", b->series.items[i].name), NULL, NULL,
        NULL};
    vec_push(arena, &b->series, series);
  }
  return EXIT_FINE;
}

// -- One point ---------------------------------------------------------------

typedef struct {
  Bench *bench;
  Tool tool; // with the point's arena
  int64_t values[MAX_SWEEPS];
  Figure *figures;
  int code;
} Point;

static const char *fill(Point *p, const char *text) {
  return sweeps_fill(&p->tool.arena, &p->bench->sweeps, p->values, text);
}

static void fill_pairs(Point *p, NameValues *pairs) {
  NameValues filled = {0};
  for (size_t i = 0; i < pairs->count; i++) {
    const NameValue pair = {pairs->items[i].name,
                            fill(p, pairs->items[i].value)};
    vec_push(&p->tool.arena, &filled, pair);
  }
  *pairs = filled;
}

static void fill_formula(Point *p, const char **text) {
  if (*text) *text = fill(p, *text);
}

static void fill_options(Point *p) {
  Options *o = &p->tool.options;
  fill_pairs(p, &o->args);
  fill_pairs(p, &o->defines);
  fill_formula(p, &o->grid);
  fill_formula(p, &o->bytes);
  fill_formula(p, &o->flops);
}

// A sweep's value is the argument of its name, unless there is another one.
static void add_arguments(Point *p, const TileKernel *kernel) {
  Options *o = &p->tool.options;
  for (size_t i = 0; i < p->bench->sweeps.count; i++) {
    const char *name = p->bench->sweeps.items[i].name;
    if (!kernel_has_param(kernel, name) || pairs_have(&o->args, name) ||
        pairs_have(&o->defines, name))
      continue;
    const NameValue pair = {
        name, fill(p, arena_printf(&p->tool.arena, "{%s}", name))};
    vec_push(&p->tool.arena, &o->args, pair);
  }
}

static bool any_has_param(const Bench *b, const TileKernel *like,
                          const char *name) {
  for (size_t i = 0; i < b->num_kernels; i++) {
    TileKernel *kernel;
    const char *of = b->series.items[i].kernel;
    if (!tile_program_kernel(like->program, of, &kernel, NULL) &&
        kernel_has_param(kernel, name))
      return true;
  }
  return false;
}

// Leaves out the arguments that only other kernels of the bench have.
static void leave_arguments(Point *p, const TileKernel *kernel) {
  NameValues *args = &p->tool.options.args, kept = {0};
  for (size_t i = 0; i < args->count; i++) {
    const char *name = args->items[i].name;
    if (kernel_has_param(kernel, name) ||
        !any_has_param(p->bench, kernel, name))
      vec_push(&p->tool.arena, &kept, args->items[i]);
  }
  *args = kept;
}

// A name that -D defines may be a parameter of another kernel alone.
static void spare_defines(Point *p, const TileKernel *kernel) {
  Options *o = &p->tool.options;
  Texts spares = {0};
  for (size_t i = 0; i < o->defines.count; i++) {
    const char *name = o->defines.items[i].name;
    if (!kernel_has_param(kernel, name) &&
        any_has_param(p->bench, kernel, name))
      vec_push(&p->tool.arena, &spares, name);
  }
  o->spares = spares;
}

static int measure_formula(Point *p, KernelRun *run, const char *option,
                           const char *text, double *out) {
  int64_t value;
  if (!text) return EXIT_FINE;
  const int code = run_evaluate(&p->tool, run, option, text, &value);
  *out = (double)value;
  return code;
}

// -- Sweeps that nothing uses ------------------------------------------------

static bool any_says(const NameValues *pairs, const char *braced) {
  for (size_t i = 0; i < pairs->count; i++)
    if (strstr(pairs->items[i].value, braced)) return true;
  return false;
}

static bool is_used(const Point *p, const TileKernel *kernel,
                    const char *name) {
  const Options *o = &p->bench->tool->options; // not filled in
  const char *braced = arena_printf(&p->bench->tool->arena, "{%s}", name);
  if (sweep_is_word(o->grid, name) || sweep_is_word(o->bytes, name) ||
      sweep_is_word(o->flops, name) || any_says(&o->args, braced) ||
      any_says(&o->defines, braced) || any_says(&o->peers, braced))
    return true;
  return any_has_param(p->bench, kernel, name) && !pairs_have(&o->args, name) &&
         !pairs_have(&o->defines, name);
}

static int check_sweeps(const Point *p, const TileKernel *kernel) {
  const NameValues *sweeps = &p->bench->tool->options.sweeps;
  for (size_t i = 0; i < sweeps->count; i++) {
    const char *name = sweeps->items[i].name;
    if (!is_used(p, kernel, name))
      return tool_fail(p->bench->tool, EXIT_USAGE, ERROR_sweep_unused, name,
                       name);
  }
  return EXIT_FINE;
}

// -- Opened ------------------------------------------------------------------

// Opens the kernel, its arguments and the grid, on the device of `run` or of
// the options.
static int open_launch(Point *p, const Series *series, KernelRun *run) {
  Options *o = &p->tool.options;
  const NameValues args = o->args;
  o->kernel = series->kernel;
  o->best = series->config && !strcmp(series->config, "best");
  const bool is_number = series->config && !o->best; // of few digits
  o->config = is_number ? (int)strtol(series->config, NULL, 10) : 0;
  run->sweeps = &p->bench->sweeps;
  run->values = p->values;
  int code = run_open_kernel(&p->tool, run);
  if (!code) leave_arguments(p, run->kernel);
  if (!code) spare_defines(p, run->kernel);
  if (!code) add_arguments(p, run->kernel);
  if (!code) code = run_open_arguments(&p->tool, run);
  if (!code && o->best) code = run_check_best(&p->tool, run);
  if (!code) code = run_read_grid(&p->tool, run);
  if (!code) code = check_sweeps(p, run->kernel);
  o->args = args;
  return code;
}

// -- Counted -----------------------------------------------------------------

static int count(Point *p, const Series *series, Figure *out) {
  Options *o = &p->tool.options;
  const char *device = o->device;
  KernelRun run = {.device = NULL};
  o->device = "sim";
  int code = open_launch(p, series, &run);
  o->device = device;
  return code ? code : run_count(&p->tool, &run, out);
}

static int open_series(Point *p, const Series *series, KernelRun *run,
                       Figure *figure) {
  const Options *o = &p->tool.options;
  int code = open_launch(p, series, run);
  if (!code && o->counts) code = count(p, series, figure);
  if (!code) code = measure_formula(p, run, "bytes", o->bytes, &figure->bytes);
  if (!code) code = measure_formula(p, run, "flops", o->flops, &figure->flops);
  return code;
}

// -- Measured ----------------------------------------------------------------

static TileStatus launch_once(Tool *tool, const KernelRun *run,
                              const LaunchTimer *timer, double *seconds) {
  return launch_timed(timer, run->device, &run->launch, seconds,
                      &tool->diagnostics);
}

// Launches to compile and warm up, which determines the number of launches.
static TileStatus warm_up(Tool *tool, const KernelRun *run,
                          const LaunchTimer *timer, size_t *rounds) {
  double seconds = 0;
  TileStatus status = launch_once(tool, run, timer, &seconds);
  if (!status) status = launch_once(tool, run, timer, &seconds);
  const size_t count = launch_rounds(seconds, MOST);
  if (!status && count < *rounds) *rounds = count;
  return status;
}

static TileStatus run_rounds(Point *p, const KernelRun *runs,
                             const LaunchTimer *timers) {
  const size_t count = p->bench->num_kernels;
  const int asked = p->tool.options.num_rounds;
  size_t rounds = MOST;
  TileStatus status = TILE_OK;
  for (size_t i = 0; !status && i < count; i++)
    status = warm_up(&p->tool, &runs[i], &timers[i], &rounds);
  if (asked) rounds = (size_t)asked;
  double *times = arena_array(&p->tool.arena, double, rounds *count + 1);
  for (size_t r = 0; !status && r < rounds; r++)
    for (size_t i = 0; !status && i < count; i++)
      status =
          launch_once(&p->tool, &runs[i], &timers[i], &times[i * rounds + r]);
  for (size_t i = 0; !status && i < count; i++) {
    const Figure rates = p->figures[i];
    p->figures[i] = figure_of(&times[i * rounds], rounds);
    p->figures[i].bytes = rates.bytes;
    p->figures[i].flops = rates.flops;
  }
  return status;
}

static void destroy_timer(void *data) {
  launch_timer_destroy(data);
}

static int measure_kernels(Point *p) {
  const size_t count = p->bench->num_kernels;
  Arena *arena = &p->tool.arena;
  KernelRun *runs = arena_array(arena, KernelRun, count + 1);
  LaunchTimer *timers = arena_array(arena, LaunchTimer, count + 1);
  TileStatus status = TILE_OK;
  for (size_t i = 0; !status && i < count; i++) {
    runs[i].device = runs[0].device;
    const int code =
        open_series(p, &p->bench->series.items[i], &runs[i], &p->figures[i]);
    if (code) return code;
    arena_defer(arena, destroy_timer, &timers[i]);
    status =
        launch_timer_create(runs[i].device, &timers[i], &p->tool.diagnostics);
  }
  if (!status) status = run_rounds(p, runs, timers);
  return tool_finish(&p->tool, status);
}

// " (n=1024, m=3)"; "" without sweeps.
static const char *point_text(Point *p) {
  Str out = str_in(&p->tool.arena);
  const Sweeps *sweeps = &p->bench->sweeps;
  for (size_t i = 0; i < sweeps->count; i++)
    str_addf(&out, "%s%s=%lld", i ? ", " : " (", sweeps->items[i].name,
             (long long)p->values[i]);
  str_add(&out, sweeps->count ? ")" : "");
  return str_text(&out);
}

// A peer has the bytes and operations of the first kernel.  A peer that fails
// is reported, and the other figures are written all the same.
static void measure_peer(Point *p, const Series *series, Figure *out) {
  const char *command = fill(p, series->command);
  const char *why = figure_of_command(&p->bench->tool->arena, command, out);
  if (why)
    p->bench->failed = tool_fail(&p->tool, EXIT_DEVICE, ERROR_peer_failed,
                                 series->name, command, why, point_text(p));
  out->why = why;
  out->bytes = p->figures[0].bytes;
  out->flops = p->figures[0].flops;
}

static int measure(Point *p) {
  Bench *b = p->bench;
  fill_options(p);
  const int code = measure_kernels(p);
  for (size_t i = b->num_kernels; !code && i < b->series.count; i++) {
    const size_t kernel = i - (b->series.count - b->num_kernels);
    if (b->series.items[i].command) {
      measure_peer(p, &b->series.items[i], &p->figures[i]);
    } else {
      figures_find(&p->tool.arena, b->earlier, b->earlier_length, &b->all,
                   p->values, kernel, &p->figures[i]);
      p->figures[i].bytes = p->figures[kernel].bytes;
      p->figures[i].flops = p->figures[kernel].flops;
    }
  }
  return code;
}

// A kernel that fails at a point costs the figures of all kernels at that point
// alone. A failure at the first point ends the bench, since usually it would
// occur at all points.
static void measure_body(void *data) {
  Point *p = data;
  Bench *b = p->bench;
  p->code = measure(p);
  if (!p->code || p->figures == b->figures) return;
  b->failed = tool_fail(&p->tool, p->code, ERROR_point_failed, point_text(p));
  p->code = EXIT_FINE;
  for (size_t i = 0; i < b->num_kernels; i++)
    p->figures[i] = (Figure){.why = "fails"};
}

static int measure_point(Bench *b, size_t number) {
  Point p = {.bench = b, .tool = *b->tool};
  p.figures = &b->figures[number * b->series.count];
  sweeps_at(&b->sweeps, number, p.values);
  p.tool.diagnostics = NULL;
  p.tool.report = report_to(p.tool.context, &p.tool.diagnostics);
  arena_init(&p.tool.arena, &system_allocator);
  const bool ok = arena_protect(&p.tool.arena, measure_body, &p);
  tile_diagnostics_destroy(p.tool.diagnostics);
  arena_free(&p.tool.arena);
  b->tool->warned |= p.tool.warned;
  return ok ? p.code : tool_finish(b->tool, TILE_OUT_OF_MEMORY);
}

// -- The results -------------------------------------------------------------

static int write_text(Tool *tool, const char *file, const char *text) {
  return file ? tool_write(tool, file, text, strlen(text)) : EXIT_FINE;
}

static int write_all(Bench *b) {
  Tool *tool = b->tool;
  const Options *o = &tool->options;
  const Figures *all = &b->all;
  const bool to_stdout = (o->json_file && !strcmp(o->json_file, "-")) ||
                         (o->csv_file && !strcmp(o->csv_file, "-"));
  if (!to_stdout) figures_print(all, stdout);
  int code = write_text(tool, o->json_file, figures_json(&tool->arena, all));
  if (!code)
    code = write_text(tool, o->csv_file, figures_csv(&tool->arena, all));
  return !code && o->plot_file ? bench_plot(tool, all) : code;
}

static void describe(Bench *b) {
  Arena *arena = &b->tool->arena;
  const Options *o = &b->tool->options;
  const char **names = arena_array(arena, const char *, b->series.count + 1);
  for (size_t i = 0; i < b->series.count; i++)
    names[i] = b->series.items[i].name;
  b->figures =
      arena_array(arena, Figure, b->sweeps.num_points * b->series.count + 1);
  b->all = (Figures){
      .title = o->device ? arena_printf(arena, "%s on %s", o->file, o->device)
                         : o->file,
      .sweeps = &b->sweeps,
      .names = names,
      .num_series = b->series.count,
      .figures = b->figures,
      .has_bytes = o->bytes || o->counts,
      .has_flops = o->flops || o->counts,
      .x = b->sweeps.count ? b->sweeps.count - 1 : 0,
  };
  if (b->report) report_describe(arena, b->report, &b->all);
}

int command_bench(Tool *tool) {
  Bench b = {.tool = tool};
  const Options *o = &tool->options;
  int code = o->report ? bench_read_report(tool, &b.sweeps, &b.report)
                       : run_read_sweeps(tool, "sweep", &o->sweeps, &b.sweeps);
  if (!code) code = bench_check_files(tool, &b.sweeps);
  if (!code) code = list_series(&b);
  if (code) return code;
  describe(&b);
  for (size_t i = 0; !code && i < b.sweeps.num_points; i++)
    code = measure_point(&b, i);
  crash_prepare(tool); // no memory of the points is left
  if (!code) code = write_all(&b);
  return tool_exit_code(tool, code ? code : b.failed);
}
