// jit_options.c -- @jit(do_not_specialize=["n", 2], ...).
#include "frontend/module/decorator.h"

#include <string.h>

static const Expr *find_option(const AstFunction *function,
                               const char *option) {
  for (int i = 0; i < function->num_decorators; i++) {
    const Decorator *d = &function->decorators[i];
    if (!d->name || !decorator_compiles(d->name) || !d->expr) continue;
    if (d->expr->kind != EXPR_CALL) continue;
    for (int k = 0; k < d->expr->call.num_args; k++) {
      const CallArg *arg = &d->expr->call.args[k];
      if (arg->name && !strcmp(arg->name, option)) return arg->value;
    }
  }
  return NULL;
}

bool jit_item_names(const Expr *item, const AstFunction *function, int index) {
  if (item->kind == EXPR_STRING)
    return !strcmp(item->string.text, function->params[index].name);
  return item->kind == EXPR_INT && item->integer == index;
}

bool jit_option_names(const AstFunction *function, const char *option,
                      int index) {
  const Expr *value = find_option(function, option);
  if (!value) return false;
  if (value->kind != EXPR_LIST && value->kind != EXPR_TUPLE)
    return jit_item_names(value, function, index);
  for (int i = 0; i < value->items.count; i++) {
    if (jit_item_names(value->items.items[i], function, index)) return true;
  }
  return false;
}
