// heuristic_object.c -- dictionaries of heuristics that host code has made.
#include "frontend/kernel/configs.h"

// Treats a lambda like one that is written in the decorator, unless it is made
// from an inner `def`.
static void take_lambda(Walk *w, const Object *x, Heuristic *out) {
  const AstFunction *function = x->as.lambda.function;
  const StmtList *body = &function->body;
  AstFunction *made = arena_new(w->arena, AstFunction);
  *made = *function;
  made->around = x->as.lambda.around;
  out->function = made;
  if (body->count != 1 || body->items[0]->kind != STMT_RETURN) return;
  Expr *lambda = arena_new(w->arena, Expr);
  lambda->kind = EXPR_LAMBDA;
  lambda->loc = function->loc;
  lambda->lambda.params = function->params;
  lambda->lambda.num_params = function->num_params;
  lambda->lambda.body = body->items[0]->result;
  out->lambda = lambda;
}

Heuristic function_object(Walk *w, const Expr *written, const char *name,
                          const Object *x) {
  Heuristic h = {.name = name, .loc = written->loc, .written = written};
  if (x->kind == OBJECT_LAMBDA && x->as.lambda.function->num_params)
    take_lambda(w, x, &h);
  else if (x->kind == OBJECT_FUNCTION && x->as.function->is_constant)
    h.function = x->as.function;
  else if (x->kind == OBJECT_SYMBOL && x->as.symbol->kind == SYMBOL_HOST)
    h.function = program_host_function(w->program, x->as.symbol);
  else if (object_is_constant(x))
    h.value = x;
  return h;
}

bool add_heuristic_objects(Walk *w, const Expr *written, const Object *x,
                           Heuristics *out) {
  if (x->kind != OBJECT_DICT) return false;
  for (int i = 0; i < x->as.dict.count; i++) {
    const Object *key = x->as.dict.keys[i];
    if (key->kind != OBJECT_STRING) return false;
    vec_push(
        w->arena, out,
        function_object(w, written, key->as.string.text, x->as.dict.items[i]));
  }
  return true;
}
