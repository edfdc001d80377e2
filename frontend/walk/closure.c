// closure.c -- inner functions and lambdas.
//
// A name of the enclosing function has, in an inner one, its value at the time
// of the call, or, after the enclosing function has returned, its last value.
#include "frontend/core/builtins.h"
#include "frontend/errors.h"
#include "frontend/module/program.h"
#include "frontend/walk/evaluate.h"

#include <string.h>

// The names that an inner function defined here sees.
static const Locals *names_around(Walk *w) {
  if (!w->frame->shared) {
    w->frame->shared = arena_new(w->arena, Locals);
    *w->frame->shared = scope_in(w->arena);
  }
  return w->frame->shared;
}

// The current bindings of the enclosing function: those of its frame while it
// runs, else those at its end.
const Locals *names_now(const Walk *w, const Locals *around) {
  for (const Frame *f = w->frame; f && around; f = f->caller) {
    if (f->shared == around) return &f->scope;
  }
  return around;
}

// The current place, with a copy of the current bindings: there, defaults and
// decorators of an inner function are evaluated.
static AstPlace place_now(const Walk *w) {
  AstPlace place = w->frame->place;
  Locals *locals = arena_new(w->arena, Locals);
  *locals = scope_in(w->arena);
  scope_copy(locals, &w->frame->scope);
  place.locals = locals;
  return place;
}

static const Object *make_function(Walk *w, const AstFunction *f) {
  AstFunction *made = arena_new(w->arena, AstFunction);
  *made = *f;
  made->around = names_around(w);
  made->place = place_now(w);
  made->defaults = defaults_now(w, made);
  return object_function(w->arena, made);
}

// A class that contains only marked functions: binds `Class.name` for each.
static bool bind_class(Walk *w, const Stmt *stmt) {
  enum { MAX_METHODS = 64 };
  const AstFunction *found[MAX_METHODS];
  const char *name;
  const int n = program_nested_class(w->program, w->frame->file, stmt, &name,
                                     found, MAX_METHODS);
  if (n <= 0) return false;
  const char **names = arena_array(w->arena, const char *, n);
  const Object **functions = arena_array(w->arena, const Object *, n);
  for (int i = 0; i < n; i++) {
    if (found[i]->is_constant) return false;
    names[i] = found[i]->name;
    functions[i] = make_function(w, found[i]);
  }
  scope_set(&w->frame->scope, name,
            object_named(w->arena, n, names, functions));
  return true;
}

bool walk_nested(Walk *w, const Stmt *stmt) {
  const char *what = stmt->unsupported.keyword;
  const bool defines = words_have(WORDS_DEFINING, what);
  if (!walk_is_constant(w)) return false;
  if (!strcmp(what, "class")) return bind_class(w, stmt);
  const AstFunction *f =
      defines ? program_nested_function(w->program, w->frame->file, stmt)
              : NULL;
  if (!f) return false;
  scope_set(&w->frame->scope, f->name, make_function(w, f));
  return true;
}

// The host function to be marked; NULL if `x` is no such function.
static const AstFunction *marked(Walk *w, const Object *x) {
  if (x->kind == OBJECT_SYMBOL && x->as.symbol->kind == SYMBOL_HOST)
    return program_marked(w->program, x->as.symbol);
  if (x->kind != OBJECT_FUNCTION || !x->as.function->around) return NULL;
  AstFunction *made = arena_new(w->arena, AstFunction);
  *made = *x->as.function;
  made->is_constant = false;
  return made;
}

// Marks a function; without a function, the result is a decorator.  Other
// arguments concern the launch alone, except do_not_specialize and
// do_not_specialize_on_alignment: these are errors here, where the call is a
// part of an expression.
const Object *builtin_mark(Walk *w, const BuiltinCall *c) {
  enum { FUNCTION, NO_VALUE, NO_ALIGNMENT };
  if (!walk_is_host(w))
    return walk_error(w, c->loc, ERROR_calls_package, c->info->name);
  for (int i = NO_VALUE; i <= NO_ALIGNMENT; i++) {
    if (!argument_absent(c, i))
      return walk_error(w, c->locs[i], ERROR_type_not_supported_yet,
                        arena_printf(w->arena,
                                     "'%s' of a call that is part of an "
                                     "expression",
                                     argument_name(w, c, i)));
  }
  if (!c->args[FUNCTION]) return object_builtin(w->arena, c->info, NULL);
  const AstFunction *f = marked(w, c->args[FUNCTION]);
  if (f) return object_function(w->arena, f);
  argument_wrong(w, c, FUNCTION, "a function that a 'def' makes");
  return NULL;
}

typedef struct {
  const AstFunction *function;
  SrcLoc loc;
} Decorated;

static const Object *decorate(Walk *w, const AstFunction *f, SrcLoc loc) {
  const Object *x = object_function(w->arena, f);
  for (int i = f->num_decorators; x && i-- > 0;) {
    const Decorator *d = &f->decorators[i];
    if (d->name && decorator_is_plain(d->name)) continue;
    const Object *by =
        d->expr ? walk_expr_at(w, d->file, d->place, d->expr) : NULL;
    Arguments args = {0};
    vec_push(w->arena, &args, ((Argument){NULL, x, loc, loc}));
    x = by ? call_value(w, by, loc, &args) : NULL;
  }
  return x && object_is_callable(x) ? x : NULL;
}

// The decorators run with an owner number of their own, so that calls in them
// cannot change objects that the decorators keep.
static const void *run_decorators(Walk *w, void *context) {
  const Decorated *d = context;
  const int outer = w->run;
  w->run = ++w->num_runs;
  const Object *x = decorate(w, d->function, d->loc);
  w->run = outer;
  return x;
}

const Object *walk_decorated(Walk *w, const Symbol *host, SrcLoc loc) {
  const bool may = !w->frame->function || walk_is_constant(w);
  const AstFunction *f = may && host->kind == SYMBOL_HOST && host->function
                             ? program_decorated(w->program, host)
                             : NULL;
  const int level = f ? walk_enter(w, loc) : 0;
  if (!level) return NULL;
  Decorated decorated = {f, loc};
  const Object *x = walk_hosted(w, run_decorators, &decorated);
  walk_leave(w, level);
  return x;
}

typedef struct {
  const Object *callee;
  SrcLoc loc;
  const Arguments *args;
} HostCall;

static const void *call_step(Walk *w, void *context) {
  const HostCall *call = context;
  return call_object(w, call->callee, call->loc, call->args);
}

const Object *call_hosted(Walk *w, const Object *callee, SrcLoc loc,
                          const Arguments *args) {
  HostCall call = {callee, loc, args};
  const Object *x = walk_hosted(w, call_step, &call);
  return x && object_is_constant(x) ? x : NULL;
}

// -- Lambdas -----------------------------------------------------------------

// The function for a lambda: its body is one `return`, which runs while
// compiling.
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

// The targets of comprehensions around a lambda have their last values when it
// is called.  If it is called in another function, these values are unknown, so
// the targets become unbound.
static void hide_comprehensions(Walk *w, AstFunction *function) {
  for (const Comprehension *c = w->frame->comprehension; c; c = c->outer) {
    for (int i = 0; i < c->expr->comprehension.num_fors; i++)
      hide_targets(w, c->expr->comprehension.fors[i].target, function);
  }
}

// A lambda is allowed only in code that computes constants: kernels call marked
// functions.
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
