// chips.c -- programs whose modules have conditions on the GPU.
#include "frontend/host/host.h"

#include "frontend/errors.h"

#include <assert.h>
#include <string.h>

int chip_of(const Target *target) {
  return target ? target->compute : 0;
}

void chip_was_asked(Program *program) {
  program->is_asked = true;
  program->chip = chip_of(program->target);
}

static bool fits(const Program *program, const Target *target) {
  return !program->is_asked || program->chip == chip_of(target);
}

// The program, read again for the target.  Syntax errors are reported only if
// the first reading has found none.  NULL after a diagnostic.
static Program *read_again(Program *program, const Target *target,
                           DiagList *diags) {
  DiagList quiet;
  const int errors = diags->num_errors;
  diag_init_muted(&quiet, program->arena);
  const FrontendOptions options = {.include_paths = program->include_paths,
                                   .num_include_paths =
                                       program->num_include_paths,
                                   .reader = program->reader,
                                   .keep_sound = true,
                                   .target = target,
                                   .release = program->release,
                                   .defines = program->given,
                                   .num_defines = program->num_given};
  Program *other = program_parse(
      program->arena, program->is_broken ? &quiet : diags, &program->source,
      &options, program->language, program->world);
  if (!other || diags->num_errors > errors) return NULL;
  other->defines = program->defines;
  other->defined = program->defined;
  other->others = program->others;
  program->others = other;
  return other;
}

static Program *find_program(Program *program, const Target *target,
                             DiagList *diags) {
  for (Program *p = program; p; p = p->others) {
    if (fits(p, target)) return p;
  }
  return read_again(program, target, diags);
}

static bool same_params(const AstFunction *a, const AstFunction *b) {
  if (function_num_params(a) != function_num_params(b)) return false;
  for (int i = 0; i < function_num_params(a); i++) {
    if (strcmp(function_param(a, i).name, function_param(b, i).name))
      return false;
  }
  return true;
}

bool chip_view(Program *program, const AstFunction *kernel,
               const Target *target, DiagList *diags, KernelView *out) {
  assert(program_is_idle(program) && "a lookup was left"); // I5
  const int errors = diags->num_errors;
  Program *turned = find_program(program, target, diags);
  const AstFunction *function = kernel;
  if (diags->num_errors > errors) return false;
  if (turned && turned != program) {
    DiagList quiet;
    diag_init_muted(&quiet, turned->arena);
    turned->target = target;
    function = frontend_find_kernel(turned, &quiet, kernel->name);
    frontend_add_sources(turned, diags);
  }
  if (!turned || !function || !same_params(function, kernel))
    return diag_error(diags, kernel->loc, ERROR_kernel_differs_by_gpu,
                      kernel->name, target ? target->name : "cpu");
  turned->target = target;
  assert(fits(turned, target)); // I1
  *out = (KernelView){turned, function};
  return true;
}
