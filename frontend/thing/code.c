// code.c -- calls of code by objects, through `Machine.code`, so that this room
// does not depend on how code is run.
#include "frontend/thing/objects.h"

#include <string.h>

Thing *run_call(Machine *m, Thing *callee, Things *args, ArgNames names) {
  return m->code->call(m, callee, args, names);
}

Thing *run_call_one(Machine *m, Thing *callee, Thing *argument) {
  Things args = {0};
  vec_push(m->arena, &args, argument);
  return run_call(m, callee, &args, NULL);
}

void run_weakly(Machine *m, Thing *code) {
  m->code->run_weakly(m, code);
}

void run_text(Machine *m, const char *text) {
  m->code->run_text(m, text);
}

Next generator_next(Machine *m, Thing *generator, Thing **item) {
  return m->code->generator_next(m, generator, item);
}

bool run_generator(Machine *m, Thing *generator, Taker *taker, bool *known) {
  return m->code->run_generator(m, generator, taker, known);
}

bool args_are_plain(const Things *args, ArgNames names, size_t least,
                    size_t most) {
  for (size_t i = 0; names && i < args->count; i++)
    if (names[i]) return false;
  return least <= args->count && args->count <= most;
}

// -- Functions as constants of a walk ----------------------------------------

static const Object *lambda_object(Machine *m, const AstFunction *ast,
                                   AstFile *file) {
  for (int i = 0; i < ast->num_params; i++)
    if (ast->params[i].value) return NULL;
  AstFunction *function = arena_new(m->arena, AstFunction);
  *function = *ast;
  function->file = file;
  function->returns_value = function->ok = function->is_constant = true;
  Object *x = arena_new(m->arena, Object);
  x->kind = OBJECT_LAMBDA;
  x->as.lambda.function = function;
  return x;
}

// A lambda of a module, or a function for which its name there still stands.
const Object *function_constant(Machine *m, const Thing *x) {
  const AstFunction *ast = x->as.function.ast;
  const RunFrame *around = x->as.function.around;
  AstFile *file = around->module->file;
  if (around->outer || x->as.function.is_remade) return NULL;
  if (!strcmp(ast->name, "<lambda>")) return lambda_object(m, ast, file);
  const Symbol symbol =
      program_lookup(m->program, &m->quiet, file, ast->name, ast->loc);
  const bool same = symbol.kind == SYMBOL_HOST && symbol.function &&
                    loc_same(symbol.function->loc, ast->loc);
  return same ? object_symbol(m->arena, &symbol) : NULL;
}
