// lambda.c -- lambdas: functions that run while compiling.
//
// A lambda becomes a function of one `return`, which sees the names around it
// as they are when it is called, or as they were in the end.
#include "frontend/core/builtins.h"
#include "frontend/errors.h"
#include "frontend/walk/evaluate.h"

AstFunction *lambda_function(Arena *arena, AstFile *file, AstPlace place,
                             const Expr *lambda) {
  AstFunction *function = arena_new(arena, AstFunction);
  Stmt *body = arena_new(arena, Stmt);
  body->kind = STMT_RETURN;
  body->loc = lambda->lambda.body->loc;
  body->result = lambda->lambda.body;
  Stmt **bodies = arena_array(arena, Stmt *, 1);
  bodies[0] = body;
  *function = (AstFunction){.file = file,
                            .name = "lambda",
                            .loc = lambda->loc,
                            .place = place,
                            .params = lambda->lambda.params,
                            .num_params = lambda->lambda.num_params,
                            .body = {bodies, 1},
                            .returns_value = true,
                            .ok = true,
                            .is_constant = true};
  return function;
}

static void hide_targets(Walk *w, const Expr *target, AstFunction *function) {
  if (target->kind == EXPR_NAME)
    vec_push(w->arena, &function->hidden, target->name);
  if (target->kind == EXPR_STARRED) hide_targets(w, target->operand, function);
  if (target->kind != EXPR_TUPLE && target->kind != EXPR_LIST) return;
  for (int i = 0; i < target->items.count; i++)
    hide_targets(w, target->items.items[i], function);
}

// A lambda sees the targets of the comprehensions around it as the last
// iteration leaves them.  That is not known when the lambda is called inside
// another function, so the targets get no value.
static void hide_comprehensions(Walk *w, AstFunction *function) {
  for (const Comprehension *c = w->frame->comprehension; c; c = c->outer) {
    for (int i = 0; i < c->expr->comprehension.num_fors; i++)
      hide_targets(w, c->expr->comprehension.fors[i].target, function);
  }
}

// Only where constants are computed: a kernel's functions are marked.
const Object *walk_lambda(Walk *w, const Expr *expr) {
  if (!walk_is_host(w)) return walk_error(w, expr->loc, ERROR_lambda);
  AstFunction *function =
      lambda_function(w->arena, w->frame->file, place_now(w), expr);
  function->defaults = defaults_now(w, function);
  hide_comprehensions(w, function);
  Object *x = arena_new(w->arena, Object);
  x->kind = OBJECT_LAMBDA;
  x->as.lambda.function = function;
  x->as.lambda.around = names_around(w);
  return x;
}
