// tree_stmt.c -- statements.
#include "frontend/errors.h"
#include "frontend/syntax/parser.h"

#include <assert.h>

Stmt *tree_stmt(Parser *parser, StmtKind kind, TextSpan span) {
  Stmt *stmt = arena_new(parser->arena, Stmt);
  stmt->kind = kind;
  stmt->loc = span_loc(parser, span);
  return stmt;
}

static void refuse_named(Parser *parser, const Expr *expr) {
  if (expr->kind != EXPR_NAMED || expr->parenthesized) return;
  diag_error(parser->diags, expr->named.op_loc, ERROR_walrus_without_brackets);
}

// In a statement, `:=` requires parentheses.
static void check_value(Parser *parser, const Expr *value) {
  if (!value || parser->stopped) return;
  refuse_named(parser, value);
  if (value->kind != EXPR_TUPLE || value->parenthesized) return;
  for (int i = 0; i < value->items.count; i++)
    refuse_named(parser, value->items.items[i]);
}

static void check_statement(Parser *parser, const Expr *expr) {
  if (expr->kind != EXPR_NAMED || expr->parenthesized) {
    check_value(parser, expr);
    return;
  }
  diag_error(parser->diags, expr->named.op_loc, ERROR_walrus_statement);
  diag_fix(parser->diags, expr->named.op_loc, "=");
}

Stmt *tree_expr_stmt(Parser *parser, TextSpan span, Expr *expr) {
  check_statement(parser, expr);
  Stmt *stmt = tree_stmt(parser, STMT_EXPR, span);
  stmt->expr = expr;
  return stmt;
}

Stmt *tree_assign(Parser *parser, TextSpan span, const ExprVec *chain) {
  Stmt *stmt = tree_stmt(parser, STMT_ASSIGN, span);
  assert(chain->count >= 2 && "an assignment has a target and a value"); // I10
  const size_t num_targets = chain->count - 1;
  stmt->assign.targets = (ExprList){chain->items, (int)num_targets};
  stmt->assign.value = chain->items[num_targets];
  check_value(parser, stmt->assign.value);
  for (size_t i = 0; i < num_targets; i++) {
    tree_check_target(parser, chain->items[i]);
  }
  return stmt;
}

static void check_single_target(Parser *parser, const Expr *target,
                                const char *what) {
  if (target->kind == EXPR_TUPLE || target->kind == EXPR_LIST) {
    diag_error(parser->diags, target->loc, ERROR_one_target, what,
               expr_kind_text[target->kind]);
    return;
  }
  tree_check_target(parser, target);
}

Stmt *tree_aug_assign(Parser *parser, TextSpan span, Expr *target, Operator op,
                      TextSpan op_span, Expr *value) {
  Stmt *stmt = tree_stmt(parser, STMT_AUG_ASSIGN, span);
  stmt->aug_assign.target = target;
  stmt->aug_assign.op = op;
  stmt->aug_assign.op_loc = span_loc(parser, op_span);
  stmt->aug_assign.value = value;
  check_value(parser, value);
  check_single_target(parser, target, "an augmented assignment has");
  return stmt;
}

Stmt *tree_ann_assign(Parser *parser, TextSpan span, Expr *target,
                      Expr *annotation, Expr *value) {
  Stmt *stmt = tree_stmt(parser, STMT_ANN_ASSIGN, span);
  stmt->ann_assign.target = target;
  stmt->ann_assign.annotation = annotation;
  stmt->ann_assign.value = value;
  check_value(parser, value);
  check_single_target(parser, target, "an annotation has");
  return stmt;
}

Stmt *tree_return(Parser *parser, TextSpan span, Expr *value) {
  Stmt *stmt = tree_stmt(parser, STMT_RETURN, span);
  stmt->result = value;
  check_value(parser, value);
  parser->returns_value |= value && value->kind != EXPR_NONE;
  return stmt;
}

Stmt *tree_assert(Parser *parser, TextSpan span, Expr *condition,
                  Expr *message) {
  Stmt *stmt = tree_stmt(parser, STMT_ASSERT, span);
  stmt->assert_.condition = condition;
  stmt->assert_.message = message;
  return stmt;
}

static const char *token_text(Parser *parser, const Token *token) {
  return parser_intern(parser, parser->source->text + token->begin,
                       token->end - token->begin);
}

// The name that an import statement binds; the last one of several.
static const char *imported_name(Parser *parser, const Token *token,
                                 uint32_t end) {
  const Token *name = NULL;
  const bool whole = token->kind == TOKEN_IMPORT; // `import a.b` binds `a`
  for (token++; token->begin < end && token->kind != TOKEN_END; token++) {
    const bool below = whole && token[-1].kind == TOKEN_DOT;
    if (token->kind == TOKEN_NAME && !below) name = token;
  }
  return name ? token_text(parser, name) : NULL;
}

static const char *defined_name(Parser *parser, const Token *token,
                                uint32_t end) {
  if (token->kind == TOKEN_IMPORT || token->kind == TOKEN_FROM)
    return imported_name(parser, token, end);
  const bool defines = token->kind == TOKEN_AT || token->kind == TOKEN_DEF ||
                       token->kind == TOKEN_CLASS || token->kind == TOKEN_ASYNC;
  for (; defines && token->begin < end && token->kind != TOKEN_END; token++) {
    const bool named = token->kind == TOKEN_DEF || token->kind == TOKEN_CLASS;
    if (named && token[1].kind == TOKEN_NAME)
      return token_text(parser, token + 1);
  }
  return NULL;
}

Stmt *tree_unsupported(Parser *parser, TextSpan span) {
  Stmt *stmt = tree_stmt(parser, STMT_UNSUPPORTED, span);
  const Token *first = parser_token(parser, span);
  report_header(parser, span.token);
  stmt->unsupported.keyword = token_text(parser, first);
  stmt->unsupported.token = span.token;
  stmt->unsupported.end = parser->next;
  if (first->kind == TOKEN_ASYNC)
    stmt->unsupported.keyword =
        arena_printf(parser->arena, "async %s", token_text(parser, first + 1));
  stmt->unsupported.name = defined_name(parser, first, span.end);
  return stmt;
}

void tree_branch(Parser *parser, BranchVec *branches, TextSpan span,
                 Expr *condition, const StmtVec *body) {
  const IfBranch branch = {span_loc(parser, span), condition, tree_list(body)};
  vec_push(parser->arena, branches, branch);
}

Stmt *tree_if(Parser *parser, TextSpan span, const BranchVec *branches,
              const StmtVec *otherwise) {
  Stmt *stmt = tree_stmt(parser, STMT_IF, span);
  stmt->if_.branches = branches->items;
  stmt->if_.num_branches = (int)branches->count;
  stmt->if_.otherwise = tree_list(otherwise);
  return stmt;
}

Stmt *tree_for(Parser *parser, TextSpan span, Expr *target, Expr *iterable,
               const StmtVec *body, const StmtVec *otherwise) {
  Stmt *stmt = tree_stmt(parser, STMT_FOR, span);
  stmt->for_.target = target;
  stmt->for_.iterable = iterable;
  check_value(parser, iterable);
  stmt->for_.body = tree_list(body);
  stmt->for_.otherwise = tree_list(otherwise);
  return stmt;
}

Stmt *tree_while(Parser *parser, TextSpan span, Expr *condition,
                 const StmtVec *body, const StmtVec *otherwise) {
  Stmt *stmt = tree_stmt(parser, STMT_WHILE, span);
  stmt->while_.condition = condition;
  stmt->while_.body = tree_list(body);
  stmt->while_.otherwise = tree_list(otherwise);
  return stmt;
}

Stmt *tree_with(Parser *parser, TextSpan span, const WithVec *items,
                const StmtVec *body) {
  Stmt *stmt = tree_stmt(parser, STMT_WITH, span);
  stmt->with.items = items->items;
  stmt->with.num_items = (int)items->count;
  stmt->with.body = tree_list(body);
  return stmt;
}

void tree_append(Parser *parser, StmtVec *to, const StmtVec *from) {
  for (size_t i = 0; i < from->count; i++) {
    vec_push(parser->arena, to, from->items[i]);
  }
}
