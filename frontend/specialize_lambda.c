// specialize_lambda.c -- lambdas: functions that run while compiling.
//
// A lambda becomes a function of one `return`, which sees the names around it
// as they are when it is called, or as they were in the end.
#include "frontend/builtins.h"
#include "frontend/errors.h"

const AstFunction *lambda_function(Arena *arena, AstFile *file, AstPlace place,
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

// Only where constants are computed: a kernel's functions are marked.
const Object *walk_lambda(Walk *w, const Expr *expr) {
  // Of several turns of a comprehension it would see the last one.
  if (!walk_is_host(w) || w->frame->comprehensions)
    return walk_error(w, expr->loc, ERROR_lambda);
  Object *x = arena_new(w->arena, Object);
  x->kind = OBJECT_LAMBDA;
  x->as.lambda.function =
      lambda_function(w->arena, w->frame->file, place_now(w), expr);
  x->as.lambda.around = names_around(w);
  return x;
}
