// assign.c -- assignments of values to targets.
#include "frontend/core/builtins.h"
#include "frontend/errors.h"
#include "frontend/python/python.h"
#include "frontend/walk/evaluate.h"

static bool assign_name(Walk *w, const Expr *target, const Object *value) {
  scope_set(&w->frame->scope, target->name, value)->given = &target->loc;
  if (!object_is_tensor(value)) return true;
  Value *v = value->as.tensor.value;
  if (!v->name) v->name = target->name;
  return true;
}

static int find_starred(const Expr *target) {
  for (int i = 0; i < target->items.count; i++) {
    if (target->items.items[i]->kind == EXPR_STARRED) return i;
  }
  return -1;
}

// `a, *b, c = value`: `b` gets the items that the other targets leave.
static bool assign_starred(Walk *w, const Expr *target, int star,
                           const Object *value) {
  const int n = target->items.count, count = value->as.tuple.count;
  const int rest = count - n + 1;
  const Object *const *items = value->as.tuple.items;
  if (rest < 0)
    return diag_error(w->diags, target->loc, ERROR_unpack_count, count, n - 1);
  for (int i = 0; i < n; i++) {
    const Expr *to = target->items.items[i];
    const Object *x =
        i == star ? walk_own(w, object_tuple(w->arena, items + star, rest), '[')
                  : items[i < star ? i : i + rest - 1];
    if (i != star && to->kind == EXPR_STARRED)
      return diag_error(w->diags, to->loc, ERROR_two_starred);
    if (!walk_assign(w, i == star ? to->operand : to, x)) return false;
  }
  return true;
}

// Triton drops surplus items, and some kernels rely on that.
static bool counts_fit(Walk *w, const Expr *target, int count) {
  const int n = target->items.count;
  const bool drops =
      !walk_is_host(w) && !rule_holds(w->program, RULE_unpacks_all);
  if (count < n || (count > n && !drops))
    return diag_error(w->diags, target->loc, ERROR_unpack_count, count, n);
  if (count > n && !w->trial)
    diag_warning(w->diags, target->loc, WARNING_unpack_drops, count, n);
  return true;
}

static bool assign_items(Walk *w, const Expr *target, const Object *of) {
  const int n = target->items.count;
  const Object *value = of->kind == OBJECT_TUPLE ? walk_iterable(w, of) : NULL;
  if (!value)
    return diag_error(w->diags, target->loc, ERROR_cannot_unpack,
                      text_of(w, of), n);
  const int star = find_starred(target);
  if (star >= 0) return assign_starred(w, target, star, value);
  if (!counts_fit(w, target, value->as.tuple.count)) return false;
  for (int i = 0; i < n; i++) {
    if (!walk_assign(w, target->items.items[i], value->as.tuple.items[i]))
      return false;
  }
  return true;
}

bool subscript_assigned(Walk *w, const Expr *target) {
  const Expr *object = target->subscript.object;
  const Object *x = object->kind == EXPR_NAME
                        ? scope_get(&w->frame->scope, object->name)
                        : NULL;
  const bool pointer =
      x && object_is_tensor(x) && x->as.tensor.dtype.is_pointer;
  if (x && (x->kind == OBJECT_TUPLE || x->kind == OBJECT_DICT))
    return diag_error(w->diags, target->loc, ERROR_item_assigned, object->name,
                      x->kind == OBJECT_DICT ? "dictionary" : "tuple");
  if (!pointer || object_is_window(x))
    return diag_error(w->diags, target->loc, ERROR_subscript_assigned);
  return diag_error(w->diags, target->loc, ERROR_pointer_assigned,
                    short_text(w, object),
                    short_text(w, target->subscript.index));
}

// `x[index] = value`, where `target` is `x[index]`.
static bool assign_at(Walk *w, const Expr *target, const Object *value) {
  const Object *x = walk_expr(w, target->subscript.object);
  const Object *index = x ? walk_expr(w, target->subscript.index) : NULL;
  return index && assign_item(w, target->loc, x, index, value);
}

bool walk_assign(Walk *w, const Expr *target, const Object *value) {
  if (target->kind == EXPR_NAME) return assign_name(w, target, value);
  if (target->kind == EXPR_TUPLE || target->kind == EXPR_LIST)
    return assign_items(w, target, value);
  if (target->kind == EXPR_SUBSCRIPT)
    return walk_is_constant(w) ? assign_at(w, target, value)
                               : subscript_assigned(w, target);
  if (target->kind == EXPR_ATTRIBUTE)
    return walk_assign_field(w, target, value);
  return diag_error(w->diags, target->loc, ERROR_only_names_tuples_names_can,
                    short_text(w, target));
}
