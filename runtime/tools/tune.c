// tune.c -- `tilec tune FILE`: finds the quickest configuration; and `tilec run
// --config=best`.
#define _DEFAULT_SOURCE // isatty
#include "runtime/base/base.h"
#include "runtime/tools/errors.h"
#include "runtime/tools/run.h"
#include "runtime/tuned/tuned.h"

#include <dirent.h>
#include <errno.h>
#include <float.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// -- The folder --------------------------------------------------------------

// The folder of tuned kernels: the given one, else "tuned" in the folder of the
// cache. Without --config=best, `tilec run` reads only a given folder.
static const char *tuned_place(Tool *tool) {
  const Options *o = &tool->options;
  if (o->tuned) return o->tuned;
  const bool asks = o->best || (o->configs && strstr(o->configs, "best"));
  if (o->command != TUNE && !asks) return NULL;
  if (!*o->cache_dir || !strcmp(o->cache_dir, "off")) return o->cache_dir;
  return arena_printf(&tool->arena, "%s/tuned", o->cache_dir);
}

bool tool_open_tuned(Tool *tool) {
  TileContext *context = tool->context;
  return tuned_open(&context->from, tuned_place(tool), &context->tuned);
}

// -- Known values ------------------------------------------------------------

int run_check_best(Tool *tool, KernelRun *run) {
  const char *key, *choice;
  const TileStatus status =
      launch_tuned(run->device, &run->launch, &tool->arena, &key, &choice,
                   &tool->diagnostics);
  if (!status && !choice)
    tool_warn(tool, WARNING_not_tuned, run->kernel->name, key);
  return status ? tool_finish(tool, status) : EXIT_FINE;
}

// -- Tuning ------------------------------------------------------------------

// Writes one line over and over.
static bool show_progress(void *ctx, const TileTuneProgress *p) {
  (void)ctx;
  fprintf(stderr, "\r[%zu/%zu] %.0f s left  %-48.48s", p->done, p->total,
          p->seconds_left, p->what);
  if (p->done == p->total) fputs("\r\033[K", stderr);
  return true;
}

typedef struct {
  size_t number;
  TileTuneResult result;
} TuneRow;

static int by_time(const void *a, const void *b) {
  const TuneRow *x = a, *y = b;
  if (x->result.verdict != y->result.verdict)
    return x->result.verdict > y->result.verdict ? 1 : -1;
  if (x->result.median < y->result.median) return -1;
  return x->result.median > y->result.median || x->number > y->number;
}

static void print_row(const TuneRow *row) {
  static const char *const verdicts[] = {
#define VERDICT(id, word) [TILE_TUNE_##id] = word,
#include "runtime/tools/words.def"
  };
  const TileTuneResult *r = &row->result;
  if (r->num_times)
    printf("%12.6f %12.6f %12.6f %6zu", r->median * 1e3, r->least * 1e3,
           r->most * 1e3, r->num_times);
  else
    printf("%12s %12s %12s %6s", verdicts[r->verdict], "", "", "");
  printf("  %3zu  %s", row->number, r->config);
  if (r->num_outliers)
    printf("  (%zu outlier%s)", r->num_outliers,
           r->num_outliers > 1 ? "s" : "");
  if (*r->why && !r->num_times) printf("\n%51s  %s", "", r->why);
  puts("");
}

static void print_results(Tool *tool, const KernelRun *run,
                          const TileTuning *tuning, bool is_space) {
  const size_t count = tile_tuning_num_results(tuning);
  TuneRow *rows = arena_array(&tool->arena, TuneRow, count + 1);
  for (size_t i = 0; i < count; i++)
    rows[i] = (TuneRow){i, tile_tuning_result(tuning, i)};
  qsort(rows, count, sizeof *rows, by_time);
  printf("%s on %s, %s\n", run->kernel->name, tile_device_name(run->device),
         tile_tuning_key(tuning));
  printf("%12s %12s %12s %6s  %3s\n", "median ms", "least", "most", "of",
         "config");
  for (size_t i = 0; i < count; i++) print_row(&rows[i]);
  const size_t best = (size_t)tile_tuning_best(tuning);
  if (is_space)
    printf("best: %s\n", tile_tuning_result(tuning, best).config);
  else
    printf("best: --config=%zu, %s\n", best,
           tile_tuning_result(tuning, best).config);
}

// -- A search space ----------------------------------------------------------

typedef struct {
  Tool *tool;
  KernelRun *run;
  Sweeps axes;
  TileTuneChoice *choices;
  size_t num_choices;
} TuneSpace;

static bool is_option(const char *name) {
  return !strcmp(name, "num_warps") || !strcmp(name, "num_stages");
}

static bool is_constant(const TileLaunch *launch, const char *name) {
  for (size_t i = 0; i < launch->num_constants; i++)
    if (!strcmp(launch->constants[i].name, name)) return true;
  return false;
}

static int fail_given(Tool *tool, const char *name) {
  return tool_fail(tool, EXIT_USAGE, ERROR_try_given, name);
}

// Removes the arguments of parameters that the space gives constants.
static int drop_tried(TuneSpace *space) {
  Tool *tool = space->tool;
  TileLaunch *launch = &space->run->launch;
  const TileKernel *kernel = space->run->kernel;
  TileArg *args = arena_array(&tool->arena, TileArg, launch->num_args + 1);
  size_t count = 0, next = 0;
  for (size_t i = 0; i < kernel->num_params && next < launch->num_args; i++) {
    const char *name = kernel->params[i].name;
    if (is_constant(launch, name)) continue;
    const TileArg *arg = &launch->args[next++];
    if (!sweeps_have(&space->axes, name))
      args[count++] = *arg;
    else if (arg->kind != TILE_ARG_DEFAULT)
      return fail_given(tool, name);
  }
  launch->args = args;
  launch->num_args = count;
  return EXIT_FINE;
}

static int drop_arguments(TuneSpace *space) {
  Tool *tool = space->tool;
  for (size_t i = 0; i < space->axes.count; i++) {
    const char *name = space->axes.items[i].name;
    NameValues one = {0};
    if (is_option(name)) continue;
    vec_push(&tool->arena, &one, ((NameValue){name, ""}));
    const int code = run_check_names(tool, space->run, "try", &one);
    if (code) return code;
    if (is_constant(&space->run->launch, name)) return fail_given(tool, name);
  }
  return drop_tried(space);
}

// A value outside of int becomes one that the library refuses.
static int narrow(int64_t value) {
  return value < 0 ? -1 : value > INT_MAX ? INT_MAX : (int)value;
}

static void make_choice(const TuneSpace *space, size_t point,
                        TileTuneChoice *out) {
  Arena *arena = &space->tool->arena;
  const TileLaunch *launch = &space->run->launch;
  int64_t values[MAX_SWEEPS];
  Str text = str_in(arena);
  TileConstant *all = arena_array(
      arena, TileConstant, launch->num_constants + space->axes.count + 1);
  size_t count = launch->num_constants;
  for (size_t i = 0; i < count; i++) all[i] = launch->constants[i];
  *out = (TileTuneChoice){.constants = all};
  sweeps_at(&space->axes, point, values);
  for (size_t i = 0; i < space->axes.count; i++) {
    const char *name = space->axes.items[i].name;
    str_addf(&text, "%s%s=%lld", i ? ", " : "", name, (long long)values[i]);
    if (!strcmp(name, "num_warps"))
      out->num_warps = narrow(values[i]);
    else if (!strcmp(name, "num_stages"))
      out->num_stages = narrow(values[i]);
    else
      all[count++] = (TileConstant){name, tile_int_arg(values[i])};
  }
  out->num_constants = count;
  out->text = str_text(&text);
}

static int keeps_to_rules(TuneSpace *space, const TileTuneChoice *choice,
                          bool *out) {
  const Texts *rules = &space->tool->options.rules;
  KernelRun run = *space->run;
  int code = EXIT_FINE;
  run.launch.constants = choice->constants;
  run.launch.num_constants = choice->num_constants;
  if (choice->num_warps) run.launch.num_warps = choice->num_warps;
  if (choice->num_stages) run.launch.num_stages = choice->num_stages;
  *out = true;
  for (size_t i = 0; !code && *out && i < rules->count; i++)
    code = run_holds(space->tool, &run, "where", rules->items[i], out);
  return code;
}

static int make_space(TuneSpace *space) {
  Tool *tool = space->tool;
  int code = run_read_sweeps(tool, "try", &tool->options.tries, &space->axes);
  if (code || !space->axes.count) return code;
  code = drop_arguments(space);
  space->choices =
      arena_array(&tool->arena, TileTuneChoice, space->axes.num_points);
  for (size_t i = 0; !code && i < space->axes.num_points; i++) {
    TileTuneChoice *choice = &space->choices[space->num_choices];
    bool keeps;
    make_choice(space, i, choice);
    code = keeps_to_rules(space, choice, &keeps);
    space->num_choices += keeps;
  }
  if (code || space->num_choices) return code;
  return tool_fail(tool, EXIT_USAGE, ERROR_try_nothing, space->axes.num_points);
}

// The given tolerance, even 0; by default the library's.
static double tolerance_of(const Tool *tool) {
  const double given = tool->options.tolerance;
  return given < 0 ? 0 : given > 0 ? given : DBL_MIN;
}

// Computes the grid for a choice, whose constants --grid may use.
static TileStatus grid_of(void *ctx, TileDevice *device,
                          const TileLaunch *launch, uint32_t grid[3],
                          TileDiagnostics **diagnostics) {
  const TuneSpace *space = ctx;
  KernelRun run = *space->run;
  (void)device;
  (void)diagnostics;
  run.launch = *launch;
  if (run_read_grid(space->tool, &run)) return TILE_INVALID_ARGUMENT;
  memcpy(grid, run.launch.grid, sizeof run.launch.grid);
  return TILE_OK;
}

static int tune(Tool *tool, KernelRun *run) {
  TuneSpace space = {.tool = tool, .run = run};
  const int code = make_space(&space);
  if (code) return code;
  TileTuning *tuning;
  const TileTuneOptions options = {
      .size = sizeof options,
      .grid = grid_of,
      .grid_ctx = &space,
      .num_rounds = (size_t)tool->options.num_rounds,
      .tolerance = tolerance_of(tool),
      .progress = isatty(STDERR_FILENO) ? show_progress : NULL,
      .choices = space.choices,
      .num_choices = space.num_choices,
  };
  if (!strcmp(tile_device_name(run->device), "cpu")) crash_is_of_kernel();
  const TileStatus status = tile_tune(run->device, &run->launch, &options,
                                      &tuning, &tool->diagnostics);
  if (status) return tool_finish(tool, status);
  print_results(tool, run, tuning, space.num_choices > 0);
  if (tuning_is_kept(tuning))
    printf("kept in %s\n", tuned_folder(tool->context->tuned));
  tile_tuning_destroy(tuning);
  return tool_finish(tool, TILE_OK);
}

// -- Joining -----------------------------------------------------------------

static int merge_file(Tool *tool, const char *path, size_t *num_added) {
  char why[512];
  TunedFile file;
  size_t length;
  const char *text = file_read(&tool->arena, path, &length, why, sizeof why);
  if (!text) return tool_fail(tool, EXIT_FILES, "%s", why);
  if (!tuned_read(&tool->arena, text, length, &file))
    return tool_fail(tool, EXIT_FILES, ERROR_merge_file, path);
  switch (
      tuned_merge(tool->context->tuned, &file, num_added, why, sizeof why)) {
  case TUNED_KEPT: break;
  case TUNED_NO_MEMORY: return tool_finish(tool, TILE_OUT_OF_MEMORY);
  case TUNED_NOT_KEPT: return tool_fail(tool, EXIT_FILES, "%s", why);
  }
  printf("%s on %s: %zu\n", file.name.kernel, file.name.device,
         file.entries.count);
  return EXIT_FINE;
}

static void close_folder(void *data) {
  closedir(data);
}

static int merge_folder(Tool *tool, const char *path) {
  size_t num_added = 0;
  DIR *folder = opendir(path);
  if (!folder)
    return tool_fail(tool, EXIT_FILES, ERROR_merge_folder, path,
                     strerror(errno));
  arena_defer(&tool->arena, close_folder, folder);
  int code = EXIT_FINE;
  for (const struct dirent *each; !code && (each = readdir(folder));) {
    if (!text_ends_with(each->d_name, ".json")) continue;
    code = merge_file(tool,
                      arena_printf(&tool->arena, "%s/%s", path, each->d_name),
                      &num_added);
  }
  if (!code && !num_added)
    printf("%s: nothing there is new, or quicker than what is kept\n", path);
  return code;
}

int command_tune(Tool *tool) {
  const Options *options = &tool->options;
  KernelRun run = {.device = NULL};
  int code = EXIT_FINE;
  if (options->merges.count && !tool->context->tuned)
    return tool_fail(tool, EXIT_FILES, ERROR_tuned_off);
  for (size_t i = 0; !code && i < options->merges.count; i++)
    code = merge_folder(tool, options->merges.items[i]);
  if (code || !options->file) return code;
  code = run_open(tool, &run);
  if (!code) code = tune(tool, &run);
  return tool_exit_code(tool, code);
}
