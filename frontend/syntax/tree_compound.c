// tree_compound.c -- expressions with lists of parts, and assignment targets.
#include "frontend/errors.h"
#include "frontend/syntax/parser.h"

static void set_items(Parser *parser, Expr *expr, const ExprVec *items) {
  expr->items = (ExprList){items->items, (int)items->count};
  for (size_t i = 0; i < items->count; i++) {
    tree_deepen(parser, expr, items->items[i]);
  }
}

Expr *tree_sequence(Parser *parser, TextSpan span, ExprKind kind,
                    const ExprVec *items) {
  Expr *expr = tree_expr(parser, kind, span);
  expr->parenthesized = kind == EXPR_TUPLE;
  if (items) set_items(parser, expr, items);
  return expr;
}

Expr *tree_tuple(Parser *parser, TextSpan span, const ExprVec *items,
                 bool trailing_comma) {
  if (items->count == 1 && !trailing_comma) return items->items[0];
  Expr *expr = tree_expr(parser, EXPR_TUPLE, span);
  set_items(parser, expr, items);
  return expr;
}

Expr *tree_parens(Parser *parser, TextSpan span, Expr *inner) {
  inner->parenthesized = true;
  inner->loc = span_loc(parser, span);
  return inner;
}

Expr *tree_dict(Parser *parser, TextSpan span, const DictVec *items) {
  Expr *expr = tree_expr(parser, EXPR_DICT, span);
  if (!items) return expr;
  expr->dict.items = items->items;
  expr->dict.count = (int)items->count;
  for (size_t i = 0; i < items->count; i++) {
    tree_deepen(parser, expr, items->items[i].key);
    tree_deepen(parser, expr, items->items[i].value);
  }
  return expr;
}

Expr *tree_lambda(Parser *parser, TextSpan span, const ParamVec *params,
                  Expr *body) {
  Expr *expr = tree_expr(parser, EXPR_LAMBDA, span);
  const ParamVec named = tree_finish_params(params);
  expr->lambda.params = named.items;
  expr->lambda.num_params = (int)named.count;
  expr->lambda.body = body;
  tree_deepen(parser, expr, body);
  for (size_t i = 0; i < named.count; i++) {
    tree_deepen(parser, expr, named.items[i].value);
  }
  return expr;
}

ComprehensionFor tree_make_for(Parser *parser, Expr *target, Expr *iterable,
                               const ExprVec *conditions, bool is_async) {
  (void)parser;
  return (ComprehensionFor){
      target, iterable, {conditions->items, (int)conditions->count}, is_async};
}

static void deepen_for(Parser *parser, Expr *expr,
                       const ComprehensionFor *part) {
  tree_deepen(parser, expr, part->target);
  tree_deepen(parser, expr, part->iterable);
  for (int i = 0; i < part->conditions.count; i++) {
    tree_deepen(parser, expr, part->conditions.items[i]);
  }
}

Expr *tree_comprehension(Parser *parser, TextSpan span, CompKind kind,
                         Expr *key, Expr *value, const ForVec *fors) {
  Expr *expr = tree_expr(parser, EXPR_COMPREHENSION, span);
  expr->comprehension.kind = kind;
  expr->comprehension.key = key;
  expr->comprehension.value = value;
  expr->comprehension.fors = fors->items;
  expr->comprehension.num_fors = (int)fors->count;
  tree_deepen(parser, expr, key);
  tree_deepen(parser, expr, value);
  for (size_t i = 0; i < fors->count; i++) {
    deepen_for(parser, expr, &fors->items[i]);
  }
  return expr;
}

Expr *tree_named(Parser *parser, TextSpan span, Expr *target, TextSpan op_span,
                 Expr *value) {
  Expr *expr = tree_expr(parser, EXPR_NAMED, span);
  expr->named.target = target;
  expr->named.op_loc = span_loc(parser, op_span);
  expr->named.value = value;
  tree_deepen(parser, expr, target);
  tree_deepen(parser, expr, value);
  if (target->kind != EXPR_NAME) {
    diag_error(parser->diags, target->loc, ERROR_walrus_target,
               expr_kind_text[target->kind]);
  }
  return expr;
}

// `**fp32` as the type of a parameter.
Expr *tree_pointer_pointer(Parser *parser, TextSpan span, Expr *inner) {
  return tree_one(parser, span, EXPR_STARRED,
                  tree_one(parser, span, EXPR_STARRED, inner));
}

static bool is_target(const Expr *expr) {
  switch (expr->kind) {
  case EXPR_NAME:
  case EXPR_ATTRIBUTE:
  case EXPR_SUBSCRIPT: return true;
  default: return false;
  }
}

// Recursive, as the depth is limited; trees with errors are not passed.
void tree_check_target(Parser *parser, const Expr *target) {
  if (parser->stopped || is_target(target)) return;
  if (target->kind == EXPR_STARRED) {
    tree_check_target(parser, target->operand);
  } else if (target->kind == EXPR_TUPLE || target->kind == EXPR_LIST) {
    for (int i = 0; i < target->items.count; i++) {
      tree_check_target(parser, target->items.items[i]);
    }
  } else {
    diag_error(parser->diags, target->loc, ERROR_cannot_assign_to,
               expr_kind_text[target->kind]);
  }
}

Expr *tree_targets(Parser *parser, TextSpan span, const ExprVec *items,
                   bool trailing_comma) {
  Expr *targets = tree_tuple(parser, span, items, trailing_comma);
  tree_check_target(parser, targets);
  return targets;
}
