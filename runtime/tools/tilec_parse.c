// tilec_parse.c -- reading a source, and telling all that is wrong with it.
#include "runtime/tools/tilec.h"

#include "runtime/compile/compile.h"

static int num_kernels(const Program *program) {
  int count = 0;
  for (int i = 0; i < frontend_num_functions(program); i++)
    count += function_is_kernel(frontend_function(program, i));
  return count;
}

// Would it be compiled if the others had no errors?
static bool is_asked_for(const Options *options, const Program *program,
                         const AstFunction *function) {
  if (!function_is_sound(function)) return false;
  if (options->kernel)
    return frontend_find_function(program, options->kernel) == function;
  if (!function_is_kernel(function)) return false;
  return options->signature ? num_kernels(program) == 1
                            : kernel_is_typed(function);
}

static const Target *first_target(const Tool *tool) {
  const Texts *targets = &tool->options.targets;
  return target_find(targets->count ? targets->items[0] : "cpu");
}

static void check_kernel(Tool *tool, SourceUnit *unit,
                         const AstFunction *kernel) {
  const Options *options = &tool->options;
  ArgSpec *specs;
  if (tool_read_signature(tool, unit, kernel, &specs)) return;
  const Specialization specialization = {
      .args = specs,
      .num_warps = options->num_warps,
      .num_stages = options->num_stages,
      .config = options->config,
      .no_fp_fusion = options->no_fp_fusion,
      .maxnreg = options->maxnreg,
      .debug = options->debug,
      .target = first_target(tool),
  };
  const TileStatus status =
      kernel_check(&tool->report, unit, kernel, &specialization);
  if (tool->diagnostics) tool_finish(tool, status);
}

// Some functions have syntax errors, which are told: what else is wrong?
static void check_sound(Tool *tool, SourceUnit *unit) {
  const Program *program = unit->program;
  const Options *options = &tool->options;
  if (options_emit(options, "ast") || options_emit(options, "reflect-json"))
    return;
  tool->report.error_limit = diag_limit(&unit->diags) - unit->diags.num_errors;
  for (int i = 0; i < frontend_num_functions(program); i++) {
    const AstFunction *function = frontend_function(program, i);
    if (tool->report.error_limit > 0 &&
        is_asked_for(options, program, function))
      check_kernel(tool, unit, function);
  }
}

static void destroy_unit(void *data) {
  unit_destroy(data);
}

int tool_parse(Tool *tool, const TileSource *source, SourceUnit **out) {
  SourceUnit *unit = NULL;
  tool->report.error_limit = tool->options.error_limit;
  const TileStatus status =
      unit_create(&tool->report, source, first_target(tool), &unit);
  if (unit) arena_defer(&tool->arena, destroy_unit, unit);
  const bool broken = unit && frontend_is_broken(unit->program);
  const int code = tool_finish(tool, broken ? TILE_COMPILE_ERROR : status);
  if (broken) check_sound(tool, unit);
  *out = unit;
  return code;
}
