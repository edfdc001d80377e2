// comprehension.c -- lists, dictionaries and generators with `for` over
// constants.
#include "frontend/core/builtins.h"
#include "frontend/errors.h"
#include "frontend/python/python.h"
#include "frontend/walk/evaluate.h"

// 1: true, 0: false, -1: failed.
static int conditions_hold(Walk *w, const ExprList *conditions) {
  for (int i = 0; i < conditions->count; i++) {
    const SrcLoc loc = conditions->items[i]->loc;
    const Object *x = walk_expr(w, conditions->items[i]);
    if (!x || !walk_decides(w, loc, x)) return -1;
    if (object_is_tensor(x)) {
      walk_error(w, loc, ERROR_condition_comprehension_constant);
      return -1;
    }
    if (!constant_truth(x)) return 0;
  }
  return 1;
}

// One item, or a pair of a key and an item.
static const Object *comprehended(Walk *w, const Expr *expr) {
  const Expr *key = expr->comprehension.key;
  const Object *pair[2];
  if (!key) return walk_expr(w, expr->comprehension.value);
  if (!(pair[0] = walk_expr(w, key))) return NULL;
  if (!(pair[1] = walk_expr(w, expr->comprehension.value))) return NULL;
  return object_tuple(w->arena, pair, 2);
}

// The items that a comprehension iterates over, as a tuple.  The order of a set
// is not known, so only a comprehension that makes a set may iterate over one.
static const Object *iterated(Walk *w, const Expr *expr, CompKind kind) {
  const Object *over = walk_gone_over(w, expr);
  if (!over) return NULL;
  const Object *all =
      kind == COMP_SET ? walk_members(w, over) : walk_iterable(w, over);
  return all ? all
             : walk_error(w, expr->loc, ERROR_comprehension_goes_over_tuple,
                          text_of(w, over));
}

// Restores the earlier meanings of the target's names.
static void unbind(Walk *w, const Expr *target, const ScopeState *before) {
  Locals *scope = &w->frame->scope;
  const bool several = target->kind == EXPR_TUPLE || target->kind == EXPR_LIST;
  for (int i = 0; several && i < target->items.count; i++)
    unbind(w, target->items.items[i], before);
  const Binding *b =
      target->kind == EXPR_NAME ? scope_find(scope, target->name) : NULL;
  if (b)
    scope_set(scope, b->name, state_get(before, (size_t)(b - scope->items)));
}

static bool comprehend(Walk *w, const Expr *expr, int level, Objects *out);

static bool comprehend_within(Walk *w, const Expr *expr, int level,
                              Objects *out) {
  const int entered = walk_enter(w, expr->loc);
  if (!entered) return false;
  const bool ok = comprehend(w, expr, level, out);
  walk_leave(w, entered);
  return ok;
}

static bool comprehend(Walk *w, const Expr *expr, int level, Objects *out) {
  if (level == expr->comprehension.num_fors) {
    const Object *x = comprehended(w, expr);
    if (x) vec_push(w->arena, out, x);
    return x != NULL;
  }
  const ComprehensionFor *loop = &expr->comprehension.fors[level];
  const Object *over = iterated(w, loop->iterable, expr->comprehension.kind);
  // Only the first iterable sees the names of an enclosing class.
  w->frame->place.is_nested = true;
  const ScopeState before = scope_save(&w->frame->scope);
  bool ok = over != NULL;
  if (ok) walk_loop_over(over, 1);
  for (int i = 0; ok && i < over->as.tuple.count; i++) {
    ok = walk_count(w, expr->loc) &&
         walk_assign(w, loop->target, over->as.tuple.items[i]);
    const int keep = ok ? conditions_hold(w, &loop->conditions) : -1;
    ok = keep >= 0 && (!keep || comprehend_within(w, expr, level + 1, out));
  }
  if (over) walk_loop_over(over, -1);
  unbind(w, loop->target, &before);
  return ok;
}

const Object *walk_comprehension(Walk *w, const Expr *expr) {
  const CompKind kind = expr->comprehension.kind;
  if (kind == COMP_SET && !walk_is_host(w))
    return walk_error(w, expr->loc, ERROR_expression_not_supported,
                      expr_kind_text[expr->kind]);
  Objects items = {0};
  const AstPlace place = w->frame->place;
  const Comprehension within = {w->frame->comprehension, expr};
  w->frame->comprehension = &within;
  const int run = w->run;
  if (kind == COMP_GENERATOR) walk_be_lazy(w);
  const bool ok = comprehend(w, expr, 0, &items);
  w->run = run;
  w->frame->comprehension = within.outer;
  w->frame->place = place;
  if (!ok) return NULL;
  const Object *all = object_tuple(w->arena, items.items, (int)items.count);
  if (kind == COMP_SET) return set_of_items(w, expr->loc, all, false);
  if (kind == COMP_LIST) return walk_own(w, all, '[');
  return kind == COMP_DICT ? walk_own(w, dict_of_pairs(w, expr->loc, all), '{')
                           : object_iterator(all);
}
