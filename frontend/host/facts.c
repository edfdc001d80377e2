// facts.c -- names of host code with known values.
//
// `rsqrt = find_function("rsqrt")` and `backend.libdevice().tanh` are common in
// libraries that support several releases.  The host's function is unknown
// here, but it is assumed to return the language's function of that very name.

#include "frontend/core/builtins.h"
#include "frontend/errors.h"
#include "frontend/host/guard.h"
#include "frontend/host/host.h"
#include "frontend/python/python.h"
#include "frontend/value/value.h"
#include "ir/base/base.h"

#include <string.h>

static Symbol symbol_of(Walk *w, AstFile *file, AstPlace place,
                        const Expr *expr) {
  const Symbol nothing = {.kind = SYMBOL_ABSENT};
  if (expr->kind == EXPR_NAME)
    return program_lookup_at(w->program, w->diags, file, place, expr->name,
                             expr->loc);
  if (expr->kind != EXPR_ATTRIBUTE) return nothing;
  const Symbol object = symbol_of(w, file, place, expr->attribute.object);
  if (object.kind == SYMBOL_ABSENT || object.kind == SYMBOL_ERROR)
    return object;
  return program_member(w->program, w->diags, object, expr->attribute.name,
                        expr->loc);
}

// `os.environ.get`
static bool is_of_fact(Walk *w, const char *dotted) {
  const char *dot = strrchr(dotted, '.');
  const size_t length = dot ? (size_t)(dot - dotted) : 0;
  return host_fact(w, arena_strndup(w->arena, dotted, length)) != NULL;
}

typedef struct {
  const Symbol *symbol;
  const Expr *expr;
} LineValue;

static const void *evaluate_line(Walk *w, void *context) {
  const LineValue *line = context;
  return value_of_line(w, line->symbol->file, line->symbol->global->place,
                       line->expr);
}

// `torch.finfo(x)`: is `x` a type that only the host knows?
static bool has_unknown_argument(Walk *w, const Symbol *symbol,
                                 const Expr *call) {
  if (call->call.num_args != 1) return false;
  LineValue line = {symbol, call->call.args[0].value};
  const Object *x = walk_hosted(w, evaluate_line, &line);
  return !x || (x->kind == OBJECT_SYMBOL && x->as.symbol->kind == SYMBOL_HOST);
}

bool host_computes(Walk *w, const Symbol *symbol) {
  const Expr *value = symbol->global->value;
  if (!value || value->kind != EXPR_CALL) return false;
  const Symbol callee =
      symbol_of(w, symbol->file, symbol->global->place, value->call.callee);
  if (callee.kind == SYMBOL_EXTERNAL)
    return host_is_limits(callee.name)
               ? has_unknown_argument(w, symbol, value)
               : !host_math(w, callee.name) && !is_of_fact(w, callee.name);
  return callee.kind == SYMBOL_HOST;
}

// `importlib.import_module("triton.language.extra.libdevice")`
const char *host_imported(Walk *w, const Symbol *symbol) {
  const Expr *value = symbol->global->value;
  if (!value || value->kind != EXPR_CALL || value->call.num_args != 1)
    return NULL;
  const CallArg *of = &value->call.args[0];
  if (of->kind != ARG_POSITIONAL || of->value->kind != EXPR_STRING ||
      strncmp(of->value->string.text, "triton.", strlen("triton.")))
    return NULL;
  const Symbol callee =
      symbol_of(w, symbol->file, symbol->global->place, value->call.callee);
  if (callee.kind != SYMBOL_EXTERNAL ||
      strcmp(callee.name, "importlib.import_module"))
    return NULL;
  const Symbol module = program_module(w->program, w->diags, symbol->file,
                                       of->value->string.text, of->value->loc);
  return module.kind == SYMBOL_BUILTIN ? module.name : NULL;
}

// find_spec(): the name of a module that exists, to represent a value other
// than None.
const Object *builtin_find_spec(Walk *w, const BuiltinCall *c) {
  const Object *x = c->args[0];
  const char *name = x->kind == OBJECT_STRING ? x->as.string.text : "";
  return guard_has_module(w->program, w->frame->file, name) ? x : &object_none;
}

// -- Functions that host code selects ----------------------------------------

const Object *host_function(Walk *w, const char *name, SrcLoc use) {
  const char *last = strrchr(name, '.');
  const char *bare = last ? last + 1 : name;
  const char *dotted = arena_printf(w->arena, "libdevice.%s", bare);
  const Builtin *info = w->language->find(dotted); // also finds functions of
                                                   // `tl`
  if (!info || !info->run) return NULL;
  if (!w->trial) diag_warning(w->diags, use, WARNING_host_function, name, bare);
  return object_builtin(w->arena, info, NULL);
}
