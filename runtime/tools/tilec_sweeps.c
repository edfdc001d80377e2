// tilec_sweeps.c -- the values of --sweep and --try.
#include "runtime/tools/errors.h"
#include "runtime/tools/tilec_run.h"

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
