// run.c -- `tilec run FILE`: launches, saves, compares, times.
#define _DEFAULT_SOURCE // setenv
#include "runtime/tools/run.h"
#include "runtime/tools/errors.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// -- Results -----------------------------------------------------------------

static int read_back(Tool *tool, const KernelRun *run) {
  for (size_t i = 0; i < run->tensors.count; i++) {
    const Tensor *tensor = &run->tensors.items[i];
    const size_t size = npy_size(&tensor->array);
    void *copy = arena_alloc(&tool->arena, size + 1, 1, 16);
    const TileStatus status = tile_buffer_read(tensor->buffer, 0, copy, size);
    if (status)
      return tool_fail(tool, EXIT_DEVICE, ERROR_buffer_not_read, tensor->name,
                       tile_status_text(status));
    run->tensors.items[i].array.data = copy;
  }
  return EXIT_FINE;
}

static int find_buffer(Tool *tool, const KernelRun *run, const char *option,
                       const char *name, Tensor **out) {
  *out = run_find_tensor(run, name);
  if (*out) return EXIT_FINE;
  return tool_fail(tool, EXIT_USAGE, ERROR_not_a_buffer, option, name);
}

static int save(Tool *tool, const KernelRun *run, NameValue pair) {
  Tensor *tensor;
  const int code = find_buffer(tool, run, "save", pair.name, &tensor);
  if (code) return code;
  return run_write_array(tool, pair.value, &tensor->array);
}

// Reads "NAME" or "NAME:ROWS", the number of rows to print.
static int read_print(Tool *tool, const char *text, const char **name,
                      uint64_t *rows) {
  const size_t length = strcspn(text, ":");
  const char *count = text[length] ? text + length + 1 : "8";
  char *end;
  *name = arena_strndup(&tool->arena, text, length);
  *rows = strtoull(count, &end, 10);
  if (*rows && !*end && *count >= '0' && *count <= '9') return EXIT_FINE;
  return tool_fail(tool, EXIT_USAGE, ERROR_bad_rows, text, count);
}

static int print(Tool *tool, const KernelRun *run, const char *text) {
  Tensor *tensor;
  const char *name;
  uint64_t rows;
  int code = read_print(tool, text, &name, &rows);
  if (!code) code = find_buffer(tool, run, "print", name, &tensor);
  if (code) return code;
  fputs(array_text(&tool->arena, name, &tensor->array, rows), stdout);
  return EXIT_FINE;
}

static bool same_shape(const NpyArray *a, const NpyArray *b) {
  if (a->rank != b->rank) return false;
  return !memcmp(a->shape, b->shape, (size_t)a->rank * sizeof *a->shape);
}

// Reads elements of any type; untyped bytes get the argument's type.  An '@'
// before the file, as in --arg, is not needed.
static int read_reference(Tool *tool, const char *path, const Tensor *tensor,
                          NpyArray *out) {
  const NpyWant want = {.bytes = tensor->array.dtype};
  const int code = run_read_array(tool, path + (*path == '@'), want, out);
  if (code || same_shape(out, &tensor->array)) return code;
  return tool_fail(tool, EXIT_FILES, ERROR_shapes_differ, path, tensor->name);
}

static double tolerance_of(const Tool *tool) {
  return tool->options.tolerance < 0 ? 1e-5 : tool->options.tolerance;
}

static int tell(Tool *tool, const char *path, const Tensor *tensor,
                const NpyArray *expected, const Comparison *result) {
  const NpyArray *found = &tensor->array;
  if (!found->count) {
    printf("%s: no elements\n", tensor->name);
    return EXIT_FINE;
  }
  printf("%s: largest error %.3g at %s: found %s, expected %s: %s\n",
         tensor->name, result->error,
         array_index_text(&tool->arena, found, result->worst),
         array_value_text(&tool->arena, found, result->worst),
         array_value_text(&tool->arena, expected, result->worst),
         result->num_wrong ? "DIFFERS" : "ok");
  if (!result->num_wrong) return EXIT_FINE;
  fflush(stdout);
  return tool_fail(tool, EXIT_MISMATCH, ERROR_results_differ, tensor->name,
                   path, (unsigned long long)result->num_wrong,
                   (unsigned long long)found->count, tolerance_of(tool),
                   (unsigned long long)result->num_unwritten);
}

static int compare(Tool *tool, const KernelRun *run, NameValue pair) {
  Tensor *tensor;
  NpyArray expected;
  int code = find_buffer(tool, run, "reference", pair.name, &tensor);
  if (!code) code = read_reference(tool, pair.value, tensor, &expected);
  if (code) return code;
  const double tolerance = tolerance_of(tool);
  Comparison result = array_compare(&tensor->array, &expected, tolerance);
  if (!tensor->is_empty) result.num_unwritten = 0; // a value, not poison
  tensor->is_told = tensor->is_told || result.num_unwritten;
  return tell(tool, pair.value, tensor, &expected, &result);
}

// A mismatch becomes the exit code, even if all else succeeds.
static int use_results(Tool *tool, const KernelRun *run) {
  const Options *options = &tool->options;
  int code = read_back(tool, run);
  for (size_t i = 0; !code && i < options->saves.count; i++) {
    code = save(tool, run, options->saves.items[i]);
  }
  for (size_t i = 0; !code && i < options->prints.count; i++)
    code = print(tool, run, options->prints.items[i]);
  if (code) return code;
  for (size_t i = 0; i < options->references.count; i++) {
    const int result = compare(tool, run, options->references.items[i]);
    if (result && result != EXIT_MISMATCH) return result;
    if (result) code = result;
  }
  return code;
}

// -- Launching ---------------------------------------------------------------

static TileStatus launch(Tool *tool, const KernelRun *run) {
  const TileStatus status =
      tile_launch(run->device, &run->launch, &tool->diagnostics);
  return status ? status : tile_device_sync(run->device, &tool->diagnostics);
}

// On the CPU a wild access of the kernel is a fault of this process: after
// compiling, such faults are taken for the kernel's.
static int prepare_crash_of_kernel(Tool *tool, const KernelRun *run) {
  if (strcmp(tile_device_name(run->device), "cpu")) return EXIT_FINE;
  const int code = tool_finish(
      tool, tile_kernel_prepare(run->device, &run->launch, &tool->diagnostics));
  if (!code) crash_is_of_kernel();
  return code;
}

static const char sim_stats[] = "TILE_SIM_STATS",
                  cpu_stats[] = "TILE_CPU_STATS";

// Sets a variable of the environment. Returns its former value, which the
// caller restores; NULL: it had none.
static const char *set_for_now(Tool *tool, const char *variable,
                               const char *value) {
  const char *own = getenv(variable);
  if (own) own = arena_strdup(&tool->arena, own);
  setenv(variable, value, 1);
  return own;
}

static void restore(const char *variable, const char *own) {
  if (own)
    setenv(variable, own, 1);
  else
    unsetenv(variable);
}

// Launches once and waits, while the device counts as with its variable set to
// `request`, "json:FILE"; restores the variable afterwards.
static TileStatus run_counted(Tool *tool, const KernelRun *run,
                              const char *variable, const char *request) {
  const char *own = set_for_now(tool, variable, request);
  const TileStatus status = launch(tool, run);
  restore(variable, own);
  return status;
}

static int launch_and_tell(Tool *tool, const KernelRun *run) {
  const Telling stats = tool->options.stats;
  if (!stats) return tool_finish(tool, launch(tool, run));
  const char *device = tile_device_name(run->device);
  const bool is_cpu = !strcmp(device, "cpu");
  if (!is_cpu && strcmp(device, "sim"))
    return tool_fail(tool, EXIT_USAGE, ERROR_stats_without_sim, device);
  fflush(stdout);
  return tool_finish(tool,
                     run_counted(tool, run, is_cpu ? cpu_stats : sim_stats,
                                 stats == AS_JSON ? "json:-" : "text:-"));
}

// -- Counted for a benchmark -------------------------------------------------

static int read_counts(Tool *tool, const char *path, Figure *out) {
  char why[512];
  size_t length;
  Arena *arena = &tool->arena;
  const char *text = file_read(arena, path, &length, why, sizeof why);
  if (!text) return tool_fail(tool, EXIT_FILES, "%s", why);
  const JsonValue *counts = json_parse(arena, text, length);
  const JsonValue *class = json_member(counts, "classes");
  out->bytes = json_number(json_member(counts, "all"), "bytes");
  out->flops = 0;
  for (class = class ? class->items : NULL; class; class = class->next)
    out->flops += json_number(class, "flops");
  return EXIT_FINE;
}

static int run_in(Tool *tool, const KernelRun *run, const char *path,
                  Figure *out) {
  const char *request = arena_printf(&tool->arena, "json:%s", path);
  const int code =
      tool_finish(tool, run_counted(tool, run, sim_stats, request));
  return code ? code : read_counts(tool, path, out);
}

int run_count(Tool *tool, const KernelRun *run, Figure *out) {
  OwnFolder *folder = arena_new(&tool->arena, OwnFolder);
  if (!own_folder_open(&tool->arena, folder))
    return tool_fail(tool, EXIT_FILES, ERROR_no_counts, folder->path);
  const char *path = arena_printf(&tool->arena, "%s/counts", folder->path);
  const int code = run_in(tool, run, path, out);
  own_folder_close(folder);
  return code;
}

// -- Timed -------------------------------------------------------------------

static void tell_times(const Tool *tool, const KernelRun *run, double *times,
                       size_t count) {
  const Spread spread = spread_of(times, count);
  static const char text[] =
      "%s on %s: median %.6f ms, from %.6f to %.6f in %zu launches\n";
  static const char json[] =
      "{\"kernel\": \"%s\", \"device\": \"%s\", \"median_ms\": %.6f, "
      "\"min_ms\": %.6f, \"max_ms\": %.6f, \"launches\": %zu}\n";
  printf(tool->options.time_json ? json : text, run->kernel->name,
         tile_device_name(run->device), spread.median * 1e3, spread.least * 1e3,
         spread.most * 1e3, count);
}

static int time_launches(Tool *tool, const KernelRun *run) {
  const size_t count = (size_t)tool->options.num_timed;
  double *times = arena_array(&tool->arena, double, count);
  const int code =
      tool_finish(tool, tile_launch_time(run->device, &run->launch, times,
                                         count, &tool->diagnostics));
  if (code) return code;
  assert(times[0] <= times[count / 2] &&
         times[count / 2] <= times[count - 1]); // I10
  tell_times(tool, run, times, count);
  return EXIT_FINE;
}

static int run_kernel(Tool *tool, KernelRun *run) {
  const Options *options = &tool->options;
  int code = run_read_grid(tool, run);
  if (!code) code = prepare_crash_of_kernel(tool, run);
  if (!code) code = launch_and_tell(tool, run);
  if (code) return code;
  const int result = use_results(tool, run);
  if (result && result != EXIT_MISMATCH) return result;
  if (options->num_timed) code = time_launches(tool, run);
  if (!code) code = run_check_written(tool, run);
  return code ? code : result;
}

// -- Names in options --------------------------------------------------------

// Whether the name is an item of `param`: `x_0_2` is item 2 of item 0 of `x`.
static bool is_item_of(const char *name, const char *param) {
  const size_t length = strlen(param);
  if (strncmp(name, param, length) || name[length] != '_') return false;
  return !name[length + strspn(name + length, "_0123456789")];
}

Texts texts_split(Arena *arena, const char *text) {
  Texts out = {0};
  if (!text) {
    vec_push(arena, &out, NULL);
    return out;
  }
  for (;; text++) {
    const size_t length = strcspn(text, ",");
    vec_push(arena, &out, arena_strndup(arena, text, length));
    text += length;
    if (!*text) return out;
  }
}

bool pairs_have(const NameValues *pairs, const char *name) {
  for (size_t i = 0; i < pairs->count; i++)
    if (!strcmp(pairs->items[i].name, name)) return true;
  return false;
}

bool kernel_has_param(const TileKernel *kernel, const char *name) {
  for (size_t i = 0; i < kernel->num_params; i++)
    if (!strcmp(kernel->params[i].name, name)) return true;
  return false;
}

static bool names_param(const char *name, const char *param, bool items) {
  return !strcmp(name, param) || (items && is_item_of(name, param));
}

int run_check_names(Tool *tool, const KernelRun *run, const char *option,
                    const NameValues *pairs) {
  const TileKernel *kernel = run->kernel;
  const char **names =
      arena_array(&tool->arena, const char *, kernel->num_params + 1);
  for (size_t i = 0; i < kernel->num_params; i++) {
    names[i] = kernel->params[i].name;
  }
  for (size_t i = 0; i < pairs->count; i++) {
    size_t k = 0;
    const char *name = pairs->items[i].name;
    const bool items = strcmp(option, "arg") && strcmp(option, "try");
    while (k < kernel->num_params && !names_param(name, names[k], items)) k++;
    if (k < kernel->num_params) continue;
    const char *near = diag_nearest(name, names, kernel->num_params);
    return tool_fail(tool, EXIT_USAGE,
                     near ? ERROR_option_no_parameter_near
                          : ERROR_option_no_parameter,
                     option, name, kernel->name, near);
  }
  return EXIT_FINE;
}

static int check_prints(Tool *tool, const KernelRun *run) {
  NameValues names = {0};
  for (size_t i = 0; i < tool->options.prints.count; i++) {
    NameValue pair = {.value = tool->options.prints.items[i]};
    uint64_t rows;
    const int code = read_print(tool, pair.value, &pair.name, &rows);
    if (code) return code;
    vec_push(&tool->arena, &names, pair);
  }
  return run_check_names(tool, run, "print", &names);
}

static int check_options(Tool *tool, const KernelRun *run) {
  const Options *options = &tool->options;
  int code = run_check_names(tool, run, "arg", &options->args);
  if (!code) code = run_check_names(tool, run, "save", &options->saves);
  if (!code) code = check_prints(tool, run);
  if (!code)
    code = run_check_names(tool, run, "reference", &options->references);
  return code;
}

// -- The command -------------------------------------------------------------

static void destroy_device(void *data) {
  tile_device_destroy(data);
}

static void destroy_program(void *data) {
  tile_program_destroy(data);
}

static int open_device(Tool *tool, KernelRun *run) {
  // With JSON, reports of the simulator are JSON lines, too.
  if (tool->options.json) setenv("TILE_SIM_REPORT", "-", 0);
  // Code for the CPU counts its work if the variable is set before the device
  // is opened.
  const char *own =
      tool->options.stats ? set_for_now(tool, cpu_stats, "text:-") : NULL;
  const TileStatus status = tile_device_open(
      tool->context, tool->options.device, &run->device, &tool->diagnostics);
  if (tool->options.stats) restore(cpu_stats, own);
  if (!status) arena_defer(&tool->arena, destroy_device, run->device);
  return tool_finish(tool, status);
}

// Reports errors as `tilec FILE` does, for the requested kernel.
static int tell_errors(Tool *tool, const TileSource *source) {
  SourceUnit *unit;
  tile_diagnostics_destroy(tool->diagnostics);
  tool->diagnostics = NULL;
  return tool_parse(tool, source, &unit);
}

static int open_kernel(Tool *tool, KernelRun *run, const TileSource *source) {
  TileProgram *program;
  TileStatus status =
      program_create(&tool->report, tool->context, source, &program);
  if (status == TILE_COMPILE_ERROR) return tell_errors(tool, source);
  if (status) return tool_finish(tool, status);
  arena_defer(&tool->arena, destroy_program, program);
  status = tile_program_kernel(program, tool->options.kernel, &run->kernel,
                               &tool->diagnostics);
  return tool_finish(tool, status);
}

static void fill_launch(const Tool *tool, KernelRun *run) {
  const Options *options = &tool->options;
  TileLaunch *launch = &run->launch;
  launch->size = sizeof *launch;
  launch->kernel = run->kernel;
  launch->num_warps = options->num_warps;
  launch->num_stages = options->num_stages;
  launch->num_ctas = (size_t)options->num_ctas;
  launch->config =
      options->config || options->best ? options->config : TILE_CONFIG_FIRST;
  launch->debug = options->debug;
  launch->persist = options->persist;
  launch->no_fp_fusion = options->no_fp_fusion;
  launch->no_hooks = options->no_hooks;
  launch->launch_pdl = options->launch_pdl;
}

int run_open_kernel(Tool *tool, KernelRun *run) {
  TileSource source;
  int code = tool_read_source(tool, &source);
  if (!code && !run->device) code = open_device(tool, run);
  return code ? code : open_kernel(tool, run, &source);
}

int run_open_arguments(Tool *tool, KernelRun *run) {
  int code = check_options(tool, run);
  if (!code) code = run_read_arguments(tool, run);
  if (code) return code;
  fill_launch(tool, run);
  if (tool->options.verbose)
    fprintf(stderr, "tilec: %s on %s (%s)\n", run->kernel->name,
            tile_device_name(run->device), tile_device_summary(run->device));
  return EXIT_FINE;
}

int run_open(Tool *tool, KernelRun *run) {
  const int code = run_open_kernel(tool, run);
  return code ? code : run_open_arguments(tool, run);
}

int command_run(Tool *tool) {
  KernelRun run = {.device = NULL};
  int code = run_open(tool, &run);
  if (!code && tool->options.best) code = run_check_best(tool, &run);
  if (!code) code = run_kernel(tool, &run);
  return tool_exit_code(tool, code);
}
