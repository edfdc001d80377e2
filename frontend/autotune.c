// autotune.c -- the first configuration of an @autotune decorator.
//
// @autotune(configs=[Config({"BLOCK": 64}, num_warps=4), ...], key=[...])
#include "frontend/autotune.h"

#include <limits.h>
#include <string.h>

static const Expr *call_argument(const Expr *call, const char *name,
                                 int position) {
  for (int i = 0; i < call->call.num_args; i++) {
    const CallArg *arg = &call->call.args[i];
    if (arg->kind == ARG_KEYWORD && !strcmp(arg->name, name)) return arg->value;
    if (arg->kind == ARG_POSITIONAL && i == position) return arg->value;
  }
  return NULL;
}

// The call `Config(...)`, or NULL where it is computed.
static const Expr *first_config(const AstFunction *function) {
  for (int i = 0; i < function->num_decorators; i++) {
    const Decorator *d = &function->decorators[i];
    if (!d->name || strcmp(d->name, "autotune")) continue;
    if (!d->expr || d->expr->kind != EXPR_CALL) return NULL;
    const Expr *configs = call_argument(d->expr, "configs", 0);
    if (!configs || configs->kind != EXPR_LIST || !configs->items.count)
      return NULL;
    const Expr *first = configs->items.items[0];
    return first->kind == EXPR_CALL ? first : NULL;
  }
  return NULL;
}

const Expr *autotune_value(const AstFunction *function, const char *name) {
  const Expr *config = first_config(function);
  const Expr *values = config ? call_argument(config, "kwargs", 0) : NULL;
  if (!values || values->kind != EXPR_DICT) return NULL;
  for (int i = 0; i < values->dict.count; i++) {
    const DictItem *item = &values->dict.items[i];
    if (!item->key || item->key->kind != EXPR_STRING) continue;
    if (!strcmp(item->key->string.text, name)) return item->value;
  }
  return NULL;
}

int autotune_option(const AstFunction *function, const char *name,
                    int otherwise) {
  const Expr *config = first_config(function);
  const Expr *value = config ? call_argument(config, name, -1) : NULL;
  if (!value || value->kind != EXPR_INT) return otherwise;
  return value->integer.value < INT_MAX ? (int)value->integer.value : otherwise;
}
