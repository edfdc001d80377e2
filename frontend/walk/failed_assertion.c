// failed_assertion.c -- the values of both sides of an assertion that fails.
//
// The parts of the condition are evaluated again, with muted diagnostics.
#include "frontend/walk/failed_assertion.h"

#include "frontend/core/builtins.h"
#include "frontend/errors.h"
#include "frontend/walk/evaluate.h"

bool expr_is_literal(const Expr *expr) {
  switch (expr->kind) {
  case EXPR_INT:
  case EXPR_FLOAT:
  case EXPR_STRING:
  case EXPR_NONE:
  case EXPR_BOOL: return true;
  case EXPR_UNARY: return expr_is_literal(expr->unary.operand);
  case EXPR_TUPLE:
  case EXPR_LIST:
    for (int i = 0; i < expr->items.count; i++) {
      if (!expr_is_literal(expr->items.items[i])) return false;
    }
    return true;
  default: return false;
  }
}

// The constant value of an expression, or NULL.
static const Object *constant_of(Walk *w, const Expr *expr) {
  const Object *x = walk_expr_quietly(w, expr);
  int64_t value;
  if (x && object_is_tensor(x) && object_constant_int(x, &value))
    return object_int(w->arena, value);
  return x && object_is_constant(x) ? x : NULL;
}

static void add_side(Walk *w, const Expr *expr, Str *out) {
  const Object *x = expr_is_literal(expr) ? NULL : constant_of(w, expr);
  if (!x) return;
  Str code = str_in(w->arena), value = str_in(w->arena);
  ast_unparse(expr, 60, &code);
  object_print(x, true, &value);
  if (value.length > 200) return;
  str_addf(out, "%s'%s' is %s", out->length ? ", " : "", str_text(&code),
           str_text(&value));
}

static void tell(Walk *w, const Expr *expr, const Str *sides) {
  if (sides->length)
    diag_note(w->diags, expr->loc, NOTE_sides, str_text(sides));
}

// The first operand of `a and b` that is false.
static const Expr *first_false(Walk *w, const Expr *expr) {
  for (int i = 0; i < expr->items.count; i++) {
    const Object *x = constant_of(w, expr->items.items[i]);
    if (x && !constant_truth(x)) return expr->items.items[i];
  }
  return NULL;
}

static void note_parts(Walk *w, const Expr *expr) {
  Str sides = str_in(w->arena);
  if (expr->kind == EXPR_COMPARE) {
    add_side(w, expr->compare.first, &sides);
    for (int i = 0; i < expr->compare.num_links; i++)
      add_side(w, expr->compare.links[i].operand, &sides);
  } else if (expr->kind == EXPR_CALL) { // its value is False, of course
    const Expr *callee = expr->call.callee;
    if (callee->kind == EXPR_ATTRIBUTE)
      add_side(w, callee->attribute.object, &sides);
  } else {
    add_side(w, expr, &sides);
  }
  tell(w, expr, &sides);
}

void note_sides(Walk *w, const Expr *condition) {
  const Expr *expr = condition;
  while (expr && (expr->kind == EXPR_AND ||
                  (expr->kind == EXPR_UNARY && expr->unary.op == UNARY_NOT)))
    expr = expr->kind == EXPR_AND ? first_false(w, expr) : expr->unary.operand;
  if (!expr) return;
  if (expr->kind != EXPR_OR) {
    note_parts(w, expr);
    return;
  }
  for (int i = 0; i < expr->items.count; i++)
    note_parts(w, expr->items.items[i]);
}
