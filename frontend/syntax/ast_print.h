// ast_print.h -- shared by the printers of trees.
#ifndef TILE_FRONTEND_AST_PRINT_H
#define TILE_FRONTEND_AST_PRINT_H

#include "frontend/syntax/ast.h"

void ast_print_expr(const Expr *expr, Str *out);
// A space and the expression; ` _` if it is absent.
void ast_print_optional(const Expr *expr, Str *out);

#endif
