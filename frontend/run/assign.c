// assign.c -- assignment to targets, and `del`.
#include "frontend/run/evaluate.h"

static bool assign_unknown(Machine *m, const ExprList *targets) {
  for (int i = 0; i < targets->count; i++) {
    const Expr *e = targets->items[i];
    if (e->kind == EXPR_STARRED) e = e->operand;
    if (!run_assign(m, e, &thing_unknown)) return false;
  }
  return true;
}

static bool unpack(Machine *m, const ExprList *targets, Thing *value) {
  bool alive = true;
  int star = -1;
  Things items = {0};
  if (!run_drain(m, value, &items, &alive)) {
    if (alive) run_unknown(m, value, NULL);
    return alive && assign_unknown(m, targets);
  }
  const int n = targets->count, count = (int)items.count;
  for (int i = 0; i < n; i++)
    if (targets->items[i]->kind == EXPR_STARRED) star = i;
  if (star < 0 ? count != n : count < n - 1)
    return run_raise(m, "ValueError") != NULL;
  const int extra = count - n + 1;
  for (int i = 0, at = 0; i < n; i++) {
    const Expr *e = targets->items[i];
    Thing *x =
        i == star ? thing_list(m, items.items + at, extra) : items.items[at];
    at += i == star ? extra : 1;
    if (!run_assign(m, i == star ? e->operand : e, x)) return false;
  }
  return true;
}

bool run_assign(Machine *m, const Expr *e, Thing *value) {
  Thing *x, *index;
  switch (e->kind) {
  case EXPR_NAME: return run_bind(m, e->name, value);
  case EXPR_ATTRIBUTE:
    x = run_expr(m, e->attribute.object);
    return x && run_set_attribute(m, x, e->attribute.name, value);
  case EXPR_SUBSCRIPT:
    x = run_expr(m, e->subscript.object);
    index = x ? run_expr(m, e->subscript.index) : NULL;
    return index && run_set_item(m, x, index, value);
  case EXPR_TUPLE:
  case EXPR_LIST: return unpack(m, &e->items, value);
  default: run_lose(m); return false;
  }
}

bool run_delete(Machine *m, const Expr *e) {
  Thing *x, *index;
  switch (e->kind) {
  case EXPR_NAME: return run_unbind(m, e->name);
  case EXPR_ATTRIBUTE:
    x = run_expr(m, e->attribute.object);
    return x && run_del_attribute(m, x, e->attribute.name);
  case EXPR_SUBSCRIPT:
    x = run_expr(m, e->subscript.object);
    index = x ? run_expr(m, e->subscript.index) : NULL;
    return index && run_del_item(m, x, index);
  case EXPR_TUPLE:
  case EXPR_LIST:
    for (int i = 0; i < e->items.count; i++)
      if (!run_delete(m, e->items.items[i])) return false;
    return true;
  default: run_lose(m); return false;
  }
}
