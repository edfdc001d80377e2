// tilec_grid.c -- `--grid='cdiv(n, BLOCK), 2'`: how many programs to run.
//
// Integers of 64 bits, with Python's operators.  Names are the kernel's
// parameters that are integers in this launch, be it by an argument, -D, the
// configuration, a heuristic or their default; and num_warps, num_stages.
#include "runtime/tools/errors.h"
#include "runtime/tools/tilec_run.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define WORD "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789."

enum { MAX_DEPTH = 100 };

typedef struct {
  Tool *tool;
  const Run *run;
  const char *option, *text, *at;
  int depth;
  ArgSpec *numbers; // one per parameter; NULL: not asked for yet
  int num_warps, num_stages;
  int code; // of the first error
} Grid;

static int64_t sum(Grid *grid);

// -- Errors ------------------------------------------------------------------

static int64_t fail(Grid *grid, const char *why) {
  if (!grid->code)
    grid->code = tool_fail(grid->tool, EXIT_USAGE, ERROR_grid_expression,
                           grid->option, grid->text, why);
  return 0;
}

static int64_t fail_wanted(Grid *grid, const char *wanted) {
  Arena *arena = &grid->tool->arena;
  const char *found =
      *grid->at ? arena_printf(arena, "'%s'", grid->at) : "the end";
  if (!grid->code)
    grid->code = tool_fail(grid->tool, EXIT_USAGE, ERROR_grid_wanted,
                           grid->option, grid->text, wanted, found);
  return 0;
}

// -- Names -------------------------------------------------------------------

static bool find_numbers(Grid *grid) {
  Tool *tool = grid->tool;
  const Run *run = grid->run;
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

static int64_t no_number(Grid *grid, const char *name) {
  const TileKernel *kernel = grid->run->kernel;
  const char **names =
      arena_array(&grid->tool->arena, const char *, kernel->num_params + 1);
  size_t count = 0;
  for (size_t i = 0; i < kernel->num_params; i++)
    if (is_integer(&grid->numbers[i])) names[count++] = kernel->params[i].name;
  const char *near = diag_nearest(name, names, count);
  grid->code = tool_fail(grid->tool, EXIT_USAGE,
                         near ? ERROR_grid_name_near : ERROR_grid_name,
                         grid->option, grid->text, name, kernel->name, near);
  return 0;
}

static int64_t value_of(Grid *grid, const char *name) {
  const TileKernel *kernel = grid->run->kernel;
  if (!find_numbers(grid)) return 0;
  for (size_t i = 0; i < kernel->num_params; i++) {
    if (strcmp(kernel->params[i].name, name)) continue;
    const ArgSpec *spec = &grid->numbers[i];
    return is_integer(spec) ? spec->i : no_number(grid, name);
  }
  if (!strcmp(name, "num_warps")) return grid->num_warps;
  if (!strcmp(name, "num_stages")) return grid->num_stages;
  return no_number(grid, name);
}

// -- Arithmetic --------------------------------------------------------------

// Rounded down, as Python does.
static int64_t divide(Grid *grid, int64_t a, int64_t b, int64_t *remainder) {
  if (grid->code) return *remainder = 0;
  if (!b) return *remainder = fail(grid, "a division by zero");
  if (b == -1) { // which overflows for the least number
    int64_t negated = 0;
    *remainder = 0;
    if (__builtin_sub_overflow(0, a, &negated))
      fail(grid, "a number too large");
    return negated;
  }
  const bool down = a % b && (a < 0) != (b < 0);
  *remainder = a % b + (down ? b : 0);
  assert(!*remainder || (*remainder < 0) == (b < 0)); // I5
  return a / b - down;
}

static int64_t combine(Grid *grid, char operation, int64_t a, int64_t b) {
  int64_t result = 0, remainder;
  bool overflows = false;
  switch (operation) {
  case '+': overflows = __builtin_add_overflow(a, b, &result); break;
  case '-': overflows = __builtin_sub_overflow(a, b, &result); break;
  case '*': overflows = __builtin_mul_overflow(a, b, &result); break;
  case '/': return divide(grid, a, b, &remainder);
  default: divide(grid, a, b, &result); return result;
  }
  return overflows ? fail(grid, "a number too large") : result;
}

static int64_t round_up(Grid *grid, int64_t a, int64_t b) {
  int64_t remainder;
  const int64_t quotient = divide(grid, a, b, &remainder);
  return quotient + (remainder != 0);
}

// -- Expressions -------------------------------------------------------------

static void skip_space(Grid *grid) {
  while (*grid->at == ' ') grid->at++;
}

static bool take(Grid *grid, const char *what) {
  skip_space(grid);
  if (grid->code || strncmp(grid->at, what, strlen(what))) return false;
  grid->at += strlen(what);
  return true;
}

// A call of cdiv, min or max, behind its bracket; `name` may be of a module.
static int64_t call(Grid *grid, const char *name) {
  const char *dot = strrchr(name, '.'), *function = dot ? dot + 1 : name;
  const bool is_min = !strcmp(function, "min"),
             is_max = !strcmp(function, "max");
  const bool is_cdiv = !strcmp(function, "cdiv");
  if (!is_min && !is_max && !is_cdiv)
    return fail(grid, "there are the functions cdiv, min and max");
  int64_t value = sum(grid);
  int count = 1;
  for (; take(grid, ","); count++) {
    const int64_t other = sum(grid);
    if (is_cdiv)
      value = round_up(grid, value, other);
    else if (is_min ? other < value : other > value)
      value = other;
  }
  if (count < 2 || (is_cdiv && count > 2))
    return fail(grid, is_cdiv ? "cdiv wants two numbers"
                              : "min and max want two numbers or more");
  return take(grid, ")") ? value : fail_wanted(grid, "',' or ')'");
}

static int64_t number(Grid *grid) {
  char *end;
  errno = 0;
  const long long value = strtoll(grid->at, &end, 10);
  if (errno) return fail(grid, "a number too large");
  grid->at = end;
  return value;
}

static int64_t primary(Grid *grid) {
  if (take(grid, "(")) {
    const int64_t value = sum(grid);
    return take(grid, ")") ? value : fail_wanted(grid, "')'");
  }
  if (isdigit((unsigned char)*grid->at)) return number(grid);
  const size_t length = strspn(grid->at, WORD);
  if (!length) return fail_wanted(grid, "a number, a name or '('");
  const char *name = arena_strndup(&grid->tool->arena, grid->at, length);
  grid->at += length;
  return take(grid, "(") ? call(grid, name) : value_of(grid, name);
}

static int64_t sign(Grid *grid) {
  if (++grid->depth > MAX_DEPTH) return fail(grid, "it is nested too deeply");
  int64_t value;
  if (take(grid, "-"))
    value = combine(grid, '-', 0, sign(grid));
  else
    value = take(grid, "+") ? sign(grid) : primary(grid);
  grid->depth--;
  return value;
}

static int64_t product(Grid *grid) {
  int64_t value = sign(grid);
  for (;;) {
    if (take(grid, "//"))
      value = combine(grid, '/', value, sign(grid));
    else if (take(grid, "/"))
      return fail(grid, "a division of integers is '//'");
    else if (take(grid, "*"))
      value = combine(grid, '*', value, sign(grid));
    else if (take(grid, "%"))
      value = combine(grid, '%', value, sign(grid));
    else
      return value;
  }
}

static int64_t sum(Grid *grid) {
  int64_t value = product(grid);
  for (;;) {
    if (take(grid, "+"))
      value = combine(grid, '+', value, product(grid));
    else if (take(grid, "-"))
      value = combine(grid, '-', value, product(grid));
    else
      return value;
  }
}

static uint32_t axis(Grid *grid, int i) {
  const int64_t size = sum(grid);
  if (!grid->code && (size < 1 || size > INT32_MAX))
    grid->code = tool_fail(grid->tool, EXIT_USAGE, ERROR_grid_size, grid->text,
                           (long long)size, i);
  return grid->code ? 0 : (uint32_t)size;
}

int run_read_grid(Tool *tool, Run *run) {
  const char *text = tool->options.grid;
  Grid grid = {
      .tool = tool, .run = run, .option = "grid", .text = text, .at = text};
  int i = 0;
  do {
    run->launch.grid[i] = axis(&grid, i);
  } while (++i < 3 && take(&grid, ","));
  skip_space(&grid);
  if (*grid.at && !grid.code)
    fail_wanted(&grid, i < 3 ? "an operator or ','" : "the end");
  return grid.code;
}

int run_evaluate(Tool *tool, Run *run, const char *option, const char *text,
                 int64_t *out) {
  Grid grid = {
      .tool = tool, .run = run, .option = option, .text = text, .at = text};
  *out = sum(&grid);
  skip_space(&grid);
  if (*grid.at && !grid.code) fail_wanted(&grid, "an operator or the end");
  return grid.code;
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

// The order matters: operators of two characters come first.
static const char *take_comparison(Grid *grid) {
  static const char *const all[] = {"<=", ">=", "==", "!=", "<", ">"};
  for (int i = 0; i < 6; i++) {
    if (take(grid, all[i])) return all[i];
  }
  return NULL;
}

int run_holds(Tool *tool, Run *run, const char *option, const char *text,
              bool *out) {
  Grid grid = {
      .tool = tool, .run = run, .option = option, .text = text, .at = text};
  const int64_t left = sum(&grid);
  const char *operation = take_comparison(&grid);
  *out = operation ? compare(operation, left, sum(&grid)) : left != 0;
  skip_space(&grid);
  if (*grid.at && !grid.code) fail_wanted(&grid, "a comparison or the end");
  return grid.code;
}
