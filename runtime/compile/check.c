// check.c -- further errors of a source that has syntax errors.
//
// Each function is parsed alone, so a function without syntax errors can be
// specialized: its errors are reported in the same run.
#include "runtime/compile/compile.h"

bool kernel_is_typed(const AstFunction *kernel) {
  for (int i = 0; i < function_num_params(kernel); i++) {
    const FunctionParam param = function_param(kernel, i);
    if (!param.has_default && (!param.annotation || param.is_constexpr))
      return false;
  }
  return true;
}

TileStatus kernel_check(Report *report, SourceUnit *unit,
                        const AstFunction *kernel,
                        const Specialization *specialization) {
  const CompileRequest request = {
      .unit = unit,
      .kernel = kernel,
      .specialization = specialization,
      .goal = COMPILE_TO_IR,
  };
  Compilation compilation;
  const TileStatus status = compile(report, &request, &compilation);
  report->error_limit -= compilation.diags.num_errors;
  compilation_free(&compilation);
  return status;
}

typedef struct {
  SourceUnit *unit;
  const AstFunction *kernel;
  ArgSpec *args;
} Typed;

// Types are those of the annotations; a parameter with a default gets the
// default.
static void find_types(void *data) {
  Typed *typed = data;
  const int count = function_num_params(typed->kernel);
  typed->args = arena_array(&typed->unit->arena, ArgSpec, (size_t)count + 1);
  for (int i = 0; i < count; i++) {
    const FunctionParam param = function_param(typed->kernel, i);
    const bool runs = param.annotation && !param.is_constexpr;
    typed->args[i] = (ArgSpec){.kind = runs ? ARG_RUNTIME : ARG_ABSENT};
  }
}

static bool check_typed(Report *report, SourceUnit *unit,
                        const AstFunction *kernel) {
  Typed typed = {.unit = unit, .kernel = kernel};
  if (!unit_protect(unit, find_types, &typed)) return false;
  const Specialization specialization = {.args = typed.args,
                                         .target = target_find("cpu")};
  return kernel_check(report, unit, kernel, &specialization) !=
         TILE_OUT_OF_MEMORY;
}

bool unit_check(const Report *report, SourceUnit *unit) {
  const Program *program = unit->program;
  Report rest = *report;
  rest.error_limit = diag_limit(&unit->diags) - unit->diags.num_errors;
  for (int i = 0; i < frontend_num_functions(program); i++) {
    const AstFunction *function = frontend_function(program, i);
    if (rest.error_limit > 0 && function_is_sound(function) &&
        function_is_kernel(function) && kernel_is_typed(function) &&
        !check_typed(&rest, unit, function))
      return false;
  }
  return true;
}
