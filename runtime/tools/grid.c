// grid.c -- `--grid='cdiv(n, BLOCK), 2'`: the grid as expressions.
//
// Integers, with Python's operators (parts/arithmetic.c).  A name is an integer
// parameter of the kernel, whose value comes from an argument, -D, the
// configuration, a heuristic or its default; or num_warps or num_stages; or a
// sweep of `tilec bench`.
#include "runtime/tools/errors.h"
#include "runtime/tools/run.h"

#include <string.h>

typedef struct {
  Tool *tool;
  const KernelRun *run;
  const char *option, *text;
  Arithmetic sums;
  ArgSpec *numbers; // one for each parameter; NULL: not found yet
  int num_warps, num_stages;
  int code; // of the first error
} Grid;

// -- Errors ------------------------------------------------------------------

static void fail_wanted(Grid *grid, const char *wanted) {
  const char *at = grid->sums.at;
  Arena *arena = &grid->tool->arena;
  const char *found = *at ? arena_printf(arena, "'%s'", at) : "the end";
  if (!grid->code)
    grid->code = tool_fail(grid->tool, EXIT_USAGE, ERROR_grid_wanted,
                           grid->option, grid->text, wanted, found);
}

// Evaluates the next expression; the first error sets `code`.
static int64_t sum(Grid *grid) {
  Arithmetic *sums = &grid->sums;
  const int64_t value = (int64_t)arithmetic_sum(sums).i;
  if (sums->why && !grid->code)
    grid->code = tool_fail(grid->tool, EXIT_USAGE, ERROR_grid_expression,
                           grid->option, grid->text, sums->why);
  if (sums->wanted) fail_wanted(grid, sums->wanted);
  return value;
}

// -- Names -------------------------------------------------------------------

static bool find_numbers(Grid *grid) {
  Tool *tool = grid->tool;
  const KernelRun *run = grid->run;
  if (grid->numbers || grid->code) return !grid->code;
  grid->numbers =
      arena_array(&tool->arena, ArgSpec, run->kernel->num_params + 1);
  const TileStatus status =
      launch_numbers(run->device, &run->launch, &tool->arena, grid->numbers,
                     &grid->num_warps, &grid->num_stages, &tool->diagnostics);
  if (status) grid->code = tool_finish(tool, status);
  return !status;
}

static bool is_integer(const ArgSpec *spec) {
  return spec->kind == ARG_INT || spec->kind == ARG_BOOL;
}

static size_t num_sweeps(const KernelRun *run) {
  return run->sweeps ? run->sweeps->count : 0;
}

static bool no_number(Grid *grid, const char *name) {
  const KernelRun *run = grid->run;
  const TileKernel *kernel = run->kernel;
  const char **names = arena_array(&grid->tool->arena, const char *,
                                   kernel->num_params + num_sweeps(run) + 1);
  size_t count = 0;
  for (size_t i = 0; i < kernel->num_params; i++)
    if (is_integer(&grid->numbers[i])) names[count++] = kernel->params[i].name;
  for (size_t i = 0; i < num_sweeps(run); i++)
    if (strcmp(run->sweeps->items[i].name, name))
      names[count++] = run->sweeps->items[i].name;
  const char *near = diag_nearest(name, names, count);
  grid->code = tool_fail(grid->tool, EXIT_USAGE,
                         near ? ERROR_grid_name_near : ERROR_grid_name,
                         grid->option, grid->text, name, kernel->name, near);
  return false;
}

static bool find_option(const Grid *grid, const char *name, int64_t *out) {
  const bool is_warps = !strcmp(name, "num_warps");
  *out = is_warps ? grid->num_warps : grid->num_stages;
  return is_warps || !strcmp(name, "num_stages");
}

static bool find_sweep(const KernelRun *run, const char *name, int64_t *out) {
  for (size_t i = 0; i < num_sweeps(run); i++) {
    if (strcmp(run->sweeps->items[i].name, name)) continue;
    *out = run->values[i];
    return true;
  }
  return false;
}

static bool find_value(void *ctx, const char *name, int64_t *out) {
  Grid *grid = ctx;
  const TileKernel *kernel = grid->run->kernel;
  if (!find_numbers(grid)) return false;
  for (size_t i = 0; i < kernel->num_params; i++) {
    if (strcmp(kernel->params[i].name, name)) continue;
    const ArgSpec *spec = &grid->numbers[i];
    *out = spec->i;
    return is_integer(spec) || no_number(grid, name);
  }
  return find_option(grid, name, out) || find_sweep(grid->run, name, out) ||
         no_number(grid, name);
}

// -- Expressions -------------------------------------------------------------

static Grid grid_in(Tool *tool, const KernelRun *run, const char *option,
                    const char *text) {
  return (Grid){
      .tool = tool,
      .run = run,
      .option = option,
      .text = text,
      .sums = {
          .at = text, .arena = &tool->arena, .find = find_value, .base = 10}};
}

static int end(Grid *grid, const char *wanted) {
  arithmetic_take(&grid->sums, "");
  if (*grid->sums.at) fail_wanted(grid, wanted);
  return grid->code;
}

static uint32_t axis(Grid *grid, int i) {
  const int64_t size = sum(grid);
  if (!grid->code && (size < 1 || size > INT32_MAX))
    grid->code = tool_fail(grid->tool, EXIT_USAGE, ERROR_grid_size, grid->text,
                           (long long)size, i);
  return grid->code ? 0 : (uint32_t)size;
}

int run_read_grid(Tool *tool, KernelRun *run) {
  Grid grid = grid_in(tool, run, "grid", tool->options.grid);
  grid.sums.ctx = &grid;
  int i = 0;
  do {
    run->launch.grid[i] = axis(&grid, i);
  } while (++i < 3 && arithmetic_take(&grid.sums, ","));
  return end(&grid, i < 3 ? "an operator or ','" : "the end");
}

int run_evaluate(Tool *tool, KernelRun *run, const char *option,
                 const char *text, int64_t *out) {
  Grid grid = grid_in(tool, run, option, text);
  grid.sums.ctx = &grid;
  *out = sum(&grid);
  return end(&grid, "an operator or the end");
}

static bool compare(const char *operation, int64_t a, int64_t b) {
  const bool or_equal = operation[1] == '=';
  switch (*operation) {
  case '<': return a < b || (or_equal && a == b);
  case '>': return a > b || (or_equal && a == b);
  case '=': return a == b;
  default: return a != b;
  }
}

// Longer operators must be tried first.
static const char *take_comparison(Grid *grid) {
  static const char *const all[] = {
#define COMPARISON(text) text,
#include "runtime/tools/words.def"
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    if (arithmetic_take(&grid->sums, all[i])) return all[i];
  }
  return NULL;
}

int run_holds(Tool *tool, KernelRun *run, const char *option, const char *text,
              bool *out) {
  Grid grid = grid_in(tool, run, option, text);
  grid.sums.ctx = &grid;
  const int64_t left = sum(&grid);
  const char *operation = take_comparison(&grid);
  *out = operation ? compare(operation, left, sum(&grid)) : left != 0;
  return end(&grid, "a comparison or the end");
}
