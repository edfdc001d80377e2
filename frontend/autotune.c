// autotune.c -- what the @autotune and @heuristics decorators say.
//
// @autotune(configs=[Config({"BLOCK": 64}, num_warps=4), ...], key=[...])
// @heuristics({"EVEN": lambda args: args["N"] % args["BLOCK"] == 0})
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

// The value of a key of `{"key": value}`, or NULL.
static const Expr *dict_value(const Expr *dict, const char *key) {
  if (!dict || dict->kind != EXPR_DICT) return NULL;
  for (int i = 0; i < dict->dict.count; i++) {
    const DictItem *item = &dict->dict.items[i];
    if (!item->key || item->key->kind != EXPR_STRING) continue;
    if (!strcmp(item->key->string.text, key)) return item->value;
  }
  return NULL;
}

const Expr *autotune_value(const AstFunction *function, const char *name) {
  const Expr *config = first_config(function);
  return config ? dict_value(call_argument(config, "kwargs", 0), name) : NULL;
}

const Expr *heuristic_of(const AstFunction *function, const char *name) {
  for (int i = 0; i < function->num_decorators; i++) {
    const Decorator *d = &function->decorators[i];
    if (!d->name || strcmp(d->name, "heuristics")) continue;
    if (!d->expr || d->expr->kind != EXPR_CALL) continue;
    const Expr *value = dict_value(call_argument(d->expr, "values", 0), name);
    if (!value || value->kind != EXPR_LAMBDA) continue;
    return value->lambda.num_params == 1 ? value : NULL;
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
