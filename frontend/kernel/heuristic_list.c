// heuristic_list.c -- dictionaries of functions in decorators, as written.
#include "frontend/kernel/configs.h"

#include "frontend/host/host.h"
#include "frontend/module/module.h"
#include "frontend/value/value.h"
#include "frontend/walk/evaluate.h"

#include <string.h>

// An expression, with the file and place at which it is evaluated.
typedef struct {
  AstFile *file;
  AstPlace place;
  const Expr *expr;
} Written;

// For a name, the expression that is assigned to it.
static Written meant(Walk *w, Written x) {
  if (!x.expr || x.expr->kind != EXPR_NAME) return x;
  const Symbol symbol = quiet_lookup(w, x.file, x.place, x.expr);
  if (symbol.kind != SYMBOL_GLOBAL || !symbol.global->value) return x;
  return (Written){symbol.file, symbol.global->place, symbol.global->value};
}

// The function, if it is a `def` of the file or imported; else NULL.
static const AstFunction *host_function_of(Walk *w, const Written *x) {
  if (x->expr->kind != EXPR_NAME) return NULL;
  const Symbol symbol = quiet_lookup(w, x->file, x->place, x->expr);
  return symbol.kind == SYMBOL_HOST ? program_host_function(w->program, &symbol)
                                    : NULL;
}

static const void *evaluate_written(Walk *w, void *context) {
  const Written *x = context;
  return walk_expr_at(w, x->file, x->place, x->expr);
}

// The heuristic for an expression that is neither a lambda nor a `def`: its
// value.
static Heuristic evaluated(Walk *w, const char *name, SrcLoc loc,
                           Written value) {
  const Object *x = walk_hosted(w, evaluate_written, &value);
  Heuristic h = {.name = name, .written = value.expr};
  if (x) h = function_object(w, value.expr, name, x);
  h.loc = loc;
  return h;
}

static void add_heuristic(Walk *w, const char *name, SrcLoc loc, Written value,
                          Heuristics *out) {
  Heuristic heuristic = {.name = name, .loc = loc, .written = value.expr};
  heuristic.function = host_function_of(w, &value);
  const Written x = meant(w, value);
  if (x.expr->kind == EXPR_LAMBDA && x.expr->lambda.num_params) {
    heuristic.lambda = x.expr;
    heuristic.function = lambda_function(w->arena, x.file, x.place, x.expr);
  }
  if (!heuristic.function) heuristic = evaluated(w, name, loc, value);
  vec_push(w->arena, out, heuristic);
}

static void add_heuristics(Walk *w, Written x, Heuristics *out);

static bool add_entries(Walk *w, Written x, Heuristics *out) {
  const Expr *dict = x.expr;
  for (int i = 0; i < dict->dict.count; i++) {
    const DictItem *item = &dict->dict.items[i];
    x.expr = item->value;
    if (!item->key)
      add_heuristics(w, x, out);
    else if (item->key->kind == EXPR_STRING)
      add_heuristic(w, item->key->string.text, item->key->loc, x, out);
    else
      return false;
  }
  return true;
}

static bool add_keywords(Walk *w, Written x, Heuristics *out) {
  const Expr *call = x.expr, *callee = call->call.callee;
  if (callee->kind != EXPR_NAME || strcmp(callee->name, "dict")) return false;
  for (int i = 0; i < call->call.num_args; i++) {
    const CallArg *arg = &call->call.args[i];
    x.expr = arg->value;
    if (arg->kind == ARG_KEYWORD)
      add_heuristic(w, arg->name, arg->loc, x, out);
    else
      add_heuristics(w, x, out);
  }
  return true;
}

// A dictionary display, `dict(...)`, or the name of one that is never changed.
static bool add_written(Walk *w, Written x, Heuristics *out) {
  const Symbol symbol = x.expr->kind == EXPR_NAME
                            ? quiet_lookup(w, x.file, x.place, x.expr)
                            : (Symbol){.kind = SYMBOL_ABSENT};
  if (symbol.kind == SYMBOL_GLOBAL && global_is_changed(w, &symbol))
    return false;
  x = meant(w, x);
  switch (x.expr->kind) {
  case EXPR_DICT: return add_entries(w, x, out);
  case EXPR_CALL: return add_keywords(w, x, out);
  default: return false;
  }
}

// Adds the heuristics of the dictionary that is the value of the expression.
static bool add_evaluated(Walk *w, Written x, Heuristics *out) {
  const Object *dict = walk_hosted(w, evaluate_written, &x);
  if (!dict && x.expr->kind == EXPR_NAME)
    dict = w->world->run(w->program, x.file, x.expr->name, NULL);
  return dict && add_heuristic_objects(w, x.expr, dict, out);
}

static void add_heuristics(Walk *w, Written x, Heuristics *out) {
  const Heuristic any = {.loc = x.expr->loc, .written = x.expr};
  const size_t count = out->count;
  const int level = walk_enter(w, x.expr->loc);
  if (!level) return;
  bool known = add_written(w, x, out);
  if (!known) out->count = count;
  known = known || add_evaluated(w, x, out);
  if (!known) vec_push(w->arena, out, any);
  walk_leave(w, level);
}

Heuristics functions_in(Walk *w, const AstFunction *function,
                        const char *decorator, const Expr *dict) {
  Heuristics out = {0};
  for (int i = 0; i < function->num_decorators; i++) {
    const Decorator *d = &function->decorators[i];
    if (!d->name || strcmp(d->name, decorator) != 0) continue;
    add_heuristics(w, (Written){d->file, d->place, dict}, &out);
    break;
  }
  return out;
}

Heuristics heuristics_of(Walk *w, const AstFunction *function) {
  Heuristics out = {0};
  for (int i = 0; i < function->num_decorators; i++) {
    const Decorator *d = &function->decorators[i];
    if (!d->name || strcmp(d->name, "heuristics") != 0) continue;
    const Expr *values = decorator_option(d, "values", 0);
    if (values) add_heuristics(w, (Written){d->file, d->place, values}, &out);
  }
  for (size_t i = 0; function->around && i < out.count; i++) {
    if (!out.items[i].lambda || out.items[i].function->around) continue;
    AstFunction *f = arena_new(w->arena, AstFunction);
    *f = *out.items[i].function;
    f->around = function->around;
    out.items[i].function = f;
  }
  return out;
}
