// decorator_option.c -- the options of decorators.
#include "frontend/decorator.h"

#include <string.h>

const Expr *call_argument(const Expr *call, const char *name, int position) {
  for (int i = 0; i < call->call.num_args; i++) {
    const CallArg *arg = &call->call.args[i];
    if (arg->kind == ARG_KEYWORD && !strcmp(arg->name, name)) return arg->value;
    if (arg->kind == ARG_POSITIONAL && i == position) return arg->value;
  }
  return NULL;
}

// The same value wherever it stands.
static bool is_literal(const Expr *expr) {
  if (expr->kind == EXPR_LIST || expr->kind == EXPR_TUPLE) {
    int i = 0;
    while (i < expr->items.count && is_literal(expr->items.items[i])) i++;
    return i == expr->items.count;
  }
  return expr->kind == EXPR_INT || expr->kind == EXPR_FLOAT ||
         expr->kind == EXPR_STRING || expr->kind == EXPR_BOOL ||
         expr->kind == EXPR_NONE;
}

// Do the names in its result mean what they mean at the decorator?
static bool is_open(const Decorator *d) {
  const AstFunction *maker = d->maker;
  return maker->file == d->file && !maker->num_params && maker->body.count == 1;
}

// Does nothing decide what it gives, nor, but for `assigns`, bind a name?
static bool is_straight(const AstFunction *maker, bool assigns) {
  for (int i = 0; i < maker->body.count; i++) {
    const StmtKind kind = maker->body.items[i]->kind;
    if (kind != STMT_RETURN && kind != STMT_EXPR && kind != STMT_UNSUPPORTED &&
        (kind != STMT_ASSIGN || !assigns))
      return false;
  }
  return true;
}

static bool is_plain(const Expr *call) {
  int i = 0;
  while (i < call->call.num_args &&
         (call->call.args[i].kind == ARG_POSITIONAL ||
          call->call.args[i].kind == ARG_KEYWORD))
    i++;
  return i == call->call.num_args;
}

// What the decorator gives the parameter, or what that is without; NULL: it is
// not known.
static const Expr *given(const Decorator *d, const char *name) {
  const AstFunction *maker = d->maker;
  int i = 0;
  while (i < maker->num_params && strcmp(maker->params[i].name, name)) i++;
  if (i == maker->num_params || !is_straight(maker, false)) return NULL;
  const Expr *value = call_argument(d->expr, name, i);
  if (value) return value;
  value = maker->params[i].value;
  return value && is_literal(value) ? value : NULL;
}

// `def ours(found): return triton.autotune(configs=found, key=["n"])`: what is
// neither given nor a literal is as the whole decorator makes it.
static const Expr *made_option(const Decorator *d, const char *name,
                               int position) {
  const Expr *call = d->made;
  while (call && call->call.callee->kind == EXPR_CALL)
    call = call->call.callee; // `autotune(...)(function)`
  if (!call || !is_plain(call) || !is_straight(d->maker, true)) return d->expr;
  const Expr *value = call_argument(call, name, position);
  if (!value || is_literal(value) || is_open(d)) return value;
  const bool passed = value->kind == EXPR_NAME && is_plain(d->expr);
  const Expr *argument = passed ? given(d, value->name) : NULL;
  return argument ? argument : d->expr;
}

const Expr *decorator_option(const Decorator *d, const char *name,
                             int position) {
  if (!d->expr || d->expr->kind != EXPR_CALL) return NULL;
  return d->maker ? made_option(d, name, position)
                  : call_argument(d->expr, name, position);
}
