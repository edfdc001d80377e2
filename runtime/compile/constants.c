// constants.c -- the constants that a launch names, and constants as text.
#include "runtime/compile/constants.h"

#include "ir/number.h"
#include "runtime/compile/argument.h"
#include "runtime/errors.h"

#include <inttypes.h>
#include <string.h>

bool constant_print(const ArgSpec *constant, Str *out) {
  switch (constant->kind) {
  case ARG_NONE: str_add(out, "None"); return true;
  case ARG_BOOL: str_add(out, constant->i ? "True" : "False"); return true;
  case ARG_INT: str_addf(out, "%" PRId64, constant->i); return true;
  case ARG_FLOAT: float_print_repr(constant->f, out); return true;
  case ARG_STRING:
  case ARG_DTYPE: str_add(out, constant->text); return true;
  default: return false;
  }
}

const TileConstant *constants_find(const TileLaunch *launch, const char *name) {
  for (size_t i = 0; i < launch->num_constants; i++) {
    const char *candidate = launch->constants[i].name;
    if (candidate && !strcmp(candidate, name)) return &launch->constants[i];
  }
  return NULL;
}

static bool has_param(const TileKernel *kernel, const char *name) {
  for (size_t i = 0; i < kernel->num_params; i++) {
    if (!strcmp(kernel->params[i].name, name)) return true;
  }
  return false;
}

static TileStatus report_no_param(const Report *report,
                                  const TileKernel *kernel, const char *name) {
  const char *best = NULL;
  for (size_t i = 0; i < kernel->num_params; i++) {
    const char *const pair[] = {kernel->params[i].name, best};
    best = diag_nearest(name, pair, best ? 2 : 1);
  }
  if (best)
    return report_error(report, TILE_INVALID_ARGUMENT,
                        ERROR_launch_no_parameter_near, kernel->name, name,
                        best);
  return report_error(report, TILE_INVALID_ARGUMENT, ERROR_launch_no_parameter,
                      kernel->name, name);
}

TileStatus constants_check(const Report *report, const TileLaunch *launch) {
  for (size_t i = 0; i < launch->num_constants; i++) {
    const char *name = launch->constants[i].name;
    if (!name)
      return report_error(report, TILE_INVALID_ARGUMENT,
                          ERROR_constant_without_name, i);
    if (!has_param(launch->kernel, name))
      return report_no_param(report, launch->kernel, name);
    if (constants_find(launch, name) != &launch->constants[i])
      return report_error(report, TILE_INVALID_ARGUMENT, ERROR_constant_twice,
                          name);
  }
  return TILE_OK;
}
