// specialize_closure.c -- functions that are made within others.
//
// They see the names around them as those are when they are called, or as they
// were in the end.
#include "frontend/builtins.h"
#include "frontend/program.h"

#include <string.h>

const Locals *names_around(Walk *w) {
  if (!w->frame->shared) {
    w->frame->shared = arena_new(w->arena, Locals);
    *w->frame->shared = scope_in(w->arena);
  }
  return w->frame->shared;
}

// What a function that is still running has bound so far, or had at its end.
const Locals *names_now(const Walk *w, const Locals *around) {
  for (const Frame *f = w->frame; f && around; f = f->caller) {
    if (f->shared == around) return &f->scope;
  }
  return around;
}

AstPlace place_now(const Walk *w) {
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

// A class of functions that are marked, whose names are all that it has.
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
  const bool defines = !strcmp(what, "def") || !strcmp(what, "@");
  if (!walk_is_constant(w)) return false;
  if (!strcmp(what, "class")) return bind_class(w, stmt);
  const AstFunction *f =
      defines ? program_nested_function(w->program, w->frame->file, stmt)
              : NULL;
  if (!f) return false;
  scope_set(&w->frame->scope, f->name, make_function(w, f));
  return true;
}

// The function that `triton.jit(function)` marks.
static bool is_jit(Walk *w, const Expr *callee) {
  const bool dotted = callee->kind == EXPR_ATTRIBUTE &&
                      callee->attribute.object->kind == EXPR_NAME;
  if (!dotted && callee->kind != EXPR_NAME) return false;
  const Expr *root = dotted ? callee->attribute.object : callee;
  if (scope_get(&w->frame->scope, root->name)) return false;
  DiagList quiet;
  diag_init_muted(&quiet, w->arena);
  Symbol symbol = symbol_unless_value(
      program_lookup_at(w->program, &quiet, w->frame->file, w->frame->place,
                        root->name, root->loc));
  if (dotted && symbol.kind == SYMBOL_BUILTIN)
    symbol = program_member(w->program, &quiet, symbol, callee->attribute.name,
                            root->loc);
  return symbol.kind == SYMBOL_BUILTIN && !strcmp(symbol.name, "triton.jit");
}

const Object *walk_marking(Walk *w, const Expr *call) {
  if (!walk_is_constant(w) || call->call.num_args != 1 ||
      call->call.args[0].kind != ARG_POSITIONAL ||
      !is_jit(w, call->call.callee))
    return NULL;
  const Object *x = walk_expr(w, call->call.args[0].value);
  if (!x || x->kind != OBJECT_FUNCTION || !x->as.function->around) return NULL;
  AstFunction *marked = arena_new(w->arena, AstFunction);
  *marked = *x->as.function;
  marked->is_constant = false;
  return object_function(w->arena, marked);
}

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

const Object *walk_decorated(Walk *w, const Symbol *host, SrcLoc loc) {
  const bool may = !w->frame->function || walk_is_constant(w);
  const AstFunction *f = may && host->kind == SYMBOL_HOST && host->function
                             ? program_decorated(w->program, host)
                             : NULL;
  if (!f || !walk_enter(w, loc)) return NULL;
  HostRun run;
  const int outer = w->run;
  host_run_begin(w, &run);
  w->run = ++w->num_runs; // what decorators keep, no call of it may change
  const Object *x = decorate(w, f, loc);
  w->run = outer;
  host_run_end(w, &run);
  walk_leave(w);
  return x;
}
