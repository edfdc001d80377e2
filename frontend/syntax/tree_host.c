// tree_host.c -- statements that occur in host code only.
#include "frontend/syntax/parser.h"

Stmt *tree_def(Parser *parser, TextSpan span, const char *name,
               TextSpan name_span, const ParamVec *params, Expr *returns,
               const StmtVec *body) {
  Stmt *stmt = tree_stmt(parser, STMT_DEF, span);
  AstFunction *const outer = parser->function;
  parser->function = arena_new(parser->arena, AstFunction);
  tree_function(parser, name, name_span, params, returns, body);
  parser->function->ok = true;
  stmt->def.function = parser->function;
  parser->function = outer;
  return stmt;
}

Stmt *tree_class(Parser *parser, TextSpan span, const char *name,
                 const ArgVec *args, const StmtVec *body) {
  Stmt *stmt = tree_stmt(parser, STMT_CLASS, span);
  stmt->class_.name = name;
  stmt->class_.args = args->items;
  stmt->class_.num_args = (int)args->count;
  stmt->class_.body = tree_list(body);
  return stmt;
}

Stmt *tree_decorated(const ExprVec *decorators, Stmt *stmt) {
  const ExprList list = {decorators->items, (int)decorators->count};
  if (stmt->kind == STMT_DEF)
    stmt->def.decorators = list;
  else
    stmt->class_.decorators = list;
  return stmt;
}

Stmt *tree_try(Parser *parser, TextSpan span, const StmtVec *body,
               const HandlerVec *handlers, const StmtVec *otherwise,
               const StmtVec *finally) {
  Stmt *stmt = tree_stmt(parser, STMT_TRY, span);
  stmt->try_.body = tree_list(body);
  stmt->try_.handlers = handlers->items;
  stmt->try_.num_handlers = (int)handlers->count;
  stmt->try_.otherwise = tree_list(otherwise);
  stmt->try_.finally = tree_list(finally);
  return stmt;
}

ExceptHandler tree_handler(Expr *type, const char *name, const StmtVec *body) {
  return (ExceptHandler){type, name, tree_list(body)};
}

Stmt *tree_raise(Parser *parser, TextSpan span, Expr *error, Expr *cause) {
  Stmt *stmt = tree_stmt(parser, STMT_RAISE, span);
  stmt->raise.error = error;
  stmt->raise.cause = cause;
  return stmt;
}

Stmt *tree_scope(Parser *parser, TextSpan span, const NameVec *names,
                 bool is_global) {
  Stmt *stmt = tree_stmt(parser, STMT_SCOPE, span);
  stmt->scope.names = names->items;
  stmt->scope.count = (int)names->count;
  stmt->scope.is_global = is_global;
  return stmt;
}

Stmt *tree_del(Parser *parser, TextSpan span, Expr *targets) {
  Stmt *stmt = tree_stmt(parser, STMT_DEL, span);
  tree_check_target(parser, targets);
  stmt->expr = targets;
  return stmt;
}
