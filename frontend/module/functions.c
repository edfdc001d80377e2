// functions.c -- the functions of a program.
#include "frontend/module/decorator.h"
#include "frontend/module/program.h"

#include <string.h>

int frontend_num_functions(const Program *program) {
  return (int)program->files.items[0]->functions.count;
}

const AstFunction *frontend_function(const Program *program, int index) {
  return program->files.items[0]->functions.items[index]->function;
}

// The last definition of `name` that can be a kernel.
const Definition *program_find_function(const Program *program,
                                        const char *name) {
  const Definition *d = file_find_at(program->files.items[0], name, 0);
  // A host function may hide the kernel of the same name that it launches.
  while (d && ((d->kind == DEFINES_HOST && d->function && !d->uncertain) ||
               (d->kind == DEFINES_GLOBAL && d->uncertain)))
    d = d->before;
  return d && d->kind == DEFINES_FUNCTION ? d : NULL;
}

const AstFunction *frontend_find_function(const Program *program,
                                          const char *name) {
  const Definition *d = program_find_function(program, name);
  return d ? d->function : NULL;
}

const char *function_name(const AstFunction *function) {
  return function->name;
}

bool function_is_kernel(const AstFunction *function) {
  return !function->returns_value &&
         !map_get_text(&function->file->called, function->name,
                       strlen(function->name));
}

int function_num_params(const AstFunction *function) {
  return function->num_params;
}

FunctionParam function_param(const AstFunction *function, int index) {
  const AstParam *param = &function->params[index];
  return (FunctionParam){
      .name = param->name,
      .annotation = param->annotation_text,
      .is_constexpr = param->is_constexpr,
      .has_default = param->value != NULL,
      .loc = param->loc,
      .do_not_specialize =
          jit_option_names(function, "do_not_specialize", index),
      .do_not_specialize_on_alignment =
          jit_option_names(function, "do_not_specialize_on_alignment", index),
  };
}

void frontend_print_ast(const Program *program, Str *out) {
  for (int i = 0; i < frontend_num_functions(program); i++) {
    const AstFunction *function = frontend_function(program, i);
    if (function->ok) ast_print_function(function, out);
  }
}
