// tree_expr.c -- expressions with a fixed number of parts, and chains.
//
// A chain that continues is extended in place, since only the grammar's stack
// refers to its node until the expression is complete.  An array grows when its
// count is a power of two, so a node stores no capacity.
#include "frontend/errors.h"
#include "frontend/syntax/parser.h"

#include <assert.h>
#include <string.h>

Expr *tree_expr(Parser *parser, ExprKind kind, TextSpan span) {
  Expr *expr = arena_new(parser->arena, Expr);
  expr->kind = kind;
  expr->depth = 1;
  expr->loc = span_loc(parser, span);
  return expr;
}

void tree_deepen(Parser *parser, Expr *expr, const Expr *child) {
  assert(child != expr && "a node is below itself"); // I4
  if (!child || child->depth < expr->depth) return;
  assert(parser->stopped || child->depth <= AST_MAX_DEPTH); // I4
  expr->depth = child->depth + 1;
  if (expr->depth <= AST_MAX_DEPTH || parser->stopped) return;
  diag_error(parser->diags, expr->loc, ERROR_expression_too_deep,
             AST_MAX_DEPTH);
  parser->failed = parser->stopped = true;
}

Expr *tree_name(Parser *parser, TextSpan span, const char *name) {
  Expr *expr = tree_expr(parser, EXPR_NAME, span);
  expr->name = name;
  return expr;
}

Expr *tree_bool(Parser *parser, TextSpan span, bool truth) {
  Expr *expr = tree_expr(parser, EXPR_BOOL, span);
  expr->truth = truth;
  return expr;
}

Expr *tree_attribute(Parser *parser, TextSpan span, Expr *object,
                     const char *name, TextSpan name_span) {
  Expr *expr = tree_expr(parser, EXPR_ATTRIBUTE, span);
  expr->attribute.object = object;
  expr->attribute.name = name;
  expr->attribute.name_loc = span_loc(parser, name_span);
  tree_deepen(parser, expr, object);
  return expr;
}

Expr *tree_subscript(Parser *parser, TextSpan span, Expr *object, Expr *index) {
  Expr *expr = tree_expr(parser, EXPR_SUBSCRIPT, span);
  expr->subscript.object = object;
  expr->subscript.index = index;
  tree_deepen(parser, expr, object);
  tree_deepen(parser, expr, index);
  return expr;
}

Expr *tree_slice(Parser *parser, TextSpan span, Expr *lower, Expr *upper,
                 Expr *step) {
  Expr *expr = tree_expr(parser, EXPR_SLICE, span);
  expr->slice.lower = lower;
  expr->slice.upper = upper;
  expr->slice.step = step;
  tree_deepen(parser, expr, lower);
  tree_deepen(parser, expr, upper);
  tree_deepen(parser, expr, step);
  return expr;
}

static bool is_keyword_arg(const CallArg *arg) {
  return arg->kind == ARG_KEYWORD || arg->kind == ARG_DOUBLE_STAR;
}

void tree_arg(Parser *parser, ArgVec *args, TextSpan span, CallArg arg) {
  arg.loc = span_loc(parser, span);
  if (arg.kind == ARG_POSITIONAL && args->count &&
      is_keyword_arg(&args->items[args->count - 1])) {
    diag_error(parser->diags, arg.loc, ERROR_positional_after_keyword);
  }
  vec_push(parser->arena, args, arg);
}

Expr *tree_call(Parser *parser, TextSpan span, Expr *callee,
                const ArgVec *args) {
  Expr *expr = tree_expr(parser, EXPR_CALL, span);
  expr->call.callee = callee;
  expr->call.args = args->items;
  expr->call.num_args = (int)args->count;
  tree_deepen(parser, expr, callee);
  if (callee->kind == EXPR_NAME && parser->called) {
    map_put_text(parser->called, parser->arena, callee->name,
                 strlen(callee->name), expr);
  }
  for (size_t i = 0; i < args->count; i++) {
    tree_deepen(parser, expr, args->items[i].value);
  }
  return expr;
}

Expr *tree_unary(Parser *parser, TextSpan span, UnaryOperator op,
                 Expr *operand) {
  Expr *expr = tree_expr(parser, EXPR_UNARY, span);
  expr->unary.op = op;
  expr->unary.operand = operand;
  tree_deepen(parser, expr, operand);
  return expr;
}

// Returns `items` with room for one element behind `count`.
static void *grow(Parser *parser, void *items, int count, size_t size) {
  if (count & (count - 1)) return items;
  const size_t capacity = count ? 2 * (size_t)count : 1;
  void *larger =
      arena_alloc(parser->arena, capacity, size, alignof(max_align_t));
  if (count) memcpy(larger, items, (size_t)count * size);
  return larger;
}

static int level(Operator op) {
  static const int levels[OPERATOR_COUNT] = {
#define OPERATOR(kind, text, level, method) level,
#include "frontend/syntax/ast.def"
  };
  return levels[op];
}

static bool continues(const Expr *left, Operator op) {
  return left->kind == EXPR_CHAIN && op != OPERATOR_POW &&
         level(left->chain.links[0].op) == level(op);
}

Expr *tree_binary(Parser *parser, TextSpan span, Expr *left, Operator op,
                  TextSpan op_span, Expr *right) {
  Expr *expr = left;
  if (continues(left, op)) {
    expr->loc = span_loc(parser, span);
    expr->parenthesized = false;
  } else {
    expr = tree_expr(parser, EXPR_CHAIN, span);
    expr->chain.first = left;
    tree_deepen(parser, expr, left);
  }
  assert(!expr->chain.num_links ||
         level(expr->chain.links[0].op) == level(op) ||
         op == OPERATOR_POW); // I5
  const int count = expr->chain.num_links++;
  ChainLink *links = grow(parser, expr->chain.links, count, sizeof(ChainLink));
  links[count] = (ChainLink){op, span_loc(parser, op_span), right};
  expr->chain.links = links;
  tree_deepen(parser, expr, right);
  return expr;
}

Expr *tree_compare(Parser *parser, TextSpan span, Expr *left,
                   CompareOperator op, TextSpan op_span, Expr *right) {
  Expr *expr = left;
  if (left->kind == EXPR_COMPARE && !left->parenthesized) {
    expr->loc = span_loc(parser, span);
  } else {
    expr = tree_expr(parser, EXPR_COMPARE, span);
    expr->compare.first = left;
    tree_deepen(parser, expr, left);
  }
  const int count = expr->compare.num_links++;
  CompareLink *links =
      grow(parser, expr->compare.links, count, sizeof(CompareLink));
  links[count] = (CompareLink){op, span_loc(parser, op_span), right};
  expr->compare.links = links;
  tree_deepen(parser, expr, right);
  return expr;
}

static void add_item(Parser *parser, Expr *expr, Expr *item) {
  ExprList *list = &expr->items;
  list->items = grow(parser, list->items, list->count, sizeof(Expr *));
  list->items[list->count++] = item;
  tree_deepen(parser, expr, item);
}

Expr *tree_logic(Parser *parser, TextSpan span, ExprKind kind, Expr *left,
                 Expr *right) {
  Expr *expr = left;
  if (left->kind == kind && !left->parenthesized) {
    expr->loc = span_loc(parser, span);
  } else {
    expr = tree_expr(parser, kind, span);
    add_item(parser, expr, left);
  }
  add_item(parser, expr, right);
  return expr;
}

Expr *tree_if_expr(Parser *parser, TextSpan span, Expr *condition, Expr *then,
                   Expr *otherwise) {
  Expr *expr = tree_expr(parser, EXPR_IF, span);
  expr->conditional.condition = condition;
  expr->conditional.then = then;
  expr->conditional.otherwise = otherwise;
  tree_deepen(parser, expr, condition);
  tree_deepen(parser, expr, then);
  tree_deepen(parser, expr, otherwise);
  return expr;
}

Expr *tree_one(Parser *parser, TextSpan span, ExprKind kind, Expr *operand) {
  Expr *expr = tree_expr(parser, kind, span);
  expr->operand = operand;
  if (operand) tree_deepen(parser, expr, operand);
  // In host code, the result of an `await` is unknown.
  if (kind != EXPR_STARRED && parser->diags->muted && !parser->is_host)
    parser->failed = true;
  return expr;
}
